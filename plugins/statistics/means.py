"""Means of scores, ratios of sums over cases, and the numbers of a box plot, with intervals."""

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from retrocypher.plugins.statistics.bounded import BoundedMeans
from retrocypher.plugins.statistics.intervals import (
    FEWEST,
    LEVEL,
    NO_ESTIMATE,
    Clusters,
    Estimate,
    Floats,
    Names,
    Resampler,
)


def mean_of(values: Sequence[float] | Floats, clusters: Names) -> Estimate:
    """Return the mean of scores, each from 0 to 1, with the interval of `BoundedMeans`."""
    (estimate,) = means_of(np.asarray(values, dtype=np.float64)[:, None], clusters)
    return estimate


def means_of(table: Floats, clusters: Names) -> list[Estimate]:
    """Return `mean_of` for several scores of the same cases, of shape (cases, columns)."""
    cases, columns = table.shape
    if not cases:
        return [NO_ESTIMATE] * columns
    of = Clusters(clusters)
    means, low, high = mean_intervals(table, of)
    if low is None or high is None:
        return [Estimate(float(mean), None, None, cases, of.count) for mean in means]
    return [
        Estimate(float(mean), float(least), float(most), cases, of.count)
        for mean, least, most in zip(means, low, high, strict=True)
    ]


def mean_intervals(table: Floats, clusters: Clusters) -> tuple[Floats, Floats | None, Floats | None]:
    """Return means and the ends of their intervals for several scores of the same cases at once.

    Args:
        table: Scores from 0 to 1, of shape (cases, columns), at least one case.

    Returns:
        Three arrays of shape (columns,); the last two are None with fewer than `FEWEST` clusters.
    """
    sums, counts = clusters.sums(table), clusters.sums(np.ones(len(table)))
    means = sums.sum(axis=0) / counts.sum()
    # The mean of equal scores is that score, to the last digit.
    means = np.where(table.min(axis=0) == table.max(axis=0), table[0], means)
    if clusters.count < FEWEST:
        return means, None, None
    low, high = BoundedMeans(sums, counts, 0, 1).ends()
    return means, np.minimum(low, means), np.maximum(high, means)


def certain_share(clusters: float) -> float:
    """Return the lower bound of Clopper and Pearson (1934) for m hits in m trials: (0.05 / 2) ** (1 / m).

    There must be at least one (effective) cluster.
    """
    return float(((1 - LEVEL) / 2) ** (1 / clusters))


TIE = 1e-9
"""Scores closer than this are equal."""

_WHISKER = 1.5


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
    """Return the numbers of a box plot; raise ValueError if there is no value."""
    ordered = np.sort(np.asarray(values, dtype=np.float64))
    if not len(ordered):
        raise ValueError("a box plot needs at least one value")
    q1, median, q3 = (float(each) for each in np.quantile(ordered, (0.25, 0.5, 0.75)))
    # The tolerance keeps a value exactly on the limit inside, despite rounding.
    limit = _WHISKER * (q3 - q1) + TIE
    inside = ordered[(ordered >= q1 - limit) & (ordered <= q3 + limit)]
    # An interpolated quartile can lie beyond the last value inside; a whisker never starts within the box.
    low, high = min(float(inside[0]), q1), max(float(inside[-1]), q3)
    beyond, often = np.unique(ordered[(ordered < low) | (ordered > high)], return_counts=True)
    outliers = tuple((float(each), int(count)) for each, count in zip(beyond, often, strict=True))
    return BoxStats(len(ordered), float(ordered.mean()), q1, median, q3, low, high, outliers)


class Ratio(Struct, frozen=True):
    """A ratio of two sums over cases, with its interval at `LEVEL`."""

    value: float | None
    """None if the denominator is 0."""
    low: float | None
    """Lower end of the interval; None if fewer than `FEWEST` clusters contribute to the denominator."""
    high: float | None
    """Upper end of the interval; None as for `low`, or if it is infinite."""
    of: float
    """The denominator."""


class Ratios:
    """Computes ratios of sums over subsets of one set of cases.

    The argument ``within`` selects the cases of a subset.
    """

    def __init__(self, clusters: Sequence[str]) -> None:
        self._clusters = Clusters(clusters)
        self._resampler = Resampler()

    def rate(self, hits: Sequence[float], within: Sequence[bool]) -> Ratio:
        """Return the share of hits (1 or 0 for each case), with the interval of `mean_of`."""
        return self._mean(hits, within, 0)

    def gain(self, differences: Sequence[float], within: Sequence[bool]) -> Ratio:
        """Return the mean of differences, from -1 to 1, 0 for none, with the interval of `paired`."""
        return self._mean(differences, within, -1)

    def ratio(self, numerator: Sequence[float], denominator: Sequence[float]) -> Ratio:
        """Return the ratio of two sums over the cases, such as costs, which have no upper bound.

        The interval is the percentile one. ``high`` is also None if the denominator, which is never negative,
        is 0 in too many resamples.
        """
        top, bottom = self._clusters.sums(numerator), self._clusters.sums(denominator)
        of = bottom.sum()
        if of == 0:
            return _ratio(None, 0)
        value = top.sum() / of
        if np.count_nonzero(bottom) < FEWEST:
            return _ratio(value, of)
        tops, bottoms = self._resampler.totals(np.stack([top, bottom], axis=1)).T
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(bottoms > 0, tops / bottoms, np.inf)
        edges = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
        return _ratio(value, of, *(np.quantile(ratios, edge, method="nearest") for edge in edges))

    def _mean(self, values: Sequence[float], within: Sequence[bool], least: float) -> Ratio:
        counts = np.asarray(within, dtype=np.float64)
        top, bottom = self._clusters.sums(np.asarray(values) * counts), self._clusters.sums(counts)
        top, bottom = top[bottom > 0], bottom[bottom > 0]
        if not len(bottom):
            return _ratio(None, 0)
        value, of = top.sum() / bottom.sum(), bottom.sum()
        if len(bottom) < FEWEST:
            return _ratio(value, of)
        low, high = BoundedMeans(top[:, None], bottom, least, 1).ends()
        return _ratio(value, of, low[0], high[0])


def _ratio(value: float | None, of: float, low: float | None = None, high: float | None = None) -> Ratio:
    return Ratio(
        value=None if value is None else float(value),
        low=_finite(low),
        high=_finite(high),
        of=int(of) if float(of).is_integer() else float(of),
    )


def _finite(end: float | None) -> float | None:
    return None if end is None or not np.isfinite(end) else float(end)
