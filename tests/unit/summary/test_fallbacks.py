"""Rows of a fallback are counted apart and are in no other mean."""

import io
from typing import Any

from rich.console import Console
from support.records import record_of

from retrocypher.plugins.analysis.summary import summarise, summary_of
from retrocypher.plugins.reporting.run_tables import render_table
from retrocypher.plugins.runs.record import Record


def record(number: int, fallback: dict[str, Any] | None, loop: str = "guarded") -> Record:
    execution: dict[str, Any] = {"status": "ok", "columns": [], "rows": []}
    if fallback is not None:
        execution["fallback"] = fallback
    return record_of(
        question_id=f"precursors-{number:03}",
        setting="single_step",
        task="precursors",
        steps=1,
        prompt="P5",
        shot="ZS",
        loop=loop,
        model="m",
        cypher="RETURN 1",
        reference_cypher="RETURN 1",
        execution=execution,
        scores={"f1": 0.0, "precision": 0.0, "recall": 0.0, "row_f1": 0.0},
        errors=["empty_result"],
        passed=False,
    )


def fallback(f1: float, rows: int, reason: str = "empty") -> dict[str, Any]:
    scores = {"f1": f1, "precision": f1, "recall": 1.0, "row_f1": None, "focus_f1": None}
    return {"reason": reason, "status": "ok", "row_count": rows, "scores": scores, "passed": f1 == 1.0}


def test_fallbacks_are_apart() -> None:
    records = [
        record(1, None),
        record(2, fallback(1.0, 3)),
        record(3, fallback(0.5, 9)),
        record(4, fallback(0.0, 0, "syntax_error")),
    ]
    found = summarise(records)
    assert found["means"]["f1"] == 0.0
    assert (found["passed"], found["failed"]) == (0, 4)
    totals = {
        "cases": 3,
        "with_rows": 2,
        "passed": 1,
        "reasons": {"empty": 2, "syntax_error": 1},
        "means": {"f1": 0.5, "precision": 0.5, "recall": 1.0},
    }
    assert found["fallback"] == {**totals, "by_loop": {"guarded": totals}}
    assert found["by"]["loop"]["guarded"]["fallback"] == totals


def test_each_loop_has_its_own_and_the_closing_lines_tell_them() -> None:
    records = [
        record(1, fallback(1.0, 3)),
        record(2, fallback(0.5, 9)),
        record(3, fallback(0.0, 0), "guarded-limit"),
        record(4, None, "cove"),
    ]
    found = summarise(records)
    by_loop = found["fallback"]["by_loop"]
    assert {loop: each["cases"] for loop, each in by_loop.items()} == {"guarded": 2, "guarded-limit": 1}
    assert (by_loop["guarded"]["means"]["f1"], found["fallback"]["means"]["f1"]) == (0.75, 0.5)
    text = io.StringIO()
    Console(file=text, width=120).print(render_table(summary_of(records)))
    lines = [line.strip() for line in text.getvalue().splitlines()]
    assert [line for line in lines if line.startswith("fallback")] == [
        "fallback in 2 cases: mean recall 1.000, F1 0.750 of its rows, in no other mean",
        "fallback in 1 case: mean recall 1.000, F1 0.000 of its rows, in no other mean",
    ]


def test_without_a_fallback_none_is_told() -> None:
    assert "fallback" not in summarise([record(1, None)])
