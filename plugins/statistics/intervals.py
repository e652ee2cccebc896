"""Clusters of cases, and bootstrap intervals of numbers that are no mean, such as correlations.

Questions that share a target or a gold route succeed or fail together, so clusters of them
(`retrocypher.kg.questions.clusters`) are resampled, not cases. With few clusters the BCa interval would be
too narrow: the bootstrap's standard deviation is too small by √((m - 1) / m) for m clusters, and it uses
normal instead of Student's t quantiles. It is therefore widened ("expanded") as in Hesterberg (2015). Means
have the intervals of `retrocypher.plugins.statistics.bounded`.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

# SciPy is imported inside functions, so that a session starts faster.

LEVEL = 0.95
FEWEST = 5
"""Minimum number of clusters for an interval. Resamples of fewer clusters have almost no information."""
RESAMPLES = 2_000
SEED = 20_260
"""Fixed, so that the same records give the same intervals."""
_ROUNDING = 1e-12
"""Numbers closer than this, relative to 1 or larger values, differ by rounding only."""
_CACHED_DRAWS = 8
"""How many draws to keep, one per number of clusters; a draw of 700 clusters takes 7 MB."""
_BLOCK = 2_000_000
"""How many counts to convert to 8-byte floats at once."""

Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.uint16]
Weights = npt.NDArray[np.number]
Names = Sequence[str] | npt.NDArray[np.intp]
"""The cluster of each case: its name or a number."""


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
    """Number of clusters among these cases."""

    @property
    def has_interval(self) -> bool:
        """Whether the number has an interval."""
        return self.low is not None and self.high is not None


NO_ESTIMATE = Estimate(None, None, None, 0, 0)
"""The estimate when there are no cases."""


class Resampler:
    """Draws clusters with replacement; the same seed and number of clusters give the same draws."""

    def __init__(self, resamples: int = RESAMPLES, seed: int = SEED) -> None:
        self.resamples = resamples
        self.seed = seed
        self._drawn: dict[int, Counts] = {}

    def weights(self, clusters: int) -> Counts:
        """Return how often each resample draws each cluster, of shape (resamples, clusters).

        Each resample draws ``clusters`` times; there must be at least one.
        """
        if clusters not in self._drawn:
            while len(self._drawn) >= _CACHED_DRAWS:
                del self._drawn[next(iter(self._drawn))]
            generator = np.random.default_rng(self.seed)
            equal_shares = np.full(clusters, 1 / clusters)
            drawn = np.empty((self.resamples, clusters), dtype=np.uint16)
            for rows in blocks(self.resamples, clusters):
                drawn[rows] = generator.multinomial(clusters, equal_shares, size=rows.stop - rows.start)
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
    """The clusters by number, with the number of each case's cluster; numbers are faster than text."""

    def __init__(self, names: Names) -> None:
        labels = names if isinstance(names, np.ndarray) else np.asarray(list(names), dtype=object)
        distinct, places = np.unique(labels, return_inverse=True)
        self.count = len(distinct)
        self.places: npt.NDArray[np.intp] = places.astype(np.intp)

    def sums(self, values: npt.ArrayLike) -> Floats:
        """Return the sum over the cases of each cluster; the order of cases does not change its rounding.

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

    tie = _ROUNDING * np.maximum(1, np.abs(value))
    # Resamples equal to the estimate count half.
    below = np.mean(resampled < value - tie, axis=0) + np.mean(np.abs(resampled - value) <= tie, axis=0) / 2
    z0 = ndtri(np.clip(below, 0.5 / len(resampled), 1 - 0.5 / len(resampled)))
    deviations = left_one_out.mean(axis=0) - left_one_out
    spread = np.sum(deviations**2, axis=0) ** 1.5
    a = np.sum(deviations**3, axis=0) / np.where(spread > 0, 6 * spread, 1)
    ordered = np.sort(resampled, axis=0)
    z = _expanded_z(clusters)
    low = _quantile(ordered, _bca_tail(z0, a, -z))
    high = _quantile(ordered, _bca_tail(z0, a, z))
    # The interval always contains the estimate.
    return np.minimum(low, value), np.maximum(high, value)


def _expanded_z(clusters: int) -> float:
    """Return the z value of the upper end, widened for the number of clusters."""
    from scipy.special import stdtrit

    small = np.sqrt(clusters / (clusters - 1))
    return float(small * stdtrit(clusters - 1, (1 + LEVEL) / 2))


def _bca_tail(z0: Floats, a: Floats, z: float) -> Floats:
    """Return the tail probability that is corrected for bias z0 and acceleration a."""
    from scipy.special import ndtr

    shifted = z0 + z
    denominator = 1 - a * shifted
    # If the denominator is not positive, the correction is not defined: use the outermost resample.
    corrected = ndtr(z0 + shifted / np.where(denominator > 0, denominator, 1))
    return np.where(denominator > 0, corrected, np.heaviside(shifted, 0.5))


def _quantile(ordered: Floats, share: Floats) -> Floats:
    """Return the quantile of each column at its own probability, with linear interpolation."""
    place = share * (len(ordered) - 1)
    under = np.floor(place).astype(np.intp)
    over = np.minimum(under + 1, len(ordered) - 1)
    columns = np.arange(ordered.shape[1])
    lower, upper = ordered[under, columns], ordered[over, columns]
    return np.asarray(lower + (place - under) * (upper - lower))


def bootstrap_estimate(
    statistic: Callable[[Weights], Floats], clusters: Clusters, n: int, resampler: Resampler | None = None
) -> Estimate:
    """Return a number with its expanded BCa interval; its value is None if it is not defined.

    There is no interval if there are fewer than `FEWEST` clusters; if the statistic is undefined in more than
    2.5 % of resamples, or after one cluster is left out; or if all resamples give the same value.

    Args:
        statistic: Function from cluster weights, of shape (resamples, clusters), to one value per resample;
            NaN if it is not defined.
        n: Number of cases.
    """
    (value,) = statistic(np.ones((1, clusters.count)))
    if np.isnan(value):
        return Estimate(None, None, None, n, clusters.count)
    without_interval = Estimate(float(value), None, None, n, clusters.count)
    if clusters.count < FEWEST:
        return without_interval
    resampler = resampler or Resampler()
    resampled = statistic(resampler.weights(clusters.count))
    left_one_out = statistic(1 - np.eye(clusters.count, dtype=np.uint8))
    defined = ~np.isnan(resampled)
    if np.isnan(left_one_out).any() or np.mean(~defined) > (1 - LEVEL) / 2:
        return without_interval
    if np.ptp(resampled[defined]) <= _ROUNDING:
        return without_interval
    low, high = expanded_bca(
        np.asarray([value]), resampled[defined][:, None], left_one_out[:, None], clusters.count
    )
    return Estimate(float(value), float(low[0]), float(high[0]), n, clusters.count)
