"""Means of scores, with intervals by a bootstrap over target molecules."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plugins.statistics._estimate import FEWEST, LEVEL, Estimate
from plugins.statistics._interval import expanded_bca
from plugins.statistics._resampling import Clusters, Floats, Resampler


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
