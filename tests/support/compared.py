"""Runs to compare: small, with scores as a test wants them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.analysis.run_scores import RunScores, read_scores
from retrocypher.plugins.analysis.summary import summary_of
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Record
from support.manifests import manifest_of
from support.records import record_of, write_run

TASKS = ("precursors", "conditions")


@cache
def _shipped() -> dict[str, list[Question]]:
    shipped: dict[str, list[Question]] = {}
    for each in load_questions().questions:
        shipped.setdefault(each.task, []).append(each)
    return shipped


def question(number: int, **changed: Any) -> Question:
    """Return one of the shipped questions, each about another molecule; every second is of the other task."""
    task = changed.pop("task", TASKS[number % 2])
    shipped, target = _shipped()[task][number], f"molecule {number}"
    asked = {"id": f"{task}-{number:03}", "target": target, "slots": {**shipped.slots, "target": target}}
    return replace(shipped, **{**asked, **changed})


def case(of: Question, f1: float | None, **fields: Any) -> Record:
    """Return the record of a case; one with an infrastructure error where ``f1`` is None."""
    labels = {"prompt": "P5", "shot": "ZS", "loop": "none", "model": "m", **fields}
    again = [
        f"{letter}{labels[name]}"
        for name, letter in (("phrasing", "w"), ("repeat", "r"))
        if labels.get(name, 1) > 1
    ]
    name = "-".join([of.id, *again, *(str(labels[part]) for part in ("prompt", "shot", "loop", "model"))])
    if f1 is None:
        fault = {"stage": "model", "kind": "timeout", "message": "no answer"}
        return record_of(name, of=of, infrastructure_error=fault, **labels)
    scores = {"f1": f1, "precision": f1, "recall": f1, "bleu": f1 / 3, "per_key": labels.pop("per_key", None)}
    return record_of(name, of=of, scores=scores, passed=f1 == 1.0, execution={"status": "ok"}, **labels)


def run_of(
    folder: Path,
    scores: Sequence[float | None],
    *,
    questions: Sequence[Question] | None = None,
    manifest: Mapping[str, Any] | None = None,
    **labels: Any,
) -> Path:
    """Write a run with one case for each F1, and return its folder; None is an infrastructure error.

    Without ``questions`` they are `question` of 0, 1 and so on.
    """
    asked = [question(number) for number in range(len(scores))] if questions is None else questions
    records = [case(each, f1, **labels) for each, f1 in zip(asked, scores, strict=True)]
    errors = sum(f1 is None for f1 in scores)
    models = [{"label": labels.get("model", "m"), "kind": "oracle", "argument": ""}]
    plain = {"cases": len(records), "exit_status": 16 if errors else 1, "models": models}
    said = manifest_of(**{**plain, **(manifest or {})})
    return whole_run(folder, records, asked, said)


def whole_run(
    folder: Path, records: Sequence[Record], questions: Sequence[Question], manifest: Mapping[str, Any]
) -> Path:
    """Write a run of which all cases were selected, with the summary of its records; return its folder."""
    summary = summary_of(records).run_summary()
    summary.selected_cases, summary.lost_cases = len(records), []
    return write_run(folder, records, questions, manifest, summary)


def scores_of(run: Path) -> RunScores:
    """Return the scores of a run."""
    return read_scores(RunLog(run))
