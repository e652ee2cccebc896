"""True and false positives and false negatives, and what follows from them."""

import math
from collections.abc import Hashable, Iterable, Set
from dataclasses import dataclass

from retrocypher.plugins.scoring.table import Atom

YIELD_KEY = "target_yield"
YIELD_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True)
class Counts:
    """True positives, false positives and false negatives of one or several keys."""

    tp: int = 0
    fp: int = 0
    fn: int = 0

    def __add__(self, other: "Counts") -> "Counts":
        """Pool two counts."""
        return Counts(self.tp + other.tp, self.fp + other.fp, self.fn + other.fn)

    @property
    def empty(self) -> bool:
        """Whether both sides are empty."""
        return self.tp == self.fp == self.fn == 0

    @property
    def right(self) -> bool:
        """Whether both sides are equal."""
        return self.fp == self.fn == 0

    @property
    def precision(self) -> float:
        """TP ÷ (TP + FP), in [0, 1]; 0 where nothing was returned, 1 where both sides are empty."""
        return _share(self.tp, self.tp + self.fp, self.empty)

    @property
    def recall(self) -> float:
        """TP ÷ (TP + FN), in [0, 1]; 1 where both sides are empty."""
        return _share(self.tp, self.tp + self.fn, self.empty)

    @property
    def f1(self) -> float:
        """2 TP ÷ (2 TP + FP + FN), in [0, 1]; 1 where both sides are empty."""
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn, self.empty)


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F1 of a precision and a recall, 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def compare(key: str, returned: Iterable[Atom], gold: Iterable[Atom]) -> Counts:
    """Compare two sets of values of one key; yields within 1e-6, all else by equality."""
    returned, gold = set(returned), set(gold)
    return _compare_yields(returned, gold) if key == YIELD_KEY else compare_sets(returned, gold)


def compare_sets(returned: Set[Hashable], gold: Set[Hashable]) -> Counts:
    """Compare two sets by equality."""
    both = len(returned & gold)
    return Counts(both, len(returned) - both, len(gold) - both)


def _compare_yields(returned: set[Atom], gold: set[Atom]) -> Counts:
    left, right = _yields(returned), _yields(gold)
    i = j = matched = 0
    while i < len(left[0]) and j < len(right[0]):
        difference = left[0][i] - right[0][j]
        if abs(difference) <= YIELD_TOLERANCE:
            matched, i, j = matched + 1, i + 1, j + 1
        elif difference < 0:
            i += 1
        else:
            j += 1
    matched += len(left[1] & right[1])
    return Counts(matched, len(left[0]) + len(left[1]) - matched, len(right[0]) + len(right[1]) - matched)


def _yields(values: set[Atom]) -> tuple[list[float], set[Atom]]:
    """Split into ascending yields, near-equal ones once, and values that are no number."""
    numbers, others = [], set()
    for value in values:
        number = _number(value)
        if number is None:
            others.add(value)
        else:
            numbers.append(number)
    kept: list[float] = []
    for number in sorted(numbers):
        if not kept or number - kept[-1] > YIELD_TOLERANCE:
            kept.append(number)
    return kept, others


def _number(value: Atom) -> float | None:
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _share(part: int, whole: int, empty: bool) -> float:
    if empty:
        return 1.0
    return part / whole if whole else 0.0
