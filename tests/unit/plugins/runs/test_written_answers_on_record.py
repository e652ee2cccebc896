"""What a record tells of a written answer, and what it lacks."""

from typing import Any

from support.consoles import printed
from support.records import record_of

from retrocypher.plugins.analysis.summary import summarise, summary_of
from retrocypher.plugins.reporting.run_tables import render_table
from retrocypher.plugins.runs.record import InfrastructureError, Record, Round
from retrocypher.prompts.answering.writing import CLAIMS_ROLE, TEXT_ROLE

FAULT = {"stage": "model", "kind": "timeout", "message": "too long"}


def turn(role: str, verdict: str, *findings: Any) -> Round:
    return Round(role, "h", "", None, verdict, list(findings))


def told(*rounds: Round, **fields: Any) -> Record:
    return record_of(rounds=list(rounds), scores={"f1": 1.0}, passed=True, **fields)


WRITTEN = turn(TEXT_ROLE, "written", {"context": {}})


def test_a_fault_is_found_wherever_it_happened() -> None:
    assert not turn("text", "").of_answer
    assert told(WRITTEN).answer_fault is None
    late = told(WRITTEN, turn(CLAIMS_ROLE, "error", {"error": FAULT}))
    assert late.answer_fault == InfrastructureError(**FAULT)
    assert not late.is_whole
    assert told(turn("corrector", "error")).is_whole
    assert not told(infrastructure_error=FAULT).is_whole


def shown(*verifications: dict[str, Any]) -> tuple[dict[str, Any], str]:
    """Return the summary of answers with these verifications, and how it is shown."""
    records = [
        told(WRITTEN, case_id=str(number), answer="It is.", verification=each)
        for number, each in enumerate(verifications)
    ]
    return summarise(records), printed(render_table(summary_of(records)), width=200)


def verified(support: float | None = 1.0, **more: Any) -> dict[str, Any]:
    return {"verdict": "VERIFIED", "support": support, **more}


def test_answers_are_counted_beside_the_scores() -> None:
    records = [
        told(WRITTEN, case_id="a", answer="It is.", verification=verified()),
        told(turn(TEXT_ROLE, "insufficient"), case_id="b", answer="Insufficient information."),
        told(turn(TEXT_ROLE, "error", {"error": FAULT}), case_id="c"),
        told(case_id="d"),
    ]
    summary = summarise(records)
    assert summary["means"]["f1"] == 1.0
    assert summary["infrastructure_errors"] == 0
    assert summary["answers"] == {
        **{"cases": 3, "written": 1, "insufficient": 1, "empty": 0, "failed": 1},
        **{"verdicts": {"VERIFIED": 1}, "support": 1.0, "claiming": 1},
    }
    assert "answers" not in summarise([told()])


def test_support_is_the_mean_over_the_answers_that_claim() -> None:
    _, text = shown(verified(1.0), verified(0.5), verified(None))
    assert "answers: 3 written; VERIFIED 3; mean support 0.750 (of 2 with claims)" in text


def test_what_a_judge_measured_is_shown_apart() -> None:
    def judged(score: float | None) -> dict[str, Any]:
        error = None if score is not None else {"kind": "malformed", "message": "no"}
        parts = {"score": score, "parts": 2, "error": error}
        return verified(
            judge={"model": "j", "faithfulness": parts, "answer_relevancy": {**parts, "score": 0.5}}
        )

    summary, text = shown(judged(0.5), judged(1.0), judged(None))
    assert summary["answers"]["judge"] == {
        "answer_relevancy": {"mean": 0.5, "count": 3},
        "faithfulness": {"mean": 0.75, "count": 2},
        "without_score": {"faithfulness: malformed": 1},
    }
    assert (
        "answers by the judge: faithfulness 0.750 (of 2), answer relevancy 0.500 (of 3); "
        "no score: faithfulness: malformed 1"
    ) in text
