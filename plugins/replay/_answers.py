"""Models whose answers come from records."""

import hashlib
from collections.abc import Mapping
from typing import Any

from plugins.records import json_line
from plugins.replay._index import Asked, RunIndex, who
from prompts.models import Answer, Chat, Model, ModelError, ModelSpec, Request, TextModel

_DETAILS = frozenset({"attempts", "finish_reason", "no_answer"})
"""What a model that reads messages tells beside its answer has one of these."""


class ReplayedModel:
    """Answers as a run has it on record, else as another model does.

    The records come first: another cache may hold another answer to the same question.

    Args:
        spec: The model.
        seed: Seed of the run.
        index: The records.
        otherwise: Who is asked what is not on record; None for nobody.
    """

    def __init__(
        self, spec: ModelSpec, seed: int, index: RunIndex, otherwise: TextModel | Model | None
    ) -> None:
        self.label = spec.label
        self._who = who(spec.to_json(), seed)
        self._index = index
        self._otherwise = otherwise

    def answer(self, request: Request | Chat) -> Answer:
        """Answer a request.

        Raises:
            ModelError: If the answer is not on record and nobody else is to be asked, or cannot be.
        """
        sha256 = hashlib.sha256(json_line(request.messages).encode()).hexdigest()
        turn = None
        if self._who is not None:
            turn = self._index.answer(request.case_id, Asked(self._who, sha256, request.repeat))
        if turn is not None:
            return _as_answer(turn)
        if self._otherwise is None:
            raise ModelError("not_recorded", self._missing(request))
        # Whoever reads messages reads both kinds of request.
        return self._otherwise.answer(request)  # type: ignore[arg-type]

    def close(self) -> None:
        """Close the other model."""
        if self._otherwise is not None:
            self._otherwise.close()

    def _missing(self, request: Request | Chat) -> str:
        return (
            f"{request.case_id}: what this case asks {self.label} has no answer in the records of "
            f"{self._index.named}, and there is no answer cache. Run with the prompts and options "
            "of that run (options in its manifest.json), or name the cache that has it with --cache FILE."
        )


def _as_answer(turn: Mapping[str, Any]) -> Answer:
    told = [each for each in turn["findings"] if isinstance(each, dict) and _DETAILS & each.keys()]
    return Answer(
        turn["answer"],
        tokens=turn["tokens"],
        time_s=turn["time_s"],
        details=dict(told[-1]) if told else {},
        cached=True,
    )
