"""An answer as it is kept, and as a line of an export."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

SCHEMA_VERSION = 1
_KEY = re.compile(r"[0-9a-f]{64}")
_MADE = "%Y-%m-%dT%H:%M:%S+00:00"
_FIELDS = ("key", "model", "api", "parameters", "served", "made", "text", "tokens", "time_s", "details")


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer with where it came from.

    Attributes:
        key: As `answer_key` gives.
        model: As in `Identity`.
        api: As in `Identity`.
        parameters: As in `Identity`.
        served: The model as the server named it; None where it did not.
        made: When it was answered, UTC, ISO 8601 to the second.
        text: The answer as it came.
        tokens: ``prompt`` and ``completion`` counts, where told.
        time_s: Seconds of the call.
        details: What else the model told, JSON values only.
    """

    key: str
    model: str
    api: str
    parameters: Mapping[str, Any]
    served: str | None
    made: str
    text: str
    tokens: dict[str, int] | None
    time_s: float
    details: dict[str, Any]

    @property
    def said(self) -> tuple[str, Any]:
        """What the model said, without how long it took and when."""
        return self.text, self.details.get("no_answer")

    def to_json(self) -> dict[str, Any]:
        """Return the answer as one JSON object, ``schema_version`` first."""
        return {"schema_version": SCHEMA_VERSION, **{name: getattr(self, name) for name in _FIELDS}}

    @classmethod
    def from_json(cls, value: object) -> "Kept":
        """Read what `to_json` returned.

        Raises:
            ValueError: If it is something else; the message says what, in a few words.
        """
        if not isinstance(value, dict):
            raise ValueError("no JSON object")
        if value.get("schema_version") != SCHEMA_VERSION:
            raise ValueError(f"schema_version must be {SCHEMA_VERSION}")
        lacking = [name for name in _FIELDS if name not in value]
        if lacking:
            raise ValueError(f"{lacking[0]} is missing")
        wrong = [name for name in _FIELDS if not _CHECKS[name](value[name])]
        if wrong:
            raise ValueError(f"{wrong[0]} has a value that no answer has")
        return cls(**{name: value[name] for name in _FIELDS})


def stamp(moment: datetime) -> str:
    """Return a moment, which must be UTC, as `Kept.made` has it; such texts sort as the moments do."""
    return moment.strftime(_MADE)


def _is_moment(value: object) -> bool:
    try:
        return isinstance(value, str) and stamp(datetime.strptime(value, _MADE)) == value
    except ValueError:
        return False


def _are_tokens(value: object) -> bool:
    return value is None or (
        isinstance(value, dict)
        and value.keys() == {"prompt", "completion"}
        and all(isinstance(count, int) for count in value.values())
    )


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")


_CHECKS: Mapping[str, Any] = {
    "key": lambda value: isinstance(value, str) and _KEY.fullmatch(value) is not None,
    "model": lambda value: isinstance(value, str) and bool(value),
    "api": lambda value: isinstance(value, str),
    "parameters": lambda value: isinstance(value, dict),
    "served": lambda value: value is None or isinstance(value, str),
    "made": _is_moment,
    "text": lambda value: isinstance(value, str),
    "tokens": _are_tokens,
    "time_s": _is_time,
    "details": lambda value: isinstance(value, dict),
}
