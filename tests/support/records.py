"""Records and runs as tests need them: small, and with all that a real one has."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from retrocypher.kg.questions.question import Question
from retrocypher.plugins.analysis.ledger import Ledger
from retrocypher.plugins.runs.record import Record, fields_of, record_from

_DEFAULTS: Mapping[str, Any] = {
    "question_id": "precursors-001",
    "task": "precursors",
    "setting": "single_step",
    "steps": 1,
    "prompt": "P5",
    "shot": "ZS",
    "loop": "none",
    "model": "m",
    "exemplar_id": None,
    "question": "What makes it?",
    "reference_cypher": "RETURN 1",
    "rounds": [],
    "cypher": None,
    "execution": None,
    "scores": None,
    "errors": [],
    "infrastructure_error": None,
    "passed": False,
}


def record_of(case_id: str = "c", *, of: Question | None = None, **fields: Any) -> Record:
    """Return a record of a case, about a question of no question set where ``of`` names none."""
    asked = {} if of is None else {name: getattr(of, name) for name in ("task", "setting", "steps")}
    if of is not None:
        asked |= {"question_id": of.id, "question": of.text, "reference_cypher": of.reference_cypher}
    values = {**_DEFAULTS, **asked, "case_id": case_id, **fields}
    # What a test leaves out of scores or rounds has the defaults of a record.
    return record_from(json.loads(json.dumps(values, default=fields_of)))


def key_score(f1: float | None, precision: float | None = None) -> dict[str, Any]:
    """Return the scores of one key; recall is F1, and precision too unless it is given."""
    counts = {"tp": 0, "fp": 0, "fn": 0, "stage": None, "columns": {}}
    return {"precision": f1 if precision is None else precision, "recall": f1, "f1": f1, **counts}


def ledger_of(records: Iterable[Record], targets: Mapping[str, str]) -> list[Any]:
    """Return the entries of the ledger of some records."""
    ledger = Ledger(targets)
    for record in records:
        ledger.add(record)
    return ledger.entries()


def write_run(
    folder: Path,
    records: Iterable[Record | Mapping[str, Any]],
    questions: Iterable[Question] = (),
    manifest: Mapping[str, Any] | None = None,
    summary: Mapping[str, Any] | None = None,
    messages: Mapping[str, Any] | None = None,
) -> Path:
    """Write a run directory, as a run leaves it, and return its folder.

    The manifest is given without its schema version, and messages by their hash. No manifest or summary is
    written where it is None.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _write_lines(folder / "records.jsonl", records)
    _write_lines(folder / "questions.jsonl", questions)
    kept = ({"sha256": key, "messages": value} for key, value in (messages or {}).items())
    _write_lines(folder / "messages.jsonl", kept)
    if manifest is not None:
        (folder / "manifest.json").write_text(
            json.dumps({"schema_version": 1, **manifest}, default=fields_of)
        )
    if summary is not None:
        (folder / "summary.json").write_text(json.dumps(summary, default=fields_of))
    return folder


def raw_records(run: Path) -> list[dict[str, Any]]:
    """Return the records of a run as JSON objects, as their file has them."""
    return [json.loads(line) for line in (run / "records.jsonl").read_text(encoding="utf-8").splitlines()]


def _write_lines(file: Path, values: Iterable[Any]) -> None:
    file.write_text("".join(json.dumps(value, default=fields_of) + "\n" for value in values))
