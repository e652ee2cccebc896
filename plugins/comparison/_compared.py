"""Two sides, compared question by question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kg.errors import InputError
from plugins.comparison._differences import Difference, differences, require_comparable, varied
from plugins.comparison._side import Side
from plugins.statistics import MARGIN, Comparison, compare, power_curve

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
