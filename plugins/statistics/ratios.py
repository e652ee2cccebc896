"""Ratios of sums over some of a set of cases: rates, gains and costs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from retrocypher.plugins.statistics.intervals import (
    FEWEST,
    LEVEL,
    Clusters,
    Floats,
    Resampler,
    expanded_bca,
    expanded_percentile,
)
from retrocypher.plugins.statistics.means import certain_share
from retrocypher.plugins.statistics.paired import even

RESAMPLES = 2_000


class Ratios:
    """Ratios of sums over one set of cases, of which each may leave some out.

    Each is returned as ``value``, ``low`` and ``high`` (its interval at `LEVEL`), and ``of``, the sum of the
    denominator. ``value`` is None where that is 0, ``low`` and ``high`` where fewer than `FEWEST` clusters
    have a share in it.

    Args:
        clusters: The target molecule of each case.
    """

    def __init__(self, clusters: Sequence[str]) -> None:
        self._clusters = Clusters(clusters)
        self._resampler = Resampler()
        self._of_costs = Resampler(RESAMPLES)

    def rate(self, hits: Sequence[float], within: Sequence[bool]) -> dict[str, Any]:
        """Return the share of hits among some of the cases: a mean of scores 1 and 0, with its interval.

        That is the expanded BCa one, or `certain_share`'s where none or all are hits. Molecules are drawn
        from all cases, so that one draw serves all rates.

        Args:
            hits: 1 or 0 for each case.
            within: Which cases count.
        """
        top, bottom = self._shares(hits, within)
        if not len(bottom):
            return _told(None, 0)
        value, of, molecules = top.sum() / bottom.sum(), bottom.sum(), len(bottom)
        share = certain_share(molecules)
        if molecules < FEWEST:
            return _told(value, of)
        if value in (0, 1):
            return _told(value, of, value * share, 1 - share * (1 - value))
        left_one_out = (top.sum() - top) / (bottom.sum() - bottom)
        resampled = self._resampled(hits, within)
        low, high = expanded_bca(np.asarray([value]), resampled, left_one_out[:, None], molecules)
        return _told(value, of, low[0], high[0])

    def gain(self, differences: Sequence[float], within: Sequence[bool]) -> dict[str, Any]:
        """Return the mean difference of some of the cases, with the interval that `paired` tells.

        Args:
            differences: After less before for each case, from -1 to 1; exactly 0 where it does not differ.
            within: Which cases count.
        """
        top, bottom = self._shares(differences, within)
        if not len(bottom):
            return _told(None, 0)
        value, of, molecules = top.sum() / bottom.sum(), bottom.sum(), len(bottom)
        if molecules < FEWEST:
            return _told(value, of)
        if even(top[:, None], bottom)[0]:
            share = (
                1.0 if not np.any(np.asarray(differences)[np.asarray(within)]) else certain_share(molecules)
            )
            return _told(value, of, value * share - (1 - share), value * share + (1 - share))
        low, high = expanded_percentile(self._resampled(differences, within), molecules)
        return _told(value, of, min(low[0], value), max(high[0], value))

    def ratio(self, numerator: Sequence[float], denominator: Sequence[float]) -> dict[str, Any]:
        """Return the ratio of two sums over the cases, such as costs, which have no upper bound.

        The interval is a percentile one; ``high`` is None also where the denominator is 0 in too many
        resamples for a bound.

        Args:
            numerator: A value for each case.
            denominator: A value for each case, none below 0.
        """
        top, bottom = self._clusters.sums(numerator), self._clusters.sums(denominator)
        of = bottom.sum()
        if of == 0:
            return _told(None, 0)
        value = top.sum() / of
        if np.count_nonzero(bottom) < FEWEST:
            return _told(value, of)
        tops, bottoms = self._of_costs.totals(np.stack([top, bottom], axis=1)).T
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(bottoms > 0, tops / bottoms, np.inf)
        edges = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
        return _told(value, of, *(np.quantile(ratios, edge, method="nearest") for edge in edges))

    def _shares(self, values: Sequence[float], within: Sequence[bool]) -> tuple[Floats, Floats]:
        """Return sums and numbers of the cases that count, of each cluster that has any."""
        counts = np.asarray(within, dtype=np.float64)
        top, bottom = self._clusters.sums(np.asarray(values) * counts), self._clusters.sums(counts)
        return top[bottom > 0], bottom[bottom > 0]

    def _resampled(self, values: Sequence[float], within: Sequence[bool]) -> Floats:
        """Return the ratio of each resample that has a case that counts, of shape (resamples, 1)."""
        counts = np.asarray(within, dtype=np.float64)
        sums = self._clusters.sums(np.stack([np.asarray(values) * counts, counts], axis=1))
        top, bottom = self._resampler.totals(sums).T
        return np.asarray(top[bottom > 0] / bottom[bottom > 0])[:, None]


def _told(
    value: float | None, of: float, low: float | None = None, high: float | None = None
) -> dict[str, Any]:
    """Return a ratio with its ends, those without a bound as None."""
    ends = {"low": low, "high": high}
    return {
        "value": None if value is None else float(value),
        **{name: None if end is None or not np.isfinite(end) else float(end) for name, end in ends.items()},
        "of": int(of) if float(of).is_integer() else float(of),
    }
