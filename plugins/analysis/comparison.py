"""Two sides, compared question by question."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.paired_scores import Comparison, compare
from retrocypher.plugins.analysis.scores import Side, slice_name
from retrocypher.plugins.statistics.paired import MARGIN, PairedComparison, power_curve

_NAMED = 5


def still_said(rows: Iterable[PairedComparison]) -> str:
    """Say what slices in which no pair differs leave open; empty where there is none with an interval.

    Args:
        rows: The slices.
    """
    open_ = [(each.unseen, each) for each in rows if each.unseen is not None and each.difference.has_interval]
    if not open_:
        return ""
    open_.sort(key=lambda pair: -pair[0])
    shares = [f"{100 * share:.2g} % ({slice_name(each.slice)})" for share, each in open_[:_NAMED]]
    more = len(open_) - _NAMED
    also = f" and less in {more:,} more" if more > 0 else ""
    return (
        "where no pair differs the interval is the point 0, and says nothing of other questions: "
        f"of those, so many may differ all the same: {', '.join(shares)}{also}"
    )


_MOST_NAMED = 3


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
        named = ", ".join(self.questions[:_MOST_NAMED])
        more = len(self.questions) - _MOST_NAMED
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


_ON_COMMON = "Run one of them again as the other was, or compare what is common with --on-common."


@dataclass(frozen=True, slots=True)
class Compared:
    """What became of A in B, and what stands against reading it so.

    Attributes:
        a: The old side.
        b: The new side.
        comparison: The numbers.
        against: What the sides should have in common and have not; they were compared all the same.
        varied: What may differ and does.
        power: Of some true differences, the share of comparisons like this one that would show them.
    """

    a: Side
    b: Side
    comparison: Comparison
    against: tuple[Difference, ...]
    varied: dict[str, tuple[str, str]]
    power: tuple[tuple[float, float], ...]

    @property
    def left_out(self) -> tuple[str, ...]:
        """Questions that both have and that are not the same: they were not compared."""
        return tuple(sorted({name for each in self.against for name in each.questions}))

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object, those of the comparison among them."""
        return {
            "schema_version": 1,
            "a": _of_side(self.a),
            "b": _of_side(self.b),
            "on_common": bool(self.against),
            "against": [each.to_json() for each in self.against],
            "left_out": list(self.left_out),
            "varied": {name: list(pair) for name, pair in self.varied.items()},
            **self.comparison.to_json(),
            "power": [{"difference": size, "found": share} for size, share in self.power],
        }


def compare_sides(
    a: Side,
    b: Side,
    metric: str = "f1",
    by: Sequence[Sequence[str]] = (("task",),),
    *,
    margin: float = MARGIN,
    on_common: bool = False,
    remedy: str = _ON_COMMON,
) -> Compared:
    """Compare two sides.

    Args:
        a: The old side.
        b: The new side.
        metric: One of `MEASURES`.
        by: Slicings, each by some of the dimensions.
        margin: What is too small to matter.
        on_common: Whether to compare sides that were not measured alike, on the questions that are the same.
        remedy: What the user of sides that were not measured alike is told to do.

    Raises:
        InputError: If they were not measured alike, have nothing in common, or cannot be paired.
    """
    against = differences(a, b, metric)
    if not on_common:
        require_comparable(a, b, against, remedy)
    for side in (a, b):
        _require_scores(side)
    other = {name for each in against for name in each.questions}
    left_out = [name for name in {*a.asked, *b.asked} if name in other or name.rpartition("-w")[0] in other]
    try:
        found = compare(a.table(left_out), b.table(left_out), metric, by, margin=margin)
    except InputError as error:
        raise InputError(f"{a.name} and {b.name}: {error}") from error
    overall = found.overall
    curve = power_curve(overall.detectable, overall.difference.clusters)
    return Compared(a, b, found, tuple(against), varied(a, b), curve)


def _require_scores(side: Side) -> None:
    """Refuse a side without a single score: no word of pairs would say why there is none."""
    if any(each["scores"] is not None for each in side.records):
        return
    if not side.records:
        raise InputError(f"{side.name} has no case on record; run some first")
    kinds = ", ".join(f"{often:,} {kind}" for kind, often in side.faults.items())
    raise InputError(
        f"{side.name} has no scores: {_all(len(side.records))} an infrastructure error ({kinds}). Mend what "
        "they are about (`retrocypher show` prints a case in full), and give the same command again: it goes "
        "on with the run"
    )


def _all(cases: int) -> str:
    return "its only case has" if cases == 1 else f"all {cases:,} cases have"


def _of_side(side: Side) -> dict[str, Any]:
    return {
        "name": side.name,
        "cases": len(side.records),
        "infrastructure_errors": side.errors,
        "incomplete": side.incomplete,
        "part": side.part,
        "models": list(side.models),
    }
