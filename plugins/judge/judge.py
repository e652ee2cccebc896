"""A judge: a query in, a judgement out."""

import os
import queue
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import convert

from retrocypher.kg.server.control import session_folder
from retrocypher.plugins.judge.criteria import (
    Criteria,
    JudgeCase,
    answer_form,
    as_set,
    judge_environment,
    load_criteria,
)
from retrocypher.plugins.judge.metric import LOGPROBS, Call, CallError, Metric, deepeval
from retrocypher.plugins.judge.reading import UnreadableError
from retrocypher.plugins.runs.record import Judgement, Tokens, Variant
from retrocypher.plugins.runs.written_answer import JudgeError
from retrocypher.prompts.models.calls import GatewaySettings
from retrocypher.prompts.models.gateway import Gateway
from retrocypher.prompts.models.gateway_client import GatewayConnections, Side, choice_of
from retrocypher.prompts.models.interface import Chat, Completion, ModelError, Request, TextModel
from retrocypher.prompts.models.open import ModelContext, contents_of
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


def open_judge(
    spec: ModelSpec,
    context: ModelContext,
    criteria: Criteria | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Judge:
    """Open a judge; where no model is to be asked, it has no judgements.

    Args:
        criteria: What to judge by; None for `load_criteria`.
        environment: The variables that lead to its API, for messages.
    """
    criteria = criteria or load_criteria()
    if context.connections is None:
        return Judge(_Nobody(spec.label), criteria)
    model = open_judge_model(
        spec, context, logprobs=LOGPROBS, form=answer_form(criteria), environment=environment
    )
    return Judge(model, criteria)


def open_judge_model(
    spec: ModelSpec,
    context: ModelContext,
    *,
    logprobs: int = 0,
    form: Mapping[str, Any] | None = None,
    environment: Mapping[str, str] = os.environ,
) -> TextModel:
    """Open the model of a judge, at the judge's API; `logprobs` and `form` as in `choice_of`."""
    choice = choice_of(spec, side="judge", logprobs=logprobs, form=form)
    return _JudgeModel(context.open_text(choice), environment)


@dataclass(frozen=True, slots=True)
class _JudgeModel:
    """A judge's model, whose failures name the variables that were set for the judge."""

    model: TextModel
    environment: Mapping[str, str]

    @property
    def label(self) -> str:
        return self.model.label

    def answer(self, request: Request | Chat) -> Completion:
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

    def answer(self, request: Request | Chat) -> Completion:
        raise ModelError(
            "not_recorded",
            f"{request.case_id}: the runs that are replayed have no judgement of it by {self.label}, and "
            "there is no response cache. Name the cache that has it with --cache FILE, or leave out --judge.",
        )

    def close(self) -> None:
        """Nothing is held."""


_WAITING = 2


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to be judged."""

    case: JudgeCase
    variant: Variant
    repeat: int = 0
    """How often the same was judged before."""


@dataclass(frozen=True, slots=True)
class JudgePool:
    """Judges at work in threads of their own; each thread asks one thing at a time."""

    spec: ModelSpec
    criteria: Criteria
    concurrency: int
    _context: ModelContext
    _environment: Mapping[str, str]

    def judge(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Judgement]]:
        """Yield what is judged as it is done, in no order.

        Ended early, by Ctrl-C for instance, it waits for nobody: the threads end with the process, and what
        was answered before is in the cache.

        Raises InputError if a thread cannot begin, as where the cache cannot be opened.
        """
        todo: queue.Queue[Task | None] = queue.Queue()
        done: queue.Queue[tuple[Task, Judgement] | BaseException] = queue.Queue()
        for _ in range(self.concurrency):
            threading.Thread(target=self._work, args=(todo, done), daemon=True).start()
        waiting, remaining = 0, iter(tasks)
        try:
            while True:
                while waiting < self.concurrency * _WAITING and (task := next(remaining, None)) is not None:
                    todo.put(task)
                    waiting += 1
                if not waiting:
                    return
                came = done.get()
                if isinstance(came, BaseException):
                    raise came
                waiting -= 1
                yield came
        finally:
            while not todo.empty():
                todo.get_nowait()
            for _ in range(self.concurrency):
                todo.put(None)

    def _work(
        self,
        todo: "queue.Queue[Task | None]",
        done: "queue.Queue[tuple[Task, Judgement] | BaseException]",
    ) -> None:
        try:
            judge = open_judge(self.spec, self._context, self.criteria, self._environment)
            while (task := todo.get()) is not None:
                done.put((task, judge.judge(task.case, task.variant, task.repeat)))
            judge.close()
        except BaseException as error:
            done.put(error)


@contextmanager
def open_judge_pool(
    spec: ModelSpec,
    *,
    concurrency: int,
    seed: int,
    cache: Path | None,
    offline: bool = False,
    environment: Mapping[str, str] = os.environ,
    criteria: Criteria | None = None,
) -> Iterator[JudgePool]:
    """Start what a judge needs, and stop it after the block; raise InputError if it cannot be started."""
    # Here, and not by all threads at once.
    deepeval("metrics")
    with ExitStack() as stack:
        connections = None
        if cache is not None or not offline:
            settings = GatewaySettings(
                concurrency,
                seed,
                environments_of(environment),
                weights=contents_of([spec]),
                cache=cache,
                offline=offline,
            )
            folder = session_folder()
            stack.callback(folder.remove)
            gateway = stack.enter_context(Gateway([spec], settings, folder.path))
            connections = GatewayConnections(gateway.address)
        context = ModelContext(seed, connections)
        yield JudgePool(spec, criteria or load_criteria(), concurrency, context, environment)


def environments_of(environment: Mapping[str, str]) -> dict[Side, Mapping[str, str]]:
    """Return the environment of each side of a gateway."""
    return {"run": environment, "judge": judge_environment(environment)}
