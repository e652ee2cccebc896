"""Many cases judged at once, outside of a session."""

import os
import queue
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.server import session_folder
from plugins.judge._case import JudgeCase, Judgement, Variant
from plugins.judge._criteria import Criteria, load_criteria
from plugins.judge._deepeval import deepeval
from plugins.judge._judge import Judge
from plugins.judge._open import open_judge
from prompts.answers import open_answers
from prompts.models import ModelSpec, contents_of, start_shared

_WAITING = 2


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to be judged.

    Attributes:
        case: The query.
        variant: Whether the reference is shown.
        repeat: How often the same was judged before.
    """

    case: JudgeCase
    variant: Variant
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class Panel:
    """Judges at work in threads of their own; each thread asks one thing at a time.

    Attributes:
        spec: The judge's model.
        criteria: What they judge by.
        concurrency: How many threads.
    """

    spec: ModelSpec
    criteria: Criteria
    concurrency: int
    _arguments: Mapping[str, Any]
    _cache: Path | None
    _offline: bool

    def judge(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, Judgement]]:
        """Yield what is judged as it is done, in no order.

        Ended early, by Ctrl-C for instance, it waits for nobody: the threads end with the process, and what
        was answered before is in the cache.

        Args:
            tasks: What to judge; taken as there is room for it.

        Raises:
            InputError: If a thread cannot begin, as where the cache cannot be opened.
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
            with ExitStack() as stack:
                judge = self._open(stack)
                while (task := todo.get()) is not None:
                    done.put((task, judge.judge(task.case, task.variant, task.repeat)))
        except BaseException as error:
            done.put(error)

    def _open(self, stack: ExitStack) -> Judge:
        answers = None
        if self._cache is not None:
            answers = stack.enter_context(open_answers(self._cache, read_only=self._offline))
        judge = open_judge(
            self.spec, answers=answers, offline=self._offline, criteria=self.criteria, **self._arguments
        )
        stack.callback(judge.close)
        return judge


@contextmanager
def open_panel(
    spec: ModelSpec,
    *,
    concurrency: int,
    seed: int,
    cache: Path | None,
    offline: bool = False,
    environment: Mapping[str, str] = os.environ,
    criteria: Criteria | None = None,
) -> Iterator[Panel]:
    """Start what a judge needs, and stop it after the block.

    Args:
        spec: Its model, as `judge_spec` let it pass.
        concurrency: How many calls may be in flight.
        seed: Seed sent along.
        cache: Where its answers are kept; None for nowhere.
        offline: Whether it is not to be asked what is not there.
        environment: Where key and address are looked up.
        criteria: What to judge by; None for `load_criteria`.

    Raises:
        InputError: If a local model cannot be started.
    """
    # Here, and not by all threads at once.
    deepeval("metrics")
    contents = contents_of([spec])
    shared = start_shared([spec], contents=contents, offline=offline)
    try:
        folder = session_folder()
        try:
            arguments = {
                "shared": shared.to_json(),
                "slots": folder.path,
                "concurrency": concurrency,
                "seed": seed,
                "environment": environment,
            }
            yield Panel(spec, criteria or load_criteria(), concurrency, arguments, cache, offline)
        finally:
            folder.remove()
    finally:
        shared.stop()
