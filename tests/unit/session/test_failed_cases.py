"""What a failed case says."""

import io

from _pytest._io import TerminalWriter
from support.records import record_of

from retrocypher.plugins.reporting.case_view import (
    CaseError,
    CaseFailedError,
    CaseView,
    failure_of,
    failure_repr,
)
from retrocypher.plugins.runs.record import Explanation, InfrastructureError, Record


def record() -> Record:
    return record_of(
        cypher="RETURN '\x1b[2J'",
        execution={"status": "ok", "message": None, "row_count": 1},
        scores={"f1": 0.5, "precision": 0.5, "recall": 0.5},
    )


def said(record: Record, *difference: str, why: dict[str, str] | None = None) -> str:
    failure = failure_of(CaseView(record, None, Explanation(list(difference), why or {})))
    assert isinstance(failure, CaseFailedError)
    return str(failure)


def test_what_is_not_shown_is_counted() -> None:
    lines = [f"+ reactants: C{number}" for number in range(30)]
    shown = said(record(), *lines).splitlines()
    assert shown[0].endswith("status ok, 1 row")
    assert shown[-2:] == [lines[19], "and 10 more lines: see the Allure report"]


def test_a_short_difference_is_shown_whole() -> None:
    shown = said(record(), "- reactants: CC", "+ reactants: CO").splitlines()
    assert shown[-2:] == ["- reactants: CC", "+ reactants: CO"]


def test_what_follows_a_failure_begins_on_a_line_of_its_own() -> None:
    written = io.StringIO()
    failure_repr("syntax_error: F1 0.000\nwhy: a bracket", ("test_x.py", 1, "test_x")).toterminal(
        TerminalWriter(written)
    )
    assert written.getvalue() == "syntax_error: F1 0.000\nwhy: a bracket\n"


def test_an_answer_does_not_steer_the_terminal() -> None:
    assert "\x1b" not in said(record())
    assert r"\x1b[2J" in said(record())


def test_an_infrastructure_error_is_no_failure() -> None:
    broken = record()
    broken.infrastructure_error = InfrastructureError("graph", "GraphUnavailable", "gone")
    failure = failure_of(CaseView(broken, None))
    assert isinstance(failure, CaseError)
    assert str(failure) == "graph GraphUnavailable: gone"


def test_a_failed_case_says_why() -> None:
    failed = record()
    failed.errors = ["schema_violation:label", "missing_component:agents"]
    why = {"finding": "the schema has no label \x1b", "loop": "cove: schema found nothing"}
    assert said(failed, "- agents: CC", why=why).splitlines()[:5] == [
        "schema_violation:label: F1 0.500 (precision 0.500, recall 0.500), status ok, 1 row",
        "why:      schema_violation:label, missing_component:agents",
        r"finding:  the schema has no label \x1b",
        "loop:     cove: schema found nothing",
        "question: What makes it?",
    ]
