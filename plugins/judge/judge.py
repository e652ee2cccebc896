"""A judge: a query in, a judgement out."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct, convert

from retrocypher.plugins.judge.criteria import (
    Criteria,
    JudgeCase,
    answer_form,
    judge_facts,
    load_criteria,
)
from retrocypher.plugins.judge.metric import LOGPROBS, Call, CallError, Metric, deepeval
from retrocypher.plugins.judge.reading import UnreadableError
from retrocypher.plugins.runs.manifest import JudgeEntry
from retrocypher.plugins.runs.record import Judgement, Tokens, Variant
from retrocypher.plugins.runs.written_answer import JudgeError
from retrocypher.prompts.models.calls import GatewaySettings
from retrocypher.prompts.models.gateway_client import choice_of
from retrocypher.prompts.models.interface import Chat, Completion, ModelError, Request, TextModel
from retrocypher.prompts.models.open import ModelContext, contents_of
from retrocypher.prompts.models.pool import ModelPool, open_pool
from retrocypher.prompts.models.spec import ModelSpec


class Judge:
    """Judges queries."""

    def __init__(self, model: TextModel, criteria: Criteria) -> None:
        self.criteria = criteria
        self._model = model

    @property
    def label(self) -> str:
        """Name of the judge's model in tables."""
        return self._model.label

    def judge(self, case: JudgeCase, variant: Variant, repeat: int = 0) -> Judgement:
        """Return what the judge makes of a case; a failure is stated in it, and never a score.

        Args:
            repeat: How often it judged the same before: it is asked again, and not answered from the cache.
        """
        call = Call(case, repeat)
        try:
            # Made anew, because DeepEval keeps the state of a call in it, and cases overlap.
            score: float | None = Metric(variant, self.criteria, self._model).measure(call)
        except CallError:
            score = None
        return self._judgement(call, variant, score)

    def close(self) -> None:
        """Release what the model holds in this process."""
        self._model.close()

    def _judgement(self, call: Call, variant: Variant, score: float | None) -> Judgement:
        answer, read = call.answer, call.read
        details = dict(answer.details) if answer else {}
        details.pop("numbers", None)
        return Judgement(
            model=self.label,
            variant=variant,
            score=score,
            weighted=score is not None and read is not None and bool(read.likely),
            reason=read.reason if read else "",
            error=None if call.failure is None else _error(call.failure, details),
            tokens=convert(answer.tokens, Tokens) if answer and answer.tokens else None,
            cost=answer.cost if answer else None,
            time_s=answer.time_s if answer else 0.0,
            cached=bool(answer and answer.cached),
            criteria=self.criteria.sha256,
            rating=read.score if read else None,
            asked_sha256=call.asked_sha256,
            details=details,
        )


def _error(failure: Exception, details: dict[str, object]) -> JudgeError:
    if isinstance(failure, UnreadableError):
        # Why the text is empty is known to the model alone: a filter, a refusal, a context too short.
        why = details.get("no_answer") if failure.kind == "no_answer" else None
        return JudgeError(failure.kind, str(why or failure))
    if isinstance(failure, ModelError):
        return JudgeError(failure.kind, str(failure))
    return JudgeError("harness", repr(failure))


def open_judge(spec: ModelSpec, context: ModelContext, criteria: Criteria | None = None) -> Judge:
    """Open a judge; where no model is to be asked, it has no judgements.

    Args:
        criteria: What to judge by; None for `load_criteria`.
    """
    criteria = criteria or load_criteria()
    if context.connections is None:
        return Judge(_Nobody(spec.label), criteria)
    choice = choice_of(spec, side="judge", logprobs=LOGPROBS, form=answer_form(criteria))
    return Judge(context.open_text(choice), criteria)


@dataclass(frozen=True, slots=True)
class _Nobody:
    """A model that is not to be asked and has no cache."""

    label: str

    def answer(self, request: Request | Chat) -> Completion:
        raise ModelError(
            "not_recorded",
            f"{request.case_id}: the runs that are replayed have no judgement of it by {self.label}, and "
            "there is no response cache. Name the cache that has it with --cache FILE, or leave out --judge.",
        )

    def close(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to be judged."""

    case: JudgeCase
    variant: Variant
    repeat: int = 0
    """How often the same was judged before."""


@dataclass(frozen=True, slots=True)
class JudgePool:
    """A judge that judges several things at a time."""

    _judge: Judge
    _pool: ModelPool

    def judge(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Judgement]]:
        """Yield what is judged as it is done, in no order; raises as `ModelPool.run`."""
        return self._pool.run(self._judged, tasks)

    def _judged(self, task: Task) -> tuple[Task, Judgement]:
        return task, self._judge.judge(task.case, task.variant, task.repeat)


class JudgeRequest(Struct, frozen=True):
    """Who judges, and how."""

    spec: ModelSpec
    criteria: Criteria
    concurrency: int
    """Calls in flight."""
    seed: int
    cache: Path | None
    """File of the response cache; None for none."""
    offline: bool
    environment: Mapping[str, str]

    @contextmanager
    def pool(self) -> Iterator[JudgePool]:
        """Start the judge, and stop it after the block; raise InputError if it cannot be started."""
        # Here, and not by all threads at once.
        deepeval("metrics")
        settings = GatewaySettings(
            self.concurrency,
            self.seed,
            self.environment,
            weights=contents_of([self.spec]),
            cache=self.cache,
            offline=self.offline,
        )
        with open_pool(self.spec, settings) as pool:
            judge = open_judge(self.spec, ModelContext(self.seed, pool.connections), self.criteria)
            yield JudgePool(judge, pool)

    def entry(self) -> JudgeEntry:
        """Return the judge as a manifest holds it."""
        return judge_facts(self.spec, self.criteria, contents_of([self.spec]), self.environment)
