"""Clustered bootstrap intervals: the one definition of clusters, resamples and interval ends.

Questions about one molecule succeed or fail together, so target molecules are resampled, not cases. Both
intervals widen the tails for the number of clusters as Hesterberg (2015) does for percentiles: a bootstrap's
spread is too small by √((m - 1) / m), and its quantiles are normal where those of Student's t are due.

In this package ``clusters`` is the target molecule of each case, and ``resampler`` draws the resamples (by
default with a fixed seed).
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

# SciPy is imported inside functions, so that a session starts faster.

LEVEL = 0.95
FEWEST = 5
"""Minimum number of clusters for an interval. Resamples of fewer carry almost no information."""


class Estimate(Struct, frozen=True):
    """A number estimated from cases, with its interval at `LEVEL`."""

    value: float | None
    """The number; None where it is not defined."""
    low: float | None
    """Lower end of the interval; None without an interval."""
    high: float | None
    """Upper end of the interval; None without an interval."""
    n: int
    """Number of cases."""
    clusters: int
    """Number of target molecules among these cases."""

    @property
    def has_interval(self) -> bool:
        """Whether the number has an interval."""
        return self.low is not None and self.high is not None


NO_ESTIMATE = Estimate(None, None, None, 0, 0)
"""The estimate when there are no cases."""


Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.uint16]

RESAMPLES = 5_000
SEED = 20_260
"""Fixed, so that the same records give the same intervals."""

_CACHED_DRAWS = 8
"""How many draws to keep, one per number of clusters; a draw of 700 clusters takes 7 MB."""

_BLOCK = 2_000_000
"""How many counts to convert to 8-byte floats at once."""


class Resampler:
    """Draws clusters with replacement; the same seed and number of clusters give the same draws."""

    def __init__(self, resamples: int = RESAMPLES, seed: int = SEED) -> None:
        self.resamples = resamples
        self.seed = seed
        self._drawn: dict[int, Counts] = {}

    def weights(self, clusters: int) -> Counts:
        """Return how often each resample draws each cluster, of shape (resamples, clusters).

        Each draws as many clusters as there are, at least one.
        """
        if clusters not in self._drawn:
            while len(self._drawn) >= _CACHED_DRAWS:
                del self._drawn[next(iter(self._drawn))]
            generator = np.random.default_rng(self.seed)
            even = np.full(clusters, 1 / clusters)
            drawn = np.empty((self.resamples, clusters), dtype=np.uint16)
            for rows in blocks(self.resamples, clusters):
                drawn[rows] = generator.multinomial(clusters, even, size=rows.stop - rows.start)
            self._drawn[clusters] = drawn
        return self._drawn[clusters]

    def totals(self, sums: Floats) -> Floats:
        """Return the sums of each resample, given those of each cluster, of shape (clusters[, columns])."""
        return weighted(self.weights(len(sums)), sums)


def weighted(weights: npt.NDArray[np.number], sums: Floats) -> Floats:
    """Return ``weights @ sums``, computed in blocks of rows to bound memory."""
    parts = [weights[rows].astype(np.float64) @ sums for rows in blocks(*weights.shape)]
    return np.concatenate(parts)


def blocks(rows: int, columns: int) -> Iterator[slice]:
    """Yield slices that cover all rows of a table, each small enough to process at once."""
    step = max(1, _BLOCK // max(1, columns))
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))


class Clusters:
    """The cluster of each case, numbered; an array of numbers is faster than names."""

    def __init__(self, names: Sequence[str] | npt.NDArray[np.intp]) -> None:
        labels = names if isinstance(names, np.ndarray) else np.asarray(list(names), dtype=object)
        distinct, places = np.unique(labels, return_inverse=True)
        self.count = len(distinct)
        self.places: npt.NDArray[np.intp] = places.astype(np.intp)

    def sums(self, values: npt.ArrayLike) -> Floats:
        """Return the sum over the cases of each cluster, bit for bit independent of the order of cases.

        Args:
            values: Of shape (cases,) or (cases, columns); the result has clusters in place of cases.
        """
        table = np.asarray(values, dtype=np.float64)
        if table.ndim > 1:
            sums = np.empty((self.count, table.shape[1]))
            for number, column in enumerate(table.T):
                sums[:, number] = self.sums(column)
            return sums
        order = np.lexsort((table, self.places))
        return np.asarray(
            np.bincount(self.places[order], weights=table[order], minlength=self.count), dtype=np.float64
        )


_TIE = 1e-12


def expanded_percentile(resampled: Floats, clusters: int) -> tuple[Floats, Floats]:
    """Return the expanded percentile interval of each column (Efron & Tibshirani 1993, chapter 13).

    Args:
        resampled: The resampled numbers, of shape (resamples, columns).
        clusters: Number of clusters, at least two.
    """
    from scipy.special import ndtr

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
        clusters: Number of clusters, at least two.
    """
    from scipy.special import ndtri

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
    """Return the z value of the upper end, widened for the number of clusters."""
    from scipy.special import stdtrit

    small = np.sqrt(clusters / (clusters - 1))
    return float(small * stdtrit(clusters - 1, (1 + LEVEL) / 2))


def _moved(bias: Floats, acceleration: Floats, reach: float) -> Floats:
    """Return the BCa-corrected tail probability."""
    from scipy.special import ndtr

    off = bias + reach
    stretch = 1 - acceleration * off
    # At 0 and beyond the correction is outside its valid range: the end is the outermost resample.
    return np.where(stretch > 0, ndtr(bias + off / np.where(stretch > 0, stretch, 1)), np.heaviside(off, 0.5))


def _quantile(ordered: Floats, share: Floats) -> Floats:
    place = share * (len(ordered) - 1)
    under = np.floor(place).astype(np.intp)
    over = np.minimum(under + 1, len(ordered) - 1)
    columns = np.arange(ordered.shape[1])
    lower, upper = ordered[under, columns], ordered[over, columns]
    return np.asarray(lower + (place - under) * (upper - lower))


STATISTIC_RESAMPLES = 2_000
_SAME = 1e-12

Names = Sequence[str] | npt.NDArray[np.intp]
Weights = npt.NDArray[np.number]


def bootstrapped(
    of_weights: Callable[[Weights], Floats], of: Clusters, n: int, resampler: Resampler | None = None
) -> Estimate:
    """Return a number with its expanded BCa interval; its value is None if it is not defined.

    There is no interval with fewer than `FEWEST` clusters, if the number is undefined in too many resamples
    or without any single cluster, and if all resamples give the same number.

    Args:
        of_weights: Maps how often each cluster counts, of shape (resamples, clusters), to the number for each
            resample; NaN if it is not defined.
        n: Number of cases.
    """
    (value,) = of_weights(np.ones((1, of.count)))
    if np.isnan(value):
        return Estimate(None, None, None, n, of.count)
    none = Estimate(float(value), None, None, n, of.count)
    if of.count < FEWEST:
        return none
    resampler = resampler or Resampler(STATISTIC_RESAMPLES)
    resampled = of_weights(resampler.weights(of.count))
    left_one_out = of_weights(1 - np.eye(of.count, dtype=np.uint8))
    defined = ~np.isnan(resampled)
    if np.isnan(left_one_out).any() or np.mean(~defined) > (1 - LEVEL) / 2:
        return none
    if np.ptp(resampled[defined]) <= _SAME:
        return none
    low, high = expanded_bca(
        np.asarray([value]), resampled[defined][:, None], left_one_out[:, None], of.count
    )
    return Estimate(float(value), float(low[0]), float(high[0]), n, of.count)
