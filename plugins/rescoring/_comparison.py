"""A record before and after it was scored again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plugins.rescoring._scored_again import Again
from plugins.scoring import METRICS

Values = tuple[float | None, ...]
"""The scores of a case, in the order of ``METRICS``; None where one is not defined."""


@dataclass(frozen=True, slots=True)
class Side:
    """What a record says.

    Attributes:
        values: Its scores; empty where it has none.
        labels: Its ``errors``.
        passed: Whether the case passed.
    """

    values: Values
    labels: tuple[str, ...]
    passed: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """A record before and after it was scored again.

    Attributes:
        case_id: Its case.
        before: What it said.
        after: What it says now.
        parts: What differs: ``scores``, ``errors``, ``passed``, ``fallback``, ``rounds``.
        left: How many ``result``s of its rounds could not be made again.
    """

    case_id: str
    before: Side
    after: Side
    parts: tuple[str, ...]
    left: int

    @property
    def scored(self) -> bool:
        """Whether the case has scores at all."""
        return bool(self.before.values)

    def differences(self) -> dict[str, tuple[float | None, float | None]]:
        """Return the scores that differ, before and after, by metric."""
        sides = zip(METRICS, self.before.values, self.after.values, strict=True)
        return {name: (before, after) for name, before, after in sides if before != after}


def compared(record: Mapping[str, Any], again: Again) -> Comparison:
    """Return what became of a record.

    Args:
        record: The record.
        again: The same, scored again.
    """
    now = again.record
    parts = [name for name in ("scores", "errors", "passed") if record[name] != now[name]]
    if _fallback(record) != _fallback(now):
        parts.append("fallback")
    if record["rounds"] != now["rounds"]:
        parts.append("rounds")
    before = _side(record)
    return Comparison(record["case_id"], before, _side(now) if parts else before, tuple(parts), again.left)


def _fallback(record: Mapping[str, Any]) -> Any:
    return (record["execution"] or {}).get("fallback")


def _side(record: Mapping[str, Any]) -> Side:
    scores = record["scores"]
    values = () if scores is None else tuple(scores.get(name) for name in METRICS)
    return Side(values, tuple(record["errors"]), record["passed"])
