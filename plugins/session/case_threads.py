"""Runs the coming cases of a worker while others wait for a model, so that dependent calls overlap, too."""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from itertools import islice
from typing import Any

import pytest

from retrocypher.plugins.session.cases import Case
from retrocypher.plugins.session.run_case import Outcome
from retrocypher.plugins.session.worker import case_of

_CLOSE_S = 2.0
AHEAD = 4
"""Cases that are done or under way, for each thread; more would only fill the memory."""


class _ClosedError(BaseException):
    """The session has ended; a thread that comes back from a model does nothing more.

    No Exception, so that nothing on the way takes it for a fault of a case.
    """


class Turn:
    """Lets one thread of a worker work at a time; a thread that waits for a model gives its turn away.

    So only waiting overlaps. What works on a case, and what asks the graph, needs to know of no other thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Wait for the turn and keep it for the block."""
        self._take()
        try:
            yield
        except _ClosedError:
            # It was given away and not taken again.
            raise
        except BaseException:
            self._lock.release()
            raise
        self._lock.release()

    @contextmanager
    def given_away(self) -> Iterator[None]:
        """Let other threads work during the block."""
        self._lock.release()
        try:
            yield
        finally:
            self._take()

    def close(self) -> None:
        """Let nobody begin again, and wait a moment for who is working."""
        self._closed = True
        if self._lock.acquire(timeout=_CLOSE_S):
            self._lock.release()

    def _take(self) -> None:
        self._lock.acquire()
        if self._closed:
            self._lock.release()
            raise _ClosedError


class CaseThreads:
    """Runs cases in threads: the one that pytest waits for, and those that come next.

    Args:
        run: Runs a case.
        count: Number of threads.
    """

    def __init__(self, run: Callable[[Case], Outcome], turn: Turn, count: int) -> None:
        self._run = run
        self._turn = turn
        self._most = count * AHEAD
        self._outcomes: dict[str, Future[Outcome]] = {}
        self._coming: deque[Case] = deque()
        self._wanted: Case | None = None
        self._changed = threading.Condition()
        self._closed = False
        for _ in range(count):
            threading.Thread(target=self._work, daemon=True).start()

    def outcome(self, case: Case, coming: Iterable[Case]) -> Outcome:
        """Return the outcome of a case; raise what running it raised.

        Args:
            coming: The cases that this worker runs next; they replace those named before.
        """
        with self._changed:
            self._coming = deque(each for each in coming if each.id not in self._outcomes)
            if case.id not in self._outcomes:
                self._outcomes[case.id] = Future()
                self._wanted = case
            self._changed.notify_all()
        try:
            return self._outcomes[case.id].result()
        finally:
            with self._changed:
                del self._outcomes[case.id]
                self._changed.notify_all()

    def close(self) -> None:
        """Begin no more cases, and let none go on."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._turn.close()

    def _work(self) -> None:
        while (begun := self._next()) is not None:
            case, future = begun
            try:
                with self._turn.taken():
                    outcome = self._run(case)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(outcome)

    def _next(self) -> tuple[Case, "Future[Outcome]"] | None:
        with self._changed:
            while not self._closed:
                case, self._wanted = self._wanted, None
                if case is None and self._coming and len(self._outcomes) < self._most:
                    case = self._coming.popleft()
                if case is not None:
                    return case, self._outcomes.setdefault(case.id, Future())
                self._changed.wait()
        return None


class ComingCases:
    """The cases that a process runs next, as far as it knows."""

    def __init__(self, session: pytest.Session, most: int) -> None:
        self._items = session.items
        self._most = most
        cases = ((case_of(item), number) for number, item in enumerate(self._items))
        self._numbers = {case.id: number for case, number in cases if case is not None}
        plugins = session.config.pluginmanager.get_plugins()
        # A worker of pytest-xdist has a queue of tests, and has taken the next one out of it.
        self._worker: Any = next((each for each in plugins if hasattr(each, "torun")), None)

    def after(self, case: Case) -> Iterator[Case]:
        """Yield the cases that follow one."""
        for number in self._following(self._numbers[case.id]):
            if (found := case_of(self._items[number])) is not None:
                yield found

    def _following(self, number: int) -> list[int]:
        if self._worker is None:
            return list(range(number + 1, min(number + 1 + self._most, len(self._items))))
        with self._worker.torun.lock() as queued:
            numbers = [self._worker.nextitem_index, *islice(queued, self._most)]
        return [each for each in numbers if isinstance(each, int)]
