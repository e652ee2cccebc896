"""Bootstrap intervals from resampled numbers.

Both widen the tails for the number of clusters as Hesterberg (2015) does for percentiles:
a bootstrap's spread is too small by √((m - 1) / m), and its quantiles are normal where those of Student's t
are due.
"""

import numpy as np
from scipy.special import ndtr, ndtri, stdtrit

from plugins.statistics._estimate import LEVEL
from plugins.statistics._resampling import Floats

_TIE = 1e-12


def expanded_percentile(resampled: Floats, clusters: int) -> tuple[Floats, Floats]:
    """Return the expanded percentile interval of each column (Efron & Tibshirani 1993, chapter 13).

    Args:
        resampled: The resampled numbers, of shape (resamples, columns).
        clusters: How many clusters they were drawn from, at least two.
    """
    tail = np.full(resampled.shape[1], ndtr(-_reach(clusters)))
    ordered = np.sort(resampled, axis=0)
    return _quantile(ordered, tail), _quantile(ordered, 1 - tail)


def expanded_bca(
    value: Floats, resampled: Floats, left_one_out: Floats, clusters: int
) -> tuple[Floats, Floats]:
    """Return the expanded BCa interval of each column (Efron & Tibshirani 1993, chapter 14.3).

    Args:
        value: The numbers estimated, of shape (columns,).
        resampled: The resampled numbers, of shape (resamples, columns).
        left_one_out: The numbers without one cluster each, of shape (clusters, columns).
        clusters: How many clusters they were drawn from, at least two.
    """
    tie = _TIE * np.maximum(1, np.abs(value))
    below = np.mean(resampled < value - tie, axis=0) + np.mean(np.abs(resampled - value) <= tie, axis=0) / 2
    bias = ndtri(np.clip(below, 0.5 / len(resampled), 1 - 0.5 / len(resampled)))
    pulls = left_one_out.mean(axis=0) - left_one_out
    spread = np.sum(pulls**2, axis=0) ** 1.5
    acceleration = np.sum(pulls**3, axis=0) / np.where(spread > 0, 6 * spread, 1)
    ordered = np.sort(resampled, axis=0)
    reach = _reach(clusters)
    low = _quantile(ordered, _moved(bias, acceleration, -reach))
    high = _quantile(ordered, _moved(bias, acceleration, reach))
    return np.minimum(low, value), np.maximum(high, value)


def _reach(clusters: int) -> float:
    """Return how many standard errors of the bootstrap the ends are away."""
    small = np.sqrt(clusters / (clusters - 1))
    return float(small * stdtrit(clusters - 1, (1 + LEVEL) / 2))


def _moved(bias: Floats, acceleration: Floats, reach: float) -> Floats:
    """Return the share of resamples below an end, after correction."""
    off = bias + reach
    stretch = 1 - acceleration * off
    # At 0 and beyond the correction has left the range in which it is one: the end is the outermost resample.
    return np.where(stretch > 0, ndtr(bias + off / np.where(stretch > 0, stretch, 1)), np.heaviside(off, 0.5))


def _quantile(ordered: Floats, share: Floats) -> Floats:
    place = share * (len(ordered) - 1)
    under = np.floor(place).astype(np.intp)
    over = np.minimum(under + 1, len(ordered) - 1)
    columns = np.arange(ordered.shape[1])
    lower, upper = ordered[under, columns], ordered[over, columns]
    return np.asarray(lower + (place - under) * (upper - lower))
