"""The criteria by which a judge rates, from ``criteria.yaml``."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from msgspec import UNSET

from retrocypher.kg.errors import InputError
from retrocypher.plugins.runs.manifest import JudgeEntry, ModelEntry
from retrocypher.plugins.runs.record import (
    JUDGE_STAGE,
    VARIANTS,
    InfrastructureError,
    Judgement,
    Record,
    Variant,
)
from retrocypher.prompts.models.open import file_of, text_model
from retrocypher.prompts.models.openai_client import api_address
from retrocypher.prompts.models.sides import as_set, environment_of
from retrocypher.prompts.models.spec import ModelSpec

_FILE = Path(__file__).with_name("criteria.yaml")
_TABLE_FILE = Path(__file__).with_name("criteria-table.yaml")
_SHOWN = "plugins/judge/criteria.yaml"
_FIELDS = ("name", "criteria", "steps", "rubric", "row_length", "reason_length", "prompt")
_SLOTS = ("{steps}", "{rubric}", "{low}", "{high}", "{case}")
_SCALE = (0, 10)
_GRADE = {"from": int, "to": int, "meaning": str}


@dataclass(frozen=True, slots=True)
class Grade:
    """What a range of scores means."""

    low: int
    high: int
    meaning: str


@dataclass(frozen=True, slots=True)
class Criteria:
    """The criteria that a judge receives; the comments of ``criteria.yaml`` explain the fields."""

    name: str
    criteria: str
    steps: Mapping[Variant, tuple[str, ...]]
    rubric: tuple[Grade, ...]
    rows: int
    """How many rows of a query's result are shown at most; 0 for none."""
    row_length: int
    reason_length: int
    prompt: str
    sha256: str
    """Hash of the file and of ``rows``. It distinguishes judges with different criteria."""

    @property
    def scale(self) -> tuple[int, int]:
        """The lowest and the highest score."""
        return self.rubric[0].low, self.rubric[-1].high


@cache
def load_criteria(rows: int = 0, *, of_tables: bool = False) -> Criteria:
    """Return the criteria, with at most ``rows`` rows shown; raise InputError if the file is damaged.

    Table questions of a suite have criteria of their own, without chemistry.
    """
    try:
        return parse_criteria((_TABLE_FILE if of_tables else _FILE).read_text(encoding="utf-8"), rows)
    except (OSError, UnicodeError) as error:
        raise InputError(f"{_SHOWN} cannot be read ({error}). Restore it from the repository.") from error


def parse_criteria(text: str, rows: int = 0) -> Criteria:
    """Return the criteria of a YAML text; raises as `load_criteria`."""
    try:
        body = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(
            f"{_SHOWN} is not YAML ({' '.join(str(error).split())}). Correct it there."
        ) from error
    if not isinstance(body, dict) or body.keys() != set(_FIELDS):
        raise InputError(f"{_SHOWN} must hold {', '.join(_FIELDS)}, and nothing else.")
    for name in ("name", "criteria", "prompt"):
        _require(isinstance(body[name], str) and body[name].strip(), f"`{name}` must be a text")
    for name in ("row_length", "reason_length"):
        length = body[name]
        _require(type(length) is int and length > 0, f"`{name}` must be a whole number of at least 1")
    missing = [slot for slot in _SLOTS if slot not in body["prompt"]]
    _require(not missing, f"`prompt` lacks {', '.join(missing)}")
    return Criteria(
        name=body["name"].strip(),
        criteria=body["criteria"].strip(),
        steps=_steps(body["steps"]),
        rubric=_rubric(body["rubric"]),
        rows=rows,
        row_length=body["row_length"],
        reason_length=body["reason_length"],
        prompt=body["prompt"],
        sha256=hashlib.sha256(f"{text}\0{rows}".encode()).hexdigest(),
    )


def _steps(value: Any) -> dict[Variant, tuple[str, ...]]:
    _require(isinstance(value, dict) and value.keys() == set(VARIANTS), f"`steps` must hold {VARIANTS}")
    for variant in VARIANTS:
        steps = value[variant]
        texts = isinstance(steps, list) and steps and all(isinstance(each, str) and each for each in steps)
        _require(texts, f"`steps: {variant}` must be a list of texts")
    return {variant: tuple(value[variant]) for variant in VARIANTS}


