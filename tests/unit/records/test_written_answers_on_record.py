"""What a record tells of a written answer, and what it lacks."""

import io
import json
from collections.abc import Iterable
from typing import Any

import pytest
from rich.console import Console
from support.records import record_of

from retrocypher.plugins.analysis.summary import summarise, summary_of
from retrocypher.plugins.reporting.run_tables import render_table
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.record import InfrastructureError, Record, Round, record_from
from retrocypher.prompts.answering.writing import CLAIMS_ROLE, TEXT_ROLE

FAULT = {"stage": "model", "kind": "timeout", "message": "too long"}


def turn(role: str, verdict: str, *findings: Any) -> Round:
    return Round(role, "h", "", None, verdict, list(findings))


def told(*rounds: Round, **fields: Any) -> Record:
    return record_of(rounds=list(rounds), scores={"f1": 1.0}, passed=True, **fields)


def shown(records: Iterable[Record]) -> list[str]:
    text = io.StringIO()
    Console(file=text, width=200).print(render_table(summary_of(records)))
    return [line.strip() for line in text.getvalue().splitlines()]


WRITTEN = turn(TEXT_ROLE, "written", {"context": {}})


@pytest.mark.parametrize("role", [TEXT_ROLE, CLAIMS_ROLE, "answer:check"])
def test_roles_of_answers_are_known(role: str) -> None:
    assert turn(role, "").of_answer
    assert not turn(role.partition(":")[2], "").of_answer


def test_a_fault_is_found_wherever_it_happened() -> None:
    assert told(WRITTEN).answer_fault is None
    late = told(WRITTEN, turn(CLAIMS_ROLE, "error", {"error": FAULT}))
    assert late.answer_fault == InfrastructureError(**FAULT)
    assert not late.is_whole
    assert told(turn("corrector", "error")).is_whole
    assert not told(infrastructure_error=FAULT).is_whole


def test_answers_are_counted_beside_the_scores() -> None:
    verified = {"verdict": "VERIFIED", "support": 1.0}
    records = [
        told(WRITTEN, case_id="a", answer="It is.", verification=verified),
        told(turn(TEXT_ROLE, "insufficient"), case_id="b", answer="Insufficient information."),
        told(turn(TEXT_ROLE, "error", {"error": FAULT}), case_id="c"),
        told(case_id="d"),
    ]
    summary = summarise(records)
    assert summary["means"]["f1"] == 1.0
    assert summary["infrastructure_errors"] == 0
    assert summary["answers"] == {
        "cases": 3,
        "written": 1,
        "insufficient": 1,
        "empty": 0,
        "failed": 1,
        "verdicts": {"VERIFIED": 1},
        "support": 1.0,
        "claiming": 1,
    }
    assert "answers" not in summarise([told()])


def test_support_is_told_over_the_answers_that_claim() -> None:
    supports = {"a": 1.0, "b": 0.5, "c": None}
    lines = shown(
        told(WRITTEN, case_id=name, answer="It is.", verification={"verdict": "VERIFIED", "support": support})
        for name, support in supports.items()
    )
    assert "answers: 3 written; VERIFIED 3; mean support 0.750 (of 2 with claims)" in lines


def test_what_a_judge_measured_is_told_apart() -> None:
    def judged(score: float | None) -> dict[str, Any]:
        error = None if score is not None else {"kind": "malformed", "message": "no"}
        parts = {"score": score, "parts": 2, "error": error}
        judge = {"model": "j", "faithfulness": parts, "answer_relevancy": {**parts, "score": 0.5}}
        return {"verdict": "VERIFIED", "support": 1.0, "judge": judge}

    records = [
        told(WRITTEN, case_id=str(score), answer="It is.", verification=judged(score))
        for score in (0.5, 1.0, None)
    ]
    assert summarise(records)["answers"]["judge"] == {
        "answer_relevancy": {"mean": 0.5, "count": 3},
        "faithfulness": {"mean": 0.75, "count": 2},
        "without_score": {"faithfulness: malformed": 1},
    }
    assert (
        "answers by the judge: faithfulness 0.750 (of 2), answer relevancy 0.500 (of 3); "
        "no score: faithfulness: malformed 1"
    ) in shown(records)


def test_records_without_the_field_are_read() -> None:
    old = json.loads(json_line(told()))
    del old["verification"]
    assert record_from(old).verification is None
    assert "answers" not in summarise([record_from(old)])
