"""Rows of a fallback are counted apart and are in no other mean."""

from typing import Any

from plugins.summary import summarise


def record(number: int, fallback: dict[str, Any] | None) -> dict[str, Any]:
    execution: dict[str, Any] = {"status": "ok", "columns": [], "rows": []}
    if fallback is not None:
        execution["fallback"] = fallback
    return {
        "question_id": f"precursors-{number:03}",
        "setting": "single_step",
        "task": "precursors",
        "steps": 1,
        "prompt": "P5",
        "shot": "ZS",
        "loop": "guarded",
        "model": "m",
        "cypher": "RETURN 1",
        "reference_cypher": "RETURN 1",
        "execution": execution,
        "scores": {"f1": 0.0, "precision": 0.0, "recall": 0.0, "row_f1": 0.0},
        "errors": ["empty_result"],
        "passed": False,
    }


def fallback(f1: float, rows: int, reason: str = "empty") -> dict[str, Any]:
    scores = {"f1": f1, "precision": f1, "recall": 1.0}
    return {"reason": reason, "row_count": rows, "scores": scores, "passed": f1 == 1.0}


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
    assert found["fallback"] == {
        "cases": 3,
        "with_rows": 2,
        "passed": 1,
        "reasons": {"empty": 2, "syntax_error": 1},
        "means": {"f1": 0.5, "precision": 0.5, "recall": 1.0},
    }
    assert found["by"]["loop"]["guarded"]["fallback"] == found["fallback"]


def test_without_a_fallback_none_is_told() -> None:
    assert "fallback" not in summarise([record(1, None)])
