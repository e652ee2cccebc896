"""What a run is of: two runs with one key have the same records."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_LONGEST = 40


@dataclass(frozen=True, slots=True)
class RunKey:
    """What decides the records of a run.

    Attributes:
        parts: Each thing that does, by its name, as plain values.
    """

    parts: Mapping[str, Any]

    @property
    def sha256(self) -> str:
        """The key: hash of the parts as canonical JSON."""
        return hashlib.sha256(_canonical(self.parts).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """Return key and parts for the manifest."""
        return {"sha256": self.sha256, "parts": dict(self.parts)}


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return which parts of two keys differ, with what they say where that is short.

    Args:
        before: Parts of the key of a run that is there.
        now: Parts of the key of the run that is asked for.
    """
    names = [name for name in {**before, **now} if _canonical(before.get(name)) != _canonical(now.get(name))]
    return [_difference(name, before.get(name), now.get(name)) for name in names]


def _difference(name: str, before: Any, now: Any) -> str:
    shown = [_canonical(value) for value in (before, now)]
    told = all(len(text) <= _LONGEST for text in shown)
    return f"{name} ({shown[0]} there, {shown[1]} here)" if told else name


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
