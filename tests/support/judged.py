"""Records with judgements, as a judge leaves them."""

import json
from pathlib import Path
from typing import Any

from retrocypher.plugins.runs.record import Record, Round
from support.records import record_of, write_run
from support.reported import MANIFEST, answered, some_questions

MODEL, CRITERIA = "judge-1", "c" * 64


def judgement(
    score: float | None, reason: str = "It is right.", kind: str = "", **fields: Any
) -> dict[str, Any]:
    """Return a judgement as it stands on a record; without a score where ``kind`` names an error."""
    return {
        "model": MODEL,
        "variant": "with_reference",
        "score": score,
        "weighted": False,
        "reason": reason if score is not None else "",
        "error": None if score is not None else {"kind": kind or "malformed", "message": "no score"},
        "tokens": None,
        "cost": None,
        "time_s": 0.0,
        "cached": False,
        "criteria": CRITERIA,
        **fields,
    }


def judged_record(
    case_id: str,
    f1: float | None,
    score: float | None,
    *,
    blind: float | None = None,
    reason: str = "It is right.",
    kind: str = "",
    **fields: Any,
) -> Record:
    """Return a record with an F1, None for an infrastructure error, and a judge's score and reason.

    ``blind`` is its score without the reference; there is no such judgement where it is None. ``kind`` says
    why there is no score.
    """
    judge = {
        "model": MODEL,
        "criteria": CRITERIA,
        "with_reference": judgement(score, reason, kind, variant="with_reference"),
        "without_reference": None if blind is None else judgement(blind, reason, variant="without_reference"),
    }
    scores = None if f1 is None else {"f1": f1, "precision": f1, "recall": f1}
    told = {"scores": scores, "passed": f1 == 1, "judge": judge, "execution": {"status": "ok"}}
    return record_of(case_id, **{**told, **fields})


def judge_answer(score: int, reason: str) -> str:
    """Return what a judge answers, as it is asked to."""
    return json.dumps({"reason": reason, "score": score})


REVERSED = "The PRODUCES arrow is reversed, so <b>nothing</b> is found."


def judged_run(folder: Path) -> Path:
    """Write a run with and without a loop, each case judged: with the reference well, without it poorly."""
    questions = some_questions()
    records = []
    for loop in ("none", "review"):
        for number, question in enumerate(questions):
            right = bool(number % 3) or loop == "review"
            record: Any = answered(question, right, loop=loop, rounds=[Round("generator", None, "", None)])
            score = 0.9 if right else 0.2
            if number == 4:
                score = 0.1
            record.judge = {
                "model": MODEL,
                "criteria": CRITERIA,
                "with_reference": judgement(score, REVERSED if score < 0.5 else "It is right."),
                "without_reference": judgement(None, kind="malformed") if number == 1 else judgement(0.7),
            }
            records.append(record)
    return write_run(folder, records, questions, {**MANIFEST, "cases": len(records)})
