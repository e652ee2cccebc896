"""What a session shows: progress, messages of failed cases, exit status."""

import io
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from _pytest._io import TerminalWriter
from _pytest.config import _prepareconfig
from _pytest.terminal import TerminalReporter
from hypothesis import given
from hypothesis import strategies as st
from support.options import options_of
from support.records import record_of

from retrocypher.plugins.analysis.ledger import Ledger
from retrocypher.plugins.analysis.summary import Usage
from retrocypher.plugins.reporting.case_view import CaseFailedError, CaseView, failure_of, failure_repr
from retrocypher.plugins.runs.record import Explanation, FailureReasons, InfrastructureError, Record
from retrocypher.plugins.session.plan import resolve
from retrocypher.plugins.session.state import RunState
from retrocypher.plugins.session.terminal import Progress, Rate, closing_lines, exit_status, workers_note
from retrocypher.prompts.models.endpoint import NOT_ASKED


@dataclass
class Run:
    """A run whose cases end when a test says so."""

    cost: float | None = None
    now: float = 1_000.0

    def __post_init__(self) -> None:
        self.progress = Progress(lambda: self.cost, lambda: self.now)

    def cases(self, count: int, total: int, *, every_s: float, f1: float | None = 1.0) -> None:
        for _ in range(count):
            self.progress.add(f1, total)
            self.now += every_s


def test_a_line_each_twentieth_with_rate_and_time_left(logged: list[str]) -> None:
    run = Run()
    run.cases(2_000, 2_000, every_s=0.1)
    assert len(logged) == 20
    assert logged[0] == "100 of 2,000 cases, mean F1 1.000, 10.0 cases/s, 3 min left"
    assert logged[9] == "1,000 of 2,000 cases, mean F1 1.000, 10.0 cases/s, 2 min left"
    assert logged[-1] == "2,000 of 2,000 cases, mean F1 1.000, 10.0 cases/s"


def test_slow_cases_are_told_of_each_minute(logged: list[str]) -> None:
    run = Run()
    run.cases(7, 30, every_s=30.0, f1=0.5)
    assert logged == [
        "3 of 30 cases, mean F1 0.500, 2.0 cases/min, 14 min left",
        "5 of 30 cases, mean F1 0.500, 2.0 cases/min, 12 min left",
        "7 of 30 cases, mean F1 0.500, 2.0 cases/min, 12 min left",
    ]


@pytest.mark.parametrize(
    ("cases", "every_s", "f1", "cost", "lines"),
    [
        (12, 0.5, 1.0, None, ["12 of 12 cases, mean F1 1.000, 2.0 cases/s"]),
        (2, 1.0, 1.0, 0.25, ["2 of 2 cases, mean F1 1.000, 1.0 cases/s, 0.250 USD so far"]),
        (2, 1.0, None, None, ["2 of 2 cases, mean F1 n/a, 2 infrastructure errors, 1.0 cases/s"]),
        # A clock that stands still, or a single case, gives no rate.
        (100, 0.0, 1.0, None, ["50 of 100 cases, mean F1 1.000", "100 of 100 cases, mean F1 1.000"]),
        (1, 5.0, 1.0, None, ["1 of 1 case, mean F1 1.000"]),
    ],
)
def test_a_line(
    cases: int, every_s: float, f1: float | None, cost: float | None, lines: list[str], logged: list[str]
) -> None:
    run = Run(cost=cost)
    run.cases(cases, cases, every_s=every_s, f1=f1)
    assert logged == lines


def test_cases_taken_over_count_but_not_in_the_rate(logged: list[str]) -> None:
    run = Run()
    for f1 in (1.0, 0.0, None):
        run.progress.take_over(f1)
    assert logged == []
    run.cases(50, 120, every_s=1.0, f1=0.5)
    assert logged == ["53 of 120 cases, mean F1 0.500, 1 infrastructure error, 1.0 cases/s, 1 min left"]


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


def record() -> Record:
    return record_of(
        cypher="RETURN '\x1b[2J'",
        execution={"status": "ok", "message": None, "row_count": 1},
        scores={"f1": 0.5, "precision": 0.5, "recall": 0.5},
    )


def said(record: Record, *difference: str, why: dict[str, str] | None = None) -> str:
    failure = failure_of(CaseView(record, None, Explanation(list(difference), FailureReasons(**(why or {})))))
    assert isinstance(failure, CaseFailedError)
    return str(failure)


def test_a_long_difference_is_cut_and_counted() -> None:
    lines = [f"+ reactants: C{number}" for number in range(30)]
    shown = said(record(), *lines).splitlines()
    assert shown[0].endswith("status ok, 1 row")
    assert shown[-2:] == [lines[19], "and 10 more lines: see the Allure report"]
    assert said(record(), *lines[:2]).splitlines()[-2:] == lines[:2]


