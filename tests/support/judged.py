"""Judgements, and records and runs that a judge has judged, without asking one."""

from pathlib import Path
from typing import Any

from msgspec import convert, to_builtins

from retrocypher.plugins.runs.record import VARIANTS, Judgement, Record, Round, Variant
from support.records import record_of, write_run
from support.reported import MANIFEST, answered, some_questions

MODEL, CRITERIA = "j", "c" * 64
REVERSED = "The PRODUCES arrow is reversed, so <b>nothing</b> is found."


def judgement(variant: Variant = "with_reference", score: float | None = 0.5, **fields: Any) -> Judgement:
    """Return a judgement; one without a score has an error."""
    error = None if score is not None else {"kind": "malformed", "message": "no JSON"}
    values: dict[str, Any] = {
        "model": MODEL,
        "variant": variant,
        "score": score,
        "weighted": False,
        "reason": "because" if score is not None else "",
        "error": error,
        "tokens": {"prompt": 10, "completion": 2},
        "cost": None,
        "time_s": 0.5,
        "cached": False,
        "criteria": CRITERIA,
        "rating": None if score is None else score * 10,
    }
    return convert({**values, **fields}, Judgement)


def judged(*scores: float | None, **fields: Any) -> dict[str, Any]:
    """Return the ``judge`` of a record with these scores, of the variant with the reference first."""
    judgements = (
        judgement(variant, score, **fields) for variant, score in zip(VARIANTS, scores, strict=False)
    )
    return {"model": MODEL, "criteria": CRITERIA, **{each.variant: to_builtins(each) for each in judgements}}


def judged_record(case_id: str, f1: float | None, judge: dict[str, Any], **fields: Any) -> Record:
    """Return a record with an F1, None for an infrastructure error, and what a judge said of it."""
    scores = None if f1 is None else {"f1": f1, "precision": f1, "recall": f1}
    values = {"scores": scores, "passed": f1 == 1, "judge": judge, "execution": {"status": "ok"}}
    return record_of(case_id, **{**values, **fields})


def judged_run(folder: Path, judge: dict[str, Any] | None = None) -> Path:
    """Write a run with and without a loop, each case judged: with the reference well, without it poorly.

    ``judge`` is what its manifest says of the judge.
    """
    questions = some_questions()
    records = []
    for loop in ("none", "review"):
        for number, question in enumerate(questions):
            right = bool(number % 3) or loop == "review"
            score = 0.1 if number == 4 else 0.9 if right else 0.2
            said = judged(score, None if number == 1 else 0.7)
            said["with_reference"]["reason"] = REVERSED if score < 0.5 else "It is right."
            rounds = [Round("generator", None, "", None)]
            records.append(answered(question, right, loop=loop, rounds=rounds, judge=said))
    return write_run(folder, records, questions, {**MANIFEST, "cases": len(records), "judge": judge})
