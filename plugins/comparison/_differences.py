"""Whether two sides can be compared, and what speaks against it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kg.errors import InputError
from plugins.comparison._side import Side

_NAMED = 3


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that two sides must have in common and have not.

    Attributes:
        what: Such as ``graph fingerprint``.
        a: What it is in A.
        b: What it is in B.
        questions: The questions it is about; empty where it is about all.
    """

    what: str
    a: str
    b: str
    questions: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return {"what": self.what, "a": self.a, "b": self.b, "questions": list(self.questions)}

    def __str__(self) -> str:
        if not self.questions:
            return f"{self.what}: {_short(self.a)} and {_short(self.b)}"
        named = ", ".join(self.questions[:_NAMED])
        more = len(self.questions) - _NAMED
        also = f" and {more:,} more" if more > 0 else ""
        return f"{self.what} of {named}{also} ({len(self.questions):,} in all)"


def differences(a: Side, b: Side, metric: str = "f1") -> list[Difference]:
    """Return what two sides must have in common and have not.

    Args:
        a: One side.
        b: The other.
        metric: What is to be compared: the share of passed cases hangs on the threshold, too.
    """
    first, second = dict(a.conditions.fixed), dict(b.conditions.fixed)
    if metric == "passed":
        first["--case-threshold"] = a.conditions.threshold
        second["--case-threshold"] = b.conditions.threshold
    found = [Difference(name, value, second[name]) for name, value in first.items() if value != second[name]]
    found += _of_questions("text", a.asked, b.asked)
    found += _of_questions("gold answer or reference query", a.golds, b.golds)
    return found


def require_comparable(a: Side, b: Side, found: list[Difference], remedy: str) -> None:
    """Refuse two sides that differ in what they must have in common.

    Args:
        a: One side.
        b: The other.
        found: What `differences` returned.
        remedy: What the user can do.

    Raises:
        InputError: If there is any difference.
    """
    if found:
        listed = "; ".join(map(str, found))
        raise InputError(
            f"{a.name} and {b.name} were not measured alike, so their scores are not comparable. "
            f"They differ in {listed}. {remedy}"
        )


def varied(a: Side, b: Side) -> dict[str, tuple[str, str]]:
    """Return what may differ and does: what the comparison is about. Empty where a side does not say."""
    first, second = a.conditions.varied, b.conditions.varied
    names = dict.fromkeys((*first, *second))
    both = {name: (first.get(name, ""), second.get(name, "")) for name in names}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


def _of_questions(what: str, a: Mapping[str, str], b: Mapping[str, str]) -> list[Difference]:
    other = tuple(sorted(name for name in a.keys() & b.keys() if a[name] != b[name]))
    return [Difference(what, "", "", other)] if other else []


def _short(value: str) -> str:
    long_hash = len(value) == 64 and value.isalnum()
    return value[:12] if long_hash else value
