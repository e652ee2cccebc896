"""Ratios of two sums over cases, with intervals by a bootstrap over target molecules."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from plugins.statistics._estimate import FEWEST, LEVEL
from plugins.statistics._resampling import Clusters, Resampler

RESAMPLES = 2_000


class Ratios:
    """Ratios of sums over one set of cases, of which each may leave some out.

    For rates and for costs, which have no upper bound and a denominator that can be 0 in a resample; a mean
    of scores is `mean_of`'s.

    Args:
        clusters: The target molecule of each case.
    """

    def __init__(self, clusters: Sequence[str]) -> None:
        self._clusters = Clusters(clusters)
        self._resampler = Resampler(RESAMPLES)

    def ratio(self, numerator: Sequence[float], denominator: Sequence[float]) -> dict[str, Any]:
        """Return the ratio of two sums over the cases with its interval.

        Args:
            numerator: A value for each case.
            denominator: A value for each case, none below 0.

        Returns:
            ``value``, ``low`` and ``high`` (a percentile interval at `LEVEL`), and ``of``, the sum of the
            denominator. ``value`` is None where that is 0, ``low`` and ``high`` where fewer than `FEWEST`
            clusters have a share in it, and ``high`` also where it is 0 in too many resamples for a bound.
        """
        top, bottom = self._clusters.sums(numerator), self._clusters.sums(denominator)
        of = float(bottom.sum())
        if of == 0:
            return {"value": None, "low": None, "high": None, "of": 0}
        value = float(top.sum()) / of
        told = int(of) if of.is_integer() else of
        if np.count_nonzero(bottom) < FEWEST:
            return {"value": value, "low": None, "high": None, "of": told}
        tops, bottoms = self._resampler.totals(top), self._resampler.totals(bottom)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(bottoms > 0, tops / bottoms, np.inf)
        edges = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
        low, high = (float(np.quantile(ratios, edge, method="nearest")) for edge in edges)
        return {
            "value": value,
            "low": low if np.isfinite(low) else None,
            "high": high if np.isfinite(high) else None,
            "of": told,
        }
