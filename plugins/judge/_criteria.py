"""What a judge is told to judge by: ``criteria.yaml``."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from kg.errors import InputError
from plugins.judge._case import VARIANTS, Variant

_FILE = Path(__file__).with_name("criteria.yaml")
_SHOWN = "plugins/judge/criteria.yaml"
_FIELDS = ("name", "criteria", "steps", "rubric", "row_length", "reason_length", "prompt")
_SLOTS = ("{steps}", "{rubric}", "{low}", "{high}", "{case}")
_SCALE = (0, 10)
_GRADE = {"from": int, "to": int, "meaning": str}


@dataclass(frozen=True, slots=True)
class Grade:
    """What a range of scores means.

    Attributes:
        low: Its first score.
        high: Its last score.
        meaning: What they mean.
    """

    low: int
    high: int
    meaning: str


@dataclass(frozen=True, slots=True)
class Criteria:
    """What a judge is told; fields as the comments of ``criteria.yaml`` explain them.

    Attributes:
        rows: How many rows of a query's result are shown at most; 0 for none.
        sha256: Hash of the file and of ``rows``: what tells judges that are told different things apart.
    """

    name: str
    criteria: str
    steps: Mapping[Variant, tuple[str, ...]]
    rubric: tuple[Grade, ...]
    rows: int
    row_length: int
    reason_length: int
    prompt: str
    sha256: str

    @property
    def scale(self) -> tuple[int, int]:
        """The lowest and the highest score."""
        return self.rubric[0].low, self.rubric[-1].high


@cache
def load_criteria(rows: int = 0) -> Criteria:
    """Return the criteria of ``criteria.yaml``.

    Args:
        rows: How many rows of a query's result the judge is shown at most; 0 for none.

    Raises:
        InputError: The file cannot be read, or does not have the form that its comments describe.
    """
    try:
        return parse_criteria(_FILE.read_text(encoding="utf-8"), rows)
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