def test_what_follows_a_failure_begins_on_a_line_of_its_own() -> None:
    written = io.StringIO()
    failure_repr("syntax_error: F1 0.000\nwhy: a bracket", ("test_x.py", 1, "test_x")).toterminal(
        TerminalWriter(written)
    )
    assert written.getvalue() == "syntax_error: F1 0.000\nwhy: a bracket\n"


def test_a_failed_case_says_why() -> None:
    failed = record()
    failed.errors = ["schema_violation:label", "missing_component:agents"]
    why = {"finding": "the schema has no label \x1b", "loop": "cove: schema found nothing"}
    text = said(failed, "- agents: CC", why=why)
    assert r"RETURN '\x1b[2J'" in text
    assert text.splitlines()[:5] == [
        "schema_violation:label: F1 0.500 (precision 0.500, recall 0.500), status ok, 1 row",
        "why:      schema_violation:label, missing_component:agents",
        r"finding:  the schema has no label \x1b",
        "loop:     cove: schema found nothing",
        "question: What makes it?",
    ]


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({}, (0, 1)),
        ({"gate": 0}, (0, 0)),
        ({"gate": 1}, (1, 1)),
        # A gate does not judge tests that are not cases.
        ({"gate": 0, "other_test_failed": True}, (1, 1)),
        *(({"unscored": True, "gate": gate}, (16, 16)) for gate in (None, 0, 1, 16)),
        *(({"unscored": True, "gate": gate, "other_test_failed": True}, (16, 16)) for gate in (None, 0)),
        # Unless a gate needs neither judgements nor answers.
        ({"missing_judgements": True}, (16, 16)),
        *(({"missing_judgements": True, "gate": gate}, (gate, gate)) for gate in (0, 1, 16)),
        ({"missing_judgements": True, "unscored": True, "gate": 0}, (16, 16)),
    ],
)
def test_the_exit_status_of_a_run_whose_tests_ran(facts: dict[str, Any], expected: tuple[int, int]) -> None:
    found = (exit_status(given, **{"unscored": False, **facts}) for given in (0, 1))
    assert tuple(found) == expected


@pytest.mark.parametrize("given", [2, 3, 4, 5])
def test_pytests_own_statuses_stay(given: int) -> None:
    assert exit_status(given, unscored=True) == exit_status(given, unscored=False, gate=0) == given


@pytest.mark.parametrize(("workers", "cores", "noted"), [(8, 2, True), (4, 2, False), (1, 1, False)])
def test_more_than_two_workers_on_a_core_get_a_note(workers: int, cores: int, noted: bool) -> None:
    assert ("use -n auto" in workers_note(workers, cores)) is noted


def closing(tmp_path: Path, *records: Record) -> list[str]:
    """The closing lines of a run with some records."""
    plan = resolve(options_of(model=("oracle",), sample=10), {})
    state = RunState(plan, tmp_path / "a run", None, Ledger({}), Usage({}, {}))
    for each in records:
        state.add(each)
    state.selected = len(records)
    reporter = TerminalReporter(_prepareconfig(["-p", "no:cacheprovider"]), io.StringIO())
    return list(closing_lines(state, reporter))


def test_errors_are_grouped_by_what_happened_with_the_remedy(tmp_path: Path) -> None:
    messages = [
        *("asked 3 times: no reply", f"{NOT_ASKED}asked 4 times: no reply"),
        "no key. Set OPENAI_API_KEY",
    ]
    errors = [InfrastructureError("model", "connection", each) for each in messages]
    cases = [record_of(f"q-{n}", infrastructure_error=each) for n, each in enumerate(errors)]
    lines = closing(tmp_path, *cases)
    assert [line for line in lines if line.startswith("incomplete: ")] == [
        "incomplete: 2 cases without a score: model connection: asked 3 times: no reply",
        "incomplete: 1 case without a score: model connection: no key. Set OPENAI_API_KEY",
    ]
    (remedy,) = [line for line in lines if line.startswith("remedy: ")]
    assert "repeat the command" in remedy


def test_the_closing_lines_end_with_commands_to_paste(tmp_path: Path) -> None:
    scores = {"scores": {"f1": 1.0}}
    passed, failed = (record_of(f"q-{each}", **scores, passed=each) for each in (True, False))
    lines = closing(tmp_path, passed, failed)
    commands = [line.partition(": ")[2] for line in lines if ": retrocypher " in line]
    words = [shlex.split(command) for command in commands]
    run = str(tmp_path / "a run")
    assert words == [["retrocypher", "report", run], ["retrocypher", "show", run, failed.case_id]]
    heading = next(line for line in lines if line.startswith("prompt"))
    assert re.search(r"cases +scored", heading)


def test_where_all_passed_the_command_shows_the_first_case(tmp_path: Path) -> None:
    cases = [record_of(f"q-{each}", scores={"f1": 1.0}, passed=True) for each in (1, 2)]
    (command,) = [line for line in closing(tmp_path, *cases) if line.startswith("one case: ")]
    assert command.endswith(cases[0].case_id)
