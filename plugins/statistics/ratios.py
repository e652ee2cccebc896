"""Rates, gains and costs as ratios of sums over subsets of a set of cases."""

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
    """Ratios of sums over subsets of one set of cases.

    Each result has ``value``, ``low`` and ``high`` (the interval at `LEVEL`), and ``of``, the denominator.
    ``value`` is None where the denominator is 0; ``low`` and ``high`` are None where fewer than `FEWEST`
    clusters contribute to it. ``within`` selects the cases that count.
    """

    def __init__(self, clusters: Sequence[str]) -> None:
        self._clusters = Clusters(clusters)
        self._resampler = Resampler()
        self._of_costs = Resampler(RESAMPLES)

    def rate(self, hits: Sequence[float], within: Sequence[bool]) -> dict[str, Any]:
        """Return the share of hits (1 or 0 for each case).

        The interval is the expanded BCa one, or that of `certain_share` where none or all are hits. Molecules
        are drawn from all cases, so that one draw serves all rates.
        """
        top, bottom = self._shares(hits, within)
        if not len(bottom):
            return _ratio(None, 0)
        value, of, molecules = top.sum() / bottom.sum(), bottom.sum(), len(bottom)
        share = certain_share(molecules)
        if molecules < FEWEST:
            return _ratio(value, of)
        if value in (0, 1):
            return _ratio(value, of, value * share, 1 - share * (1 - value))
        left_one_out = (top.sum() - top) / (bottom.sum() - bottom)
        resampled = self._resampled(hits, within)
        low, high = expanded_bca(np.asarray([value]), resampled, left_one_out[:, None], molecules)
        return _ratio(value, of, low[0], high[0])

    def gain(self, differences: Sequence[float], within: Sequence[bool]) -> dict[str, Any]:
        """Return the mean difference of the cases, with the interval of `paired`.

        Args:
            differences: After minus before for each case, from -1 to 1; exactly 0 where it does not differ.
        """
        top, bottom = self._shares(differences, within)
        if not len(bottom):
            return _ratio(None, 0)
        value, of, molecules = top.sum() / bottom.sum(), bottom.sum(), len(bottom)
        if molecules < FEWEST:
            return _ratio(value, of)
        if even(top[:, None], bottom)[0]:
            share = (
                1.0 if not np.any(np.asarray(differences)[np.asarray(within)]) else certain_share(molecules)
            )
            return _ratio(value, of, value * share - (1 - share), value * share + (1 - share))
        low, high = expanded_percentile(self._resampled(differences, within), molecules)
        return _ratio(value, of, min(low[0], value), max(high[0], value))

    def ratio(self, numerator: Sequence[float], denominator: Sequence[float]) -> dict[str, Any]:
        """Return the ratio of two sums over the cases, such as costs, which have no upper bound.

        The interval is the percentile one. ``high`` is also None where the denominator, which is never
        negative, is 0 in too many resamples.
        """
        top, bottom = self._clusters.sums(numerator), self._clusters.sums(denominator)
        of = bottom.sum()
        if of == 0:
            return _ratio(None, 0)
        value = top.sum() / of
        if np.count_nonzero(bottom) < FEWEST:
            return _ratio(value, of)
        tops, bottoms = self._of_costs.totals(np.stack([top, bottom], axis=1)).T
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(bottoms > 0, tops / bottoms, np.inf)
        edges = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
        return _ratio(value, of, *(np.quantile(ratios, edge, method="nearest") for edge in edges))

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


def _ratio(
    value: float | None, of: float, low: float | None = None, high: float | None = None
) -> dict[str, Any]:
    """Return a ratio with its interval; infinite ends become None."""
    ends = {"low": low, "high": high}
    return {
        "value": None if value is None else float(value),
        **{name: None if end is None or not np.isfinite(end) else float(end) for name, end in ends.items()},
        "of": int(of) if float(of).is_integer() else float(of),
    }
