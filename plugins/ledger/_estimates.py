"""Ratios with intervals, by a bootstrap over target molecules."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

RESAMPLES = 2_000
LEVEL = 0.95
FEWEST = 5
"""Of fewer clusters than these no interval is told: it would be a point."""

_SEED = 20_260
"""Fixed, so that the same records give the same intervals."""

Floats = npt.NDArray[np.float64]


class Bootstrap:
    """Resamples whole clusters: questions about one molecule stand or fall together.

    Args:
        clusters: The cluster of each case.
    """

    def __init__(self, clusters: Sequence[str]) -> None:
        names, self._places = np.unique(np.asarray(clusters, dtype=object), return_inverse=True)
        self._count = len(names)
        generator = np.random.default_rng(_SEED)
        even = np.full(self._count, 1 / max(self._count, 1))
        self._weights = generator.multinomial(self._count, even, size=RESAMPLES).astype(np.float64)

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
        top, bottom = self._sums(numerator), self._sums(denominator)
        of = float(bottom.sum())
        if of == 0:
            return {"value": None, "low": None, "high": None, "of": 0}
        value = float(top.sum()) / of
        told = int(of) if of.is_integer() else of
        if np.count_nonzero(bottom) < FEWEST:
            return {"value": value, "low": None, "high": None, "of": told}
        tops, bottoms = self._weights @ top, self._weights @ bottom
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

    def _sums(self, values: Sequence[float]) -> Floats:
        sums: Floats = np.zeros(self._count)
        np.add.at(sums, self._places, np.asarray(values, dtype=np.float64))
        return sums
