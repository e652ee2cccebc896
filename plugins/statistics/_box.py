"""The numbers of a box plot."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from plugins.statistics._resampling import Floats

_WHISKER = 1.5
_TIE = 1e-9


@dataclass(frozen=True, slots=True)
class BoxStats:
    """A distribution as Tukey (1977) draws it.

    Attributes:
        n: How many values.
        mean: Their mean.
        q1: Lower quartile, interpolated (definition 7 of Hyndman & Fan 1996, as Matplotlib takes it).
        median: The median.
        q3: Upper quartile.
        whisker_low: The smallest value not further below ``q1`` than 1.5 · (``q3`` - ``q1``).
        whisker_high: The largest value not further above ``q3``.
        outliers: The values beyond the whiskers, each with how often it comes, the smallest first.
    """

    n: int
    mean: float
    q1: float
    median: float
    q3: float
    whisker_low: float
    whisker_high: float
    outliers: tuple[tuple[float, int], ...]

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object; ``outliers`` is a list of pairs."""
        return {**asdict(self), "outliers": [list(pair) for pair in self.outliers]}


def box_stats(values: Sequence[float] | Floats) -> BoxStats:
    """Return the numbers of a box plot.

    Args:
        values: At least one.

    Raises:
        ValueError: If there is none.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if not len(ordered):
        raise ValueError("a box plot of no values")
    q1, median, q3 = (float(each) for each in np.quantile(ordered, (0.25, 0.5, 0.75)))
    # A value on the fence is inside, however the fence was rounded.
    reach = _WHISKER * (q3 - q1) + _TIE
    inside = ordered[(ordered >= q1 - reach) & (ordered <= q3 + reach)]
    # An interpolated quartile can lie beyond the last value inside; a whisker never starts within the box.
    low, high = min(float(inside[0]), q1), max(float(inside[-1]), q3)
    beyond, often = np.unique(ordered[(ordered < low) | (ordered > high)], return_counts=True)
    outliers = tuple((float(each), int(count)) for each, count in zip(beyond, often, strict=True))
    return BoxStats(len(ordered), float(ordered.mean()), q1, median, q3, low, high, outliers)
