"""Cases of a worker in threads: what waits overlaps, what works does not."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import cast

import pytest

from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.session.case_threads import AHEAD, CaseThreads, Turn
from retrocypher.plugins.session.cases import Case
from retrocypher.plugins.session.run_case import Outcome

QUESTION = load_questions().questions[0]
CASES = [Case(str(number), QUESTION, 1, "P5", "ZS", "none", "m") for number in range(20)]


class Model:
    """Gives completions when the test says so."""

    def __init__(self, turn: Turn) -> None:
        self.asked: list[str] = []
        self.most_at_work = self._at_work = 0
        self.released = threading.Event()
        self.many = threading.Event()
        self._turn = turn

    def run(self, case: Case) -> Outcome:
        with self._working():
            self.asked.append(case.id)
            if len(self.asked) == 4:
                self.many.set()
        with self._turn.given_away():
            assert self.released.wait(30)
        with self._working():
            return cast(Outcome, f"outcome of {case.id}")

    @contextmanager
    def _working(self) -> Iterator[None]:
        self._at_work += 1
        self.most_at_work = max(self.most_at_work, self._at_work)
        yield
        self._at_work -= 1


@pytest.fixture
def turn() -> Turn:
    return Turn()


def outcomes(threads: CaseThreads, cases: list[Case]) -> list[object]:
    return [threads.outcome(case, cases[at + 1 :]) for at, case in enumerate(cases)]


def test_coming_cases_begin_while_one_waits_and_one_works_at_a_time(turn: Turn) -> None:
    model = Model(turn)
    threads = CaseThreads(model.run, turn, 4)
    threading.Thread(target=lambda: (model.many.wait(30), model.released.set()), daemon=True).start()

    found = outcomes(threads, CASES)

    assert found == [f"outcome of {case.id}" for case in CASES]
    assert sorted(model.asked[:4]) == ["0", "1", "2", "3"]
    assert len(model.asked) == len(set(model.asked)) == len(CASES)
    assert model.most_at_work == 1
    threads.close()


def test_a_case_that_raises_does_so_for_itself_alone(turn: Turn) -> None:
    def run(case: Case) -> Outcome:
        if case.id == "1":
            raise ValueError("one")
        return cast(Outcome, case.id)

    threads = CaseThreads(run, turn, 2)
    assert threads.outcome(CASES[0], CASES[1:3]) == "0"
    with pytest.raises(ValueError, match="one"):
        threads.outcome(CASES[1], CASES[2:3])
    assert threads.outcome(CASES[2], []) == "2"
    threads.close()


def test_no_more_begin_than_are_taken(turn: Turn) -> None:
    begun: list[str] = []

    def run(case: Case) -> Outcome:
        begun.append(case.id)
        return cast(Outcome, case.id)

    threads = CaseThreads(run, turn, 2)
    threads.outcome(CASES[0], CASES[1:])
    threads.close()
    assert len(begun) <= 1 + 2 * AHEAD


def test_after_the_end_a_thread_does_nothing_more(turn: Turn) -> None:
    waiting, end, done = threading.Event(), threading.Event(), threading.Event()
    after: list[str] = []

    def run(case: Case) -> Outcome:
        try:
            with turn.given_away():
                waiting.set()
                end.wait(30)
            after.append(case.id)
        finally:
            done.set()
        return cast(Outcome, case.id)

    threads = CaseThreads(run, turn, 1)

    def wait_for_it() -> None:
        with suppress(BaseException):
            threads.outcome(CASES[0], [])

    threading.Thread(target=wait_for_it, daemon=True).start()
    assert waiting.wait(30)
    threads.close()
    end.set()
    assert done.wait(30)
    assert after == []
