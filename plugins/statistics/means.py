"""Means of scores, with intervals by a bootstrap over target molecules."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from retrocypher.plugins.statistics.intervals import (
    FEWEST,
    LEVEL,
    Clusters,
    Estimate,
    Floats,
    Resampler,
    expanded_bca,
)


def mean_of(
    values: Sequence[float] | Floats,
    clusters: Sequence[str] | npt.NDArray[np.intp],
    resampler: Resampler | None = None,
) -> Estimate:
    """Return the mean of scores, each from 0 to 1, with its interval.

    Clusters are resampled whole (Field & Welsh 2007), the interval is an expanded BCa one; where all scores
    are equal it is `certain_share`'s.

    Args:
        values: One score a case.
        clusters: The target molecule of each case.
        resampler: Draws the resamples; one with the default seed where there is none.
    """
    (estimate,) = means_of(np.asarray(values, dtype=np.float64)[:, None], clusters, resampler)
    return estimate


def means_of(
    table: Floats, clusters: Sequence[str] | npt.NDArray[np.intp], resampler: Resampler | None = None
) -> list[Estimate]:
    """Return what `mean_of` does, for several scores of the same cases.

    Args:
        table: Scores from 0 to 1, of shape (cases, columns).
        clusters: The target molecule of each case.
        resampler: As for `mean_of`.
    """
    cases, columns = table.shape
    if not cases:
        return [Estimate(None, None, None, 0, 0)] * columns
    of = Clusters(clusters)
    means, low, high = mean_intervals(table, of, resampler)
    if low is None or high is None:
        return [Estimate(float(mean), None, None, cases, of.count) for mean in means]
    return [
        Estimate(float(mean), float(least), float(most), cases, of.count)
        for mean, least, most in zip(means, low, high, strict=True)
    ]


def mean_intervals(
    table: Floats, clusters: Clusters, resampler: Resampler | None = None
) -> tuple[Floats, Floats | None, Floats | None]:
    """Return means and ends of their intervals, of several scores of the same cases at once.

    Args:
        table: Scores from 0 to 1, of shape (cases, columns), at least one case.
        clusters: The clusters of the cases.
        resampler: As for `mean_of`.

    Returns:
        Three arrays of shape (columns,); the last two are None of fewer than `FEWEST` clusters.
    """
    sums, counts = clusters.sums(table), clusters.sums(np.ones(len(table)))[:, None]
    means = sums.sum(axis=0) / counts.sum()
    flat = table.min(axis=0) == table.max(axis=0)
    means = np.where(flat, table[0], means)
    if clusters.count < FEWEST:
        return means, None, None
    resampler = resampler or Resampler()
    resampled = resampler.totals(sums) / resampler.totals(counts)
    left_one_out = (sums.sum(axis=0) - sums) / (counts.sum() - counts)
    low, high = expanded_bca(means, resampled, left_one_out, clusters.count)
    share = certain_share(clusters.count)
    return means, np.where(flat, means * share, low), np.where(flat, 1 - share * (1 - means), high)


def certain_share(clusters: int) -> float:
    """Return the smallest share of a score, of all molecules, that would show on all of some.

    That is the lower end of Clopper and Pearson (1934) for m hits in m trials, (0.05 / 2) ** (1 / m). Where
    all scores are c, and c is at least that share of all, their mean is from c · share to
    1 - share · (1 - c): a resample, which can hold nothing else than c, knows nothing of the rest.

    Args:
        clusters: How many molecules were asked about, at least one.
    """
    return float(((1 - LEVEL) / 2) ** (1 / clusters))


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
