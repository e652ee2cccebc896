"""What is shown of a case, read from its run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kg.errors import InputError
from kg.labels import LABELS, name_of
from kg.questions import Question, phrase
from kg.schema import parse_schema
from plugins.records import Record, read_manifest, read_messages, read_questions
from plugins.scoring import key_encoder_named
from plugins.session import Told, retold_of
from plugins.showing._calibration import calibrations_told
from prompts.exemplars import Exemplar, load_bank


@dataclass(frozen=True, slots=True)
class ShownCase:
    """A case with all that is told of it.

    Attributes:
        run: The run directory.
        record: Its record.
        question: Its question in the wording asked; None where the run has it no more.
        exemplar: The exemplar shown; None with zero-shot, or where no bank has it.
        difference: What the answer lacks (``-``) and has too much (``+``), a line each.
        why: What else there is to say of a failed case, by what it is about.
        messages: What models were asked, by hash; only where asked for.
        calibrations: What the calibration on file says of its judge, by variant; empty without a judge.
    """

    run: Path
    record: Record
    question: Question | None
    exemplar: Exemplar | None
    difference: tuple[str, ...] = ()
    why: Mapping[str, str] = field(default_factory=dict)
    messages: Mapping[str, Any] | None = None
    calibrations: Mapping[str, str] = field(default_factory=dict)

    @property
    def labels(self) -> list[dict[str, str]]:
        """Its error labels with what they mean, the primary one first."""
        known = [(label, LABELS.get(name_of(label))) for label in self.record.errors]
        return [{"label": label, "meaning": each.meaning if each else ""} for label, each in known]

    def to_json(self) -> dict[str, Any]:
        """Return the case as one JSON object."""
        return {
            "run": str(self.run),
            "case_id": self.record.case_id,
            "record": self.record.to_json(),
            "question": self.question.to_json() if self.question else None,
            "exemplar": {
                "id": self.exemplar.id,
                "question": self.exemplar.question,
                "cypher": self.exemplar.cypher,
            }
            if self.exemplar
            else None,
            "labels": self.labels,
            "difference": list(self.difference),
            "why": dict(self.why),
            "calibrations": dict(self.calibrations),
            "messages": None if self.messages is None else dict(self.messages),
        }


def show_case(run: Path, found: Mapping[str, Any], *, with_messages: bool = False) -> ShownCase:
    """Return what is shown of a case; neither model nor graph is asked.

    Args:
        run: The run directory.
        found: The case's record.
        with_messages: Whether to read what models were asked.

    Raises:
        InputError: If the record or another file of the run cannot be read.
        GraphError: The tables of Cypher's grammar cannot be had.
    """
    try:
        record = Record.from_json(found)
    except ValueError as error:
        raise InputError(f"{run}: {found.get('case_id')}: {error}") from error
    asked = read_questions(run).get(record.question_id)
    question = None if asked is None else phrase(asked, record.phrasing)
    manifest = read_manifest(run)
    told = None if question is None else _told(record, question, manifest)
    used = {turn.messages_sha256 for turn in record.rounds}
    messages = read_messages(run) if with_messages else None
    return ShownCase(
        run=run,
        record=record,
        question=question,
        exemplar=_exemplar(record),
        difference=tuple(told.difference.splitlines()) if told else (),
        why=told.why if told else {},
        calibrations=calibrations_told(record, manifest, Path.cwd()),
        messages=None if messages is None else {key: messages[key] for key in messages if key in used},
    )


def _told(record: Record, question: Question, manifest: Mapping[str, Any]) -> Told:
    schema = manifest.get("graph", {}).get("schema")
    encoder = manifest.get("options", {}).get("key_encoder")
    key_encoder = key_encoder_named(encoder).matcher() if encoder else None
    return retold_of(record, question, parse_schema(schema) if schema else None, key_encoder)


def _exemplar(record: Record) -> Exemplar | None:
    banks = (load_bank("single_step"), load_bank("multi_step"))
    return next((each for bank in banks for each in bank if each.id == record.exemplar_id), None)
