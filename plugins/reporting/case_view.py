"""What is shown of a case, read from its run."""

import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import LABELS, name_of
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.sampling import phrase
from retrocypher.kg.semantics.schema import parse_schema
from retrocypher.plugins.judge.judgement import VARIANTS
from retrocypher.plugins.runs.log import (
    locate_cases,
    read_case_at,
    read_manifest,
    read_messages,
    read_questions,
)
from retrocypher.plugins.runs.record import Record
from retrocypher.plugins.scoring.columns import key_encoder_named
from retrocypher.plugins.scoring.explanation import Told, retold_of
from retrocypher.prompts.templates.exemplars import Exemplar, load_bank

_LISTED = 10
_NEAR = 5


def find_case(run: Path, name: str) -> dict[str, Any]:
    """Return the record of a case.

    Args:
        run: The run directory.
        name: The case's id, its beginning, or any part of it; upper and lower case do not matter. Where it
            is the beginning of one id, that one is meant, whatever other ids it is a part of.

    Raises:
        InputError: If the folder is not a run, or no case or several have the name; says which are near.
    """
    places: dict[str, tuple[int, int]] = {}
    for number, offset, case in locate_cases(run):
        if case == name:
            return read_case_at(run, number, offset)
        places[case] = number, offset
    for found, do in ((_beginning(name, places), "begin with"), (_holding(name, places), "contain")):
        if len(found) == 1:
            return read_case_at(run, *places[found[0]])
        if found:
            raise InputError(f"{run}: {len(found):,} cases {do} {name!r}: {_listed(found)}. Name one.")
    near = difflib.get_close_matches(name, places, _NEAR, cutoff=0.4)
    choice = f"Near are {_listed(near)}" if near else f"It has {_listed(list(places)) or 'none'}"
    raise InputError(f"{run}: no case is called {name!r}. {choice}.")


def _beginning(name: str, ids: Collection[str]) -> list[str]:
    return [each for each in ids if each.lower().startswith(name.lower())]


def _holding(name: str, ids: Collection[str]) -> list[str]:
    return [each for each in ids if name.lower() in each.lower()]


def _listed(ids: list[str]) -> str:
    more = len(ids) - _LISTED
    return ", ".join(ids[:_LISTED]) + (f" and {more:,} more" if more > 0 else "")


def calibrations_told(record: Record, manifest: Mapping[str, Any], root: Path) -> dict[str, str]:
    """Return what the calibration on file says of the judge, by variant; nothing of a case without one.

    Args:
        record: The case.
        manifest: The manifest of its run.
        root: The project's folder, which ``reports/calibrations`` is below.
    """
    facts = manifest.get("judge")
    if not record.judge or not facts:
        return {}
    # What it needs takes its time, which a case without a judge need not.
    from retrocypher.plugins.judge.stored_calibration import Filed, filed, newest_of
    from retrocypher.plugins.reporting.judge_tables import estimate_text

    def told(each: Filed, variant: str) -> str:
        rates = each.rates[variant]
        accepts, rejects = estimate_text(rates.false_accepts), estimate_text(rates.false_rejects)
        return f"kappa {estimate_text(each.kappa[variant])}, false accepts {accepts}, false rejects {rejects}"

    try:
        known = filed(root)
    except InputError as error:
        return dict.fromkeys(VARIANTS, f"the calibrations cannot be read ({error})")
    found = {variant: newest_of(known, facts, variant) for variant in VARIANTS}
    return {
        variant: "none is on file" if each is None else told(each, variant) for variant, each in found.items()
    }


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
