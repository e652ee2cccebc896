"""A model that is asked only what it has not been asked before."""

import warnings
from dataclasses import replace
from datetime import UTC, datetime

from prompts.answers import AnswerCacheError, AnswerStore, Identity, Kept, answer_key, stamp
from prompts.models._interface import Answer, Chat, ModelError, Request, TextModel


class RememberedModel:
    """Answers from a cache, else asks a model and keeps what it says; failures are never kept.

    A cache that fails in the course of a run costs no answer: the model is asked, and a warning tells once
    that its answers are not kept.

    Args:
        identity: Whose answers they are.
        answers: The cache.
        model: Who is asked what is not there.
    """

    def __init__(self, identity: Identity, answers: AnswerStore, model: TextModel) -> None:
        self._identity = identity
        self._answers = answers
        self._model = model
        self._warned = False

    @property
    def label(self) -> str:
        """Name in ids and tables."""
        return self._model.label

    def answer(self, request: Request | Chat) -> Answer:
        """Answer a request; raises as the model does."""
        key = answer_key(self._identity, request.messages, request.repeat)
        if (kept := self._find(key)) is not None:
            return _as_answer(kept)
        answer = self._model.answer(request)
        if (first := self._keep(_as_kept(key, self._identity, answer))) is None:
            return answer
        # Another process may have asked the same at the same time. What was kept first holds for all, so
        # that a repetition of the run finds what the run went on with.
        return replace(_as_answer(first), cached=False, cost=answer.cost)

    def close(self) -> None:
        """Close the model; the cache is its opener's."""
        self._model.close()

    def _find(self, key: str) -> Kept | None:
        try:
            return self._answers.get(key)
        except AnswerCacheError as error:
            self._warn(error)
            return None

    def _keep(self, kept: Kept) -> Kept | None:
        try:
            return self._answers.put(kept)
        except AnswerCacheError as error:
            self._warn(error)
            return None

    def _warn(self, error: AnswerCacheError) -> None:
        if not self._warned:
            self._warned = True
            warnings.warn(f"answers are not kept, the run goes on without: {error}", stacklevel=2)


class OfflineModel:
    """Answers from a cache and nowhere else.

    Args:
        label: Name in ids and tables.
        identity: Whose answers they are.
        answers: The cache.
    """

    def __init__(self, label: str, identity: Identity, answers: AnswerStore) -> None:
        self.label = label
        self._identity = identity
        self._answers = answers

    def answer(self, request: Request | Chat) -> Answer:
        """Answer a request.

        Raises:
            ModelError: If the answer is not there, or the cache cannot be read.
        """
        key = answer_key(self._identity, request.messages, request.repeat)
        try:
            kept = self._answers.get(key)
        except AnswerCacheError as error:
            raise ModelError("not_cached", str(error)) from error
        if kept is None:
            again = f" (time {request.repeat + 1} that it asks so)" if request.repeat else ""
            raise ModelError(
                "not_cached",
                f"{_asking(request)}: what this case asks {self.label}{again} has no "
                f"answer in the answer cache {self._answers.path}, and --offline asks nobody. Run the case "
                "once without --offline, or add an export that has it with `retrocypher cache import`.",
            )
        return _as_answer(kept)

    def close(self) -> None:
        """Nothing is held."""


def _asking(request: Request | Chat) -> str:
    return request.case_id or (request.question.id if isinstance(request, Request) else "a request")


def _as_kept(key: str, identity: Identity, answer: Answer) -> Kept:
    served = answer.details.get("model")
    return Kept(
        key=key,
        model=identity.model,
        api=identity.api,
        parameters=identity.parameters,
        served=served if isinstance(served, str) else None,
        made=stamp(datetime.now(UTC)),
        text=answer.text,
        tokens=answer.tokens,
        time_s=answer.time_s,
        details=answer.details,
    )


def _as_answer(kept: Kept) -> Answer:
    return Answer(kept.text, tokens=kept.tokens, time_s=kept.time_s, details=dict(kept.details), cached=True)
