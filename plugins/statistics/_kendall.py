"""Kendall's rank correlation, with its interval."""

from collections.abc import Sequence

import numpy as np

from plugins.statistics._bootstrapped import Names, Weights, bootstrapped
from plugins.statistics._estimate import Estimate
from plugins.statistics._resampling import Clusters, Floats, Resampler, blocks


def kendall(
    x: Sequence[float] | Floats,
    y: Sequence[float] | Floats,
    clusters: Names,
    resampler: Resampler | None = None,
) -> Estimate:
    """Return Kendall's tau-b (1945) with its interval: pairs in the same order less the rest.

    Ties are taken account of, which scores in steps have many of.

    Args:
        x: One score a case.
        y: The other, in the same order.
        clusters: The target molecule of each case.
        resampler: As for `bootstrapped`.

    Returns:
        The value is None where a score is the same for all cases.
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not len(first):
        return Estimate(None, None, None, 0, 0)
    of = Clusters(clusters)
    # A resample counts a pair of cases as often as their clusters are taken, one times the other: sums over
    # pairs are quadratic forms of the weights, and pairs need be looked at only once.
    alike, apart_x, apart_y = _pairs(first, second, of)

    def of_weights(weights: Weights) -> Floats:
        parts = []
        for rows in blocks(len(weights), of.count):
            often = weights[rows].astype(np.float64)
            sums = [np.einsum("rc,rc->r", often @ each, often) for each in (alike, apart_x, apart_y)]
            varies = (sums[1] > 0) & (sums[2] > 0)
            with np.errstate(invalid="ignore", divide="ignore"):
                tau = sums[0] / (np.sqrt(sums[1]) * np.sqrt(sums[2]))
            parts.append(np.where(varies, np.clip(tau, -1, 1), np.nan))
        return np.concatenate(parts)

    return bootstrapped(of_weights, of, len(first), resampler)


def _pairs(x: Floats, y: Floats, of: Clusters) -> tuple[Floats, Floats, Floats]:
    """Return, by pair of clusters: pairs in the same order less the others, and those not tied on a side."""
    order = np.argsort(of.places, kind="stable")
    x, y, places = x[order], y[order], of.places[order]
    _, starts = np.unique(places, return_index=True)
    alike, apart_x, apart_y = (np.zeros((of.count, of.count)) for _ in range(3))
    for rows in blocks(len(x), len(x)):
        by_x = np.sign(x[rows, None] - x[None, :])
        by_y = np.sign(y[rows, None] - y[None, :])
        for total, pairs in ((alike, by_x * by_y), (apart_x, np.abs(by_x)), (apart_y, np.abs(by_y))):
            np.add.at(total, places[rows], np.add.reduceat(pairs, starts, axis=1))
    return alike, apart_x, apart_y
