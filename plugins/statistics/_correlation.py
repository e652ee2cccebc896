"""Correlations of two scores, with intervals by a bootstrap over target molecules."""

from collections.abc import Sequence

import numpy as np

from plugins.statistics._bootstrapped import Names, Weights, bootstrapped
from plugins.statistics._estimate import Estimate
from plugins.statistics._resampling import Clusters, Floats, Resampler, blocks, weighted

_ZERO = 1e-12


def pearson(
    x: Sequence[float] | Floats,
    y: Sequence[float] | Floats,
    clusters: Names,
    resampler: Resampler | None = None,
) -> Estimate:
    """Return Pearson's correlation with its interval.

    Args:
        x: One score a case.
        y: The other, in the same order.
        clusters: The target molecule of each case.
        resampler: As for `bootstrapped`.

    Returns:
        The value is None where a score is the same for all cases; the ends are None where that is so in too
        many resamples, and of too few clusters.
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not len(first):
        return Estimate(None, None, None, 0, 0)
    of = Clusters(clusters)
    # Centred and scaled first: sums of squares far from 0 would lose what the variance is made of.
    u, v = _standard(first), _standard(second)
    sums = of.sums(np.column_stack([np.ones(len(u)), u, v, u * u, v * v, u * v]))

    def of_weights(weights: Weights) -> Floats:
        n, su, sv, suu, svv, suv = weighted(weights, sums).T
        return _ratio(suv - su * sv / n, suu - su**2 / n, svv - sv**2 / n, n)

    return bootstrapped(of_weights, of, len(first), resampler)


def spearman(
    x: Sequence[float] | Floats,
    y: Sequence[float] | Floats,
    clusters: Names,
    resampler: Resampler | None = None,
) -> Estimate:
    """Return Spearman's rank correlation with its interval; every resample is ranked anew.

    Equal scores have the mean of their ranks. Arguments and result are those of `pearson`.
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not len(first):
        return Estimate(None, None, None, 0, 0)
    of = Clusters(clusters)
    # In one order of the cases whatever order they came in, so that sums come out the same to the last bit.
    order = np.lexsort((second, first, of.places))
    places, first, second = of.places[order], first[order], second[order]
    ranks = [_Ranks(values) for values in (first, second)]

    def of_weights(weights: Weights) -> Floats:
        parts = [
            _rank_correlation(weights[rows][:, places].astype(np.float64), ranks)
            for rows in blocks(len(weights), len(places))
        ]
        return np.concatenate(parts)

    return bootstrapped(of_weights, of, len(first), resampler)


class _Ranks:
    """Ranks of values of which each case may count several times, or not at all."""

    def __init__(self, values: Floats) -> None:
        self._order = np.argsort(values, kind="stable")
        _, self._starts, self._groups = np.unique(values[self._order], return_index=True, return_inverse=True)
        self._back = np.argsort(self._order, kind="stable")

    def of(self, counts: Floats) -> tuple[Floats, Floats]:
        """Return mid-ranks less their mean, of shape (resamples, cases), and the sums of their squares."""
        often = np.add.reduceat(counts[:, self._order], self._starts, axis=1)
        middle = np.cumsum(often, axis=1) - often / 2 - often.sum(axis=1, keepdims=True) / 2
        squares = np.einsum("rk,rk,rk->r", often, middle, middle)
        return np.take(middle, self._groups[self._back], axis=1), squares


def _rank_correlation(counts: Floats, ranks: Sequence[_Ranks]) -> Floats:
    (u, uu), (v, vv) = (each.of(counts) for each in ranks)
    uv = np.einsum("rc,rc,rc->r", counts, u, v)
    n = counts.sum(axis=1)
    return _ratio(uv / n**2, uu / n**2, vv / n**2, n)


def _standard(values: Floats) -> Floats:
    ordered = np.sort(values)
    spread = ordered.std()
    return (values - ordered.mean()) / spread if spread > _ZERO else np.zeros_like(values)


def _ratio(covariance: Floats, first: Floats, second: Floats, n: Floats) -> Floats:
    """Return the correlation from sums of products; NaN where one side does not vary."""
    varies = (first > _ZERO * n) & (second > _ZERO * n)
    with np.errstate(invalid="ignore", divide="ignore"):
        value = covariance / np.sqrt(first * second)
    return np.where(varies, np.clip(value, -1, 1), np.nan)
