"""The area under the ROC curve, with its interval."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from plugins.statistics._bootstrapped import Names, Weights, bootstrapped
from plugins.statistics._estimate import FEWEST, Estimate
from plugins.statistics._kappa import Flags
from plugins.statistics._means import certain_share
from plugins.statistics._resampling import Clusters, Floats, Resampler, blocks


def auroc(
    scores: Sequence[float] | Floats, positive: Flags, clusters: Names, resampler: Resampler | None = None
) -> Estimate:
    """Return how likely a positive case has a higher score than a negative one; a tie counts half.

    That is the area under the ROC curve (Hanley & McNeil 1982). Where all positive cases are on one side of
    all negative ones, every resample is the same; then the open end is the smallest share of the rarer kind,
    of all its molecules, that would show on all of these (`certain_share`).

    Args:
        scores: One a case.
        positive: Whether each case is a positive one.
        clusters: The target molecule of each case.
        resampler: As for `bootstrapped`.

    Returns:
        The value is None without a case of each kind.
    """
    values, flags = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=np.bool_)
    if not len(values):
        return Estimate(None, None, None, 0, 0)
    of = Clusters(clusters)
    order = np.argsort(values, kind="stable")
    places, flags = of.places[order], flags[order]
    _, starts = np.unique(values[order], return_index=True)

    def of_weights(weights: Weights) -> Floats:
        parts = []
        for rows in blocks(len(weights), len(places)):
            often = weights[rows][:, places].astype(np.float64)
            above = np.add.reduceat(often * flags, starts, axis=1)
            below = np.add.reduceat(often * ~flags, starts, axis=1)
            won = np.einsum("rk,rk->r", above, np.cumsum(below, axis=1) - below / 2)
            pairs = above.sum(axis=1) * below.sum(axis=1)
            parts.append(np.where(pairs > 0, won / np.where(pairs > 0, pairs, 1), np.nan))
        return np.concatenate(parts)

    found = bootstrapped(of_weights, of, len(values), resampler)
    if found.value not in (0, 1):
        return found
    fewest = min(len(np.unique(places[flags])), len(np.unique(places[~flags])))
    if fewest < FEWEST:
        return replace(found, low=None, high=None)
    share = certain_share(fewest)
    return replace(found, low=share, high=1.0) if found.value else replace(found, low=0.0, high=1 - share)
