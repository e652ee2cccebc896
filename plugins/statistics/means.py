"""Means of scores with intervals, and the numbers of a box plot."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from retrocypher.plugins.statistics.intervals import (
    FEWEST,
    LEVEL,
    NO_ESTIMATE,
    Clusters,
    Estimate,
    Floats,
    Names,
    Resampler,
    expanded_bca,
)


def mean_of(
    values: Sequence[float] | Floats, clusters: Names, resampler: Resampler | None = None
) -> Estimate:
    """Return the mean of scores, each from 0 to 1, with its interval.

    Whole clusters are resampled (Field & Welsh 2007), and the interval is the expanded BCa one; where all
    scores are equal, `certain_share` gives it.
    """
    (estimate,) = means_of(np.asarray(values, dtype=np.float64)[:, None], clusters, resampler)
    return estimate


def means_of(table: Floats, clusters: Names, resampler: Resampler | None = None) -> list[Estimate]:
    """Return `mean_of` for several scores of the same cases.

    Args:
        table: Scores from 0 to 1, of shape (cases, columns).
    """
    cases, columns = table.shape
    if not cases:
        return [NO_ESTIMATE] * columns
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
    """Return means and their intervals for several scores of the same cases at once.

    Args:
        table: Scores from 0 to 1, of shape (cases, columns), at least one case.

    Returns:
        Three arrays of shape (columns,); the last two are None with fewer than `FEWEST` clusters.
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
    """Return the smallest share of all molecules that is consistent with all of a sample agreeing.

    This is the lower bound of Clopper and Pearson (1934) for m hits in m trials, (0.05 / 2) ** (1 / m). It
    gives an interval where all scores of a sample are c, so that resampling cannot: the mean over all
    molecules is between c · share and 1 - share · (1 - c).

    Args:
        clusters: Molecules in the sample, at least one.
    """
    return float(((1 - LEVEL) / 2) ** (1 / clusters))


_WHISKER = 1.5
_TIE = 1e-9


class BoxStats(Struct, frozen=True):
    """The box plot of a distribution (Tukey 1977)."""

    n: int
    """Number of values."""
    mean: float
    """Their mean."""
    q1: float
    """Lower quartile, interpolated (definition 7 of Hyndman & Fan 1996, as in Matplotlib)."""
    median: float
    """The median."""
    q3: float
    """Upper quartile."""
    whisker_low: float
    """The smallest value within 1.5 · (``q3`` - ``q1``) of ``q1``."""
    whisker_high: float
    """The largest value within that distance of ``q3``."""
    outliers: tuple[tuple[float, int], ...]
    """The values beyond the whiskers, each with its count, in ascending order."""


def box_stats(values: Sequence[float] | Floats) -> BoxStats:
    """Return the numbers of a box plot.

    Raises:
        ValueError: If there is no value.
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
