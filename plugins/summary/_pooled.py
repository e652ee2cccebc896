"""One mean of several."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pooled:
    """The mean over the cases of several groups.

    Attributes:
        mean: The mean.
        count: How many cases it is of, at least 1.
    """

    mean: float
    count: int


def pooled(parts: Iterable[tuple[float | None, int]]) -> Pooled | None:
    """Return the mean over all cases of some groups; None where there is no case.

    Args:
        parts: Mean and number of cases of each group; the mean of none is not read.
    """
    known = [(mean, count) for mean, count in parts if mean is not None and count]
    count = sum(count for _, count in known)
    return Pooled(sum(mean * count for mean, count in known) / count, count) if count else None
