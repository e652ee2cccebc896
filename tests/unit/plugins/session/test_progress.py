"""The lines on the progress of a run, by a clock of their own."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.plugins.session.terminal import Progress, Rate


@dataclass
class Run:
    """A run whose cases end when it is told that they do."""

    cost: float | None = None
    now: float = 1_000.0
    lines: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.progress = Progress(self.lines.append, lambda: self.cost, lambda: self.now)

    def cases(self, count: int, total: int, *, every_s: float, f1: float | None = 1.0) -> None:
        for _ in range(count):
            self.progress.add(f1, total)
            self.now += every_s


def test_a_line_each_twentieth_with_rate_and_time_left() -> None:
    run = Run()
    run.cases(2_000, 2_000, every_s=0.1)
    assert len(run.lines) == 20
    assert run.lines[0] == "100 of 2,000 cases, mean F1 1.000, 10.0 cases/s, 3 min left"
    assert run.lines[9] == "1,000 of 2,000 cases, mean F1 1.000, 10.0 cases/s, 2 min left"
    assert run.lines[-1] == "2,000 of 2,000 cases, mean F1 1.000, 10.0 cases/s"


def test_slow_cases_are_told_of_each_minute() -> None:
    run = Run()
    run.cases(7, 30, every_s=30.0, f1=0.5)
    assert run.lines == [
        "3 of 30 cases, mean F1 0.500, 2.0 cases/min, 14 min left",
        "5 of 30 cases, mean F1 0.500, 2.0 cases/min, 12 min left",
        "7 of 30 cases, mean F1 0.500, 2.0 cases/min, 12 min left",
    ]


@pytest.mark.parametrize(
    ("cases", "every_s", "f1", "cost", "lines"),
    [
        (12, 0.5, 1.0, None, ["12 of 12 cases, mean F1 1.000, 2.0 cases/s"]),
        (2, 1.0, 1.0, 0.25, ["2 of 2 cases, mean F1 1.000, 1.0 cases/s, 0.250000 USD so far"]),
        (2, 1.0, None, None, ["2 of 2 cases, mean F1 n/a, 2 infrastructure errors, 1.0 cases/s"]),
        # A clock that stands still, or a single case, gives no rate.
        (100, 0.0, 1.0, None, ["50 of 100 cases, mean F1 1.000", "100 of 100 cases, mean F1 1.000"]),
        (1, 5.0, 1.0, None, ["1 of 1 case, mean F1 1.000"]),
    ],
)
def test_a_line(cases: int, every_s: float, f1: float | None, cost: float | None, lines: list[str]) -> None:
    run = Run(cost=cost)
    run.cases(cases, cases, every_s=every_s, f1=f1)
    assert run.lines == lines


def test_cases_taken_over_count_but_not_in_the_rate() -> None:
    run = Run()
    for f1 in (1.0, 0.0, None):
        run.progress.take_over(f1)
    assert run.lines == []
    run.cases(50, 120, every_s=1.0, f1=0.5)
    assert run.lines == ["53 of 120 cases, mean F1 0.500, 1 infrastructure error, 1.0 cases/s, 1 min left"]


def test_the_rate_forgets_the_start_and_single_long_cases() -> None:
    rate, now = Rate(), 0.0
    for gap in [10.0] * 100 + [0.5] * 300:
        rate.add(now := now + gap)
    assert rate.a_second == pytest.approx(2.0)
    rate = Rate()
    for gap in [1.0] * 50 + [60.0] + [1.0] * 49:
        rate.add(now := now + gap)
    assert 0.5 < (rate.a_second or 0.0) < 1.0


@given(st.lists(st.floats(0.0, 1e6, allow_nan=False), max_size=200))
def test_any_gaps_give_a_rate_over_nothing_or_none(gaps: list[float]) -> None:
    rate, now = Rate(), 0.0
    for gap in gaps:
        rate.add(now := now + gap)
    assert rate.a_second is None or rate.a_second > 0.0