def _rubric(value: Any) -> tuple[Grade, ...]:
    entries = value if isinstance(value, list) else []
    fit = all(
        isinstance(each, dict) and {name: type(value) for name, value in each.items()} == _GRADE
        for each in entries
    )
    _require(entries and fit, "`rubric` must be a list of `from`, `to` and `meaning`")
    grades = tuple(Grade(each["from"], each["to"], each["meaning"]) for each in entries)
    covered = [score for grade in grades for score in range(grade.low, grade.high + 1)]
    whole = covered == list(range(_SCALE[0], _SCALE[1] + 1))
    _require(whole, f"`rubric` must go from {_SCALE[0]} to {_SCALE[1]} in order and without gaps")
    return grades


def _require(holds: object, wanted: str) -> None:
    if not holds:
        raise InputError(f"{_SHOWN}: {wanted}.")


@dataclass(frozen=True, slots=True)
class JudgeCase:
    """A query to be judged."""

    case_id: str
    question: str
    schema: str
    cypher: str | None
    """The query; None if the completion contained none."""
    reference: str
    """The reference query; the variant without it is not shown it."""
    columns: Sequence[str] | None = None
    """Columns of its result; None if rows are not shown."""
    rows: Sequence[Any] | None = None
    """Rows of its result in the JSON form of records, each a list; None if rows are not shown."""


def answer_form(criteria: Criteria) -> dict[str, Any]:
    """Return the JSON schema of an answer: a reason, and then a score of the scale."""
    low, high = criteria.scale
    return {
        "type": "object",
        "properties": {
            "reason": {"type": "string", "minLength": 1, "maxLength": criteria.reason_length},
            "score": {"type": "integer", "minimum": low, "maximum": high},
        },
        "required": ["reason", "score"],
        "additionalProperties": False,
    }


def case_to_judge(record: Record, schema: str, criteria: Criteria) -> JudgeCase | None:
    """Return what is to be judged of a case; None if it was not run."""
    if not record.was_run:
        return None
    execution = record.execution
    shown = execution if execution is not None and criteria.rows > 0 and execution.status == "ok" else None
    return JudgeCase(
        case_id=record.case_id,
        question=record.question,
        schema=schema,
        cypher=record.cypher,
        reference=record.reference_cypher,
        columns=shown.columns if shown else None,
        rows=shown.rows if shown else None,
    )


def fault_of(judgements: Mapping[Variant, Judgement]) -> InfrastructureError | None:
    """Return the ``infrastructure_error`` of a case whose judge could not be asked; None if it could.

    A reply without a score is not such an error: asked again, the judge would say the same.
    """
    faults = [each.error for each in judgements.values() if each.is_fault and each.error is not None]
    return InfrastructureError(JUDGE_STAGE, faults[0].kind, faults[0].message) if faults else None


def judge_spec(text: str, environment: Mapping[str, str] = os.environ) -> ModelSpec:
    """Read and check ``--judge SPEC`` or ``LABEL=SPEC``; raise InputError if that model cannot judge."""
    if not text.strip():
        raise InputError(
            "--judge names no model; choose gguf:PATH, local, or a model behind an OpenAI-compatible API"
        )
    try:
        return text_model(text, "--judge", environment_of("judge", environment))
    except InputError as error:
        raise InputError(as_set(str(error), "judge", environment)) from None


def judge_facts(
    spec: ModelSpec,
    criteria: Criteria,
    contents: Mapping[str, str],
    environment: Mapping[str, str] = os.environ,
) -> JudgeEntry:
    """Return what tells one judge from another; ``contents`` are hashes of model files by path."""
    return JudgeEntry(
        model=model_entry(spec, contents),
        api=api_address([spec], environment=environment_of("judge", environment)),
        criteria=criteria.sha256,
        name=criteria.name,
        scale=list(criteria.scale),
        rows=criteria.rows,
    )


def model_entry(spec: ModelSpec, contents: Mapping[str, str]) -> ModelEntry:
    """Return a model as manifests hold it; ``contents`` is as in `judge_facts`."""
    file = file_of(spec)
    return ModelEntry(spec.label, spec.kind, spec.argument, UNSET if file is None else contents[str(file)])
