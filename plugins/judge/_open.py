"""A judge, ready to be asked, in the process and thread that asks it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plugins.judge._criteria import Criteria, load_criteria
from plugins.judge._form import answer_form
from plugins.judge._judge import Judge
from plugins.judge._metric import LOGPROBS
from plugins.judge._spec import as_set, judge_environment
from prompts.answers import AnswerStore
from prompts.models import Answer, Chat, ModelError, ModelSpec, Request, TextModel, open_text_model


def open_judge(
    spec: ModelSpec,
    *,
    shared: Mapping[str, Any],
    slots: Path,
    concurrency: int,
    seed: int,
    environment: Mapping[str, str] = os.environ,
    answers: AnswerStore | None = None,
    offline: bool = False,
    criteria: Criteria | None = None,
) -> Judge:
    """Open a judge.

    Args:
        spec: Its model, as `judge_spec` let it pass.
        shared: What `SharedModels.to_json` gave.
        slots: Folder that all who ask at the same time share.
        concurrency: Calls of API models in flight, over all who share the folder.
        seed: Seed sent along.
        environment: Where key and address are looked up.
        answers: Where its answers are kept; None for nowhere.
        offline: Whether it is not to be asked what is not there; without a cache it is not asked at all.
        criteria: What to judge by; None for `load_criteria`.
    """
    criteria = criteria or load_criteria()
    if offline and answers is None:
        return Judge(_Nobody(spec.label), criteria)
    model = open_judge_model(
        spec,
        shared=shared,
        slots=slots,
        concurrency=concurrency,
        seed=seed,
        environment=environment,
        answers=answers,
        offline=offline,
        logprobs=LOGPROBS,
        form=answer_form(criteria),
    )
    return Judge(model, criteria)


def open_judge_model(
    spec: ModelSpec,
    *,
    shared: Mapping[str, Any],
    slots: Path,
    concurrency: int,
    seed: int,
    environment: Mapping[str, str] = os.environ,
    answers: AnswerStore | None = None,
    offline: bool = False,
    logprobs: int = 0,
    form: Mapping[str, Any] | None = None,
) -> TextModel:
    """Open the model of a judge, at the judge's API.

    Arguments are as `open_judge` has them, ``logprobs`` and ``form`` as `open_text_model`.
    """
    model = open_text_model(
        spec,
        shared=shared,
        slots=slots,
        concurrency=concurrency,
        seed=seed,
        environment=judge_environment(environment),
        answers=answers,
        offline=offline,
        logprobs=logprobs,
        form=form,
    )
    return _Told(model, environment)


@dataclass(frozen=True, slots=True)
class _Told:
    """A judge's model, whose failures name the variables that were set for the judge."""

    model: TextModel
    environment: Mapping[str, str]

    @property
    def label(self) -> str:
        return self.model.label

    def answer(self, request: Request | Chat) -> Answer:
        try:
            return self.model.answer(request)
        except ModelError as error:
            raise ModelError(error.kind, as_set(str(error), self.environment)) from error

    def close(self) -> None:
        self.model.close()


@dataclass(frozen=True, slots=True)
class _Nobody:
    """A model that is not to be asked and has no cache."""

    label: str

    def answer(self, request: Request | Chat) -> Answer:
        raise ModelError(
            "not_recorded",
            f"{request.case_id}: the runs that are replayed have no judgement of it by {self.label}, and "
            "there is no answer cache. Name the cache that has it with --cache FILE, or leave out --judge.",
        )

    def close(self) -> None:
        """Nothing is held."""
