"""Correlation and agreement of two scores, and how well a score separates right cases from wrong ones.

The scores of two arguments are in the same order of cases.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from retrocypher.plugins.statistics.intervals import (
    FEWEST,
    NO_ESTIMATE,
    Clusters,
    Estimate,
    Floats,
    Names,
    Resampler,
    Weights,
    blocks,
    bootstrap_estimate,
    weighted,
)
from retrocypher.plugins.statistics.means import certain_share, mean_of

Flags = Sequence[bool] | npt.NDArray[np.bool_]

_ZERO = 1e-12


def pearson(
    x: Sequence[float] | Floats,
    y: Sequence[float] | Floats,
    clusters: Names,
    resampler: Resampler | None = None,
) -> Estimate:
    """Return Pearson's correlation with its interval; the value is None if a score is constant.

    There is no interval with too few clusters, or if a score is constant in too many resamples.
    """
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not len(first):
        return NO_ESTIMATE
    of = Clusters(clusters)
    # Centre and scale first: sums of squares far from 0 would cancel catastrophically.
    u, v = _standard(first), _standard(second)
    sums = of.sums(np.column_stack([np.ones(len(u)), u, v, u * u, v * v, u * v]))

    def statistic(weights: Weights) -> Floats:
        n, su, sv, suu, svv, suv = weighted(weights, sums).T
        return _ratio(suv - su * sv / n, suu - su**2 / n, svv - sv**2 / n, n)

    return bootstrap_estimate(statistic, of, len(first), resampler)


def spearman(
    x: Sequence[float] | Floats,
    y: Sequence[float] | Floats,
    clusters: Names,
    resampler: Resampler | None = None,
) -> Estimate:
    """Return Spearman's rank correlation, with mid-ranks computed per resample; else as `pearson`."""
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not len(first):
        return NO_ESTIMATE
    of = Clusters(clusters)
    # Sort the cases, so that sums are bit for bit independent of their order.
    order = np.lexsort((second, first, of.places))
    places, first, second = of.places[order], first[order], second[order]
    ranks = [_Ranks(values) for values in (first, second)]

    def statistic(weights: Weights) -> Floats:
        parts = [
            _rank_correlation(weights[rows][:, places].astype(np.float64), ranks)
            for rows in blocks(len(weights), len(places))
        ]
        return np.concatenate(parts)

    return bootstrap_estimate(statistic, of, len(first), resampler)


class _Ranks:
    """Ranks of values in which each case may count several times or not at all."""

    def __init__(self, values: Floats) -> None:
        self._order = np.argsort(values, kind="stable")
        _, self._starts, self._groups = np.unique(values[self._order], return_index=True, return_inverse=True)
        self._back = np.argsort(self._order, kind="stable")

    def of(self, counts: Floats) -> tuple[Floats, Floats]:
        """Return centred mid-ranks, of shape (resamples, cases), and the sums of their squares."""
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


def kendall(
    x: Sequence[float] | Floats,
    y: Sequence[float] | Floats,
    clusters: Names,
    resampler: Resampler | None = None,
) -> Estimate:
    """Return Kendall's tau-b (1945), which corrects for ties; else as `pearson`."""
    first, second = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if not len(first):
        return NO_ESTIMATE
    of = Clusters(clusters)
    # A resample counts a pair of cases as often as the product of the weights of their clusters. So sums over
    # pairs are quadratic forms of the weights, and all pairs are compared only once.
    concordance, untied_x, untied_y = _pairs(first, second, of)

    def statistic(weights: Weights) -> Floats:
        parts = []
        for rows in blocks(len(weights), of.count):
            often = weights[rows].astype(np.float64)
            sums = [np.einsum("rc,rc->r", often @ each, often) for each in (concordance, untied_x, untied_y)]
            varies = (sums[1] > 0) & (sums[2] > 0)
            with np.errstate(invalid="ignore", divide="ignore"):
                tau = sums[0] / (np.sqrt(sums[1]) * np.sqrt(sums[2]))
            parts.append(np.where(varies, np.clip(tau, -1, 1), np.nan))
        return np.concatenate(parts)

    return bootstrap_estimate(statistic, of, len(first), resampler)


def _pairs(x: Floats, y: Floats, of: Clusters) -> tuple[Floats, Floats, Floats]:
    """Return by pair of clusters: concordant minus discordant pairs, pairs not tied in x, and those in y."""
    order = np.argsort(of.places, kind="stable")
    x, y, places = x[order], y[order], of.places[order]
    _, starts = np.unique(places, return_index=True)
    concordance, untied_x, untied_y = (np.zeros((of.count, of.count)) for _ in range(3))
    for rows in blocks(len(x), len(x)):
        by_x = np.sign(x[rows, None] - x[None, :])
        by_y = np.sign(y[rows, None] - y[None, :])
        for total, pairs in (
            (concordance, by_x * by_y),
            (untied_x, np.abs(by_x)),
            (untied_y, np.abs(by_y)),
        ):
            np.add.at(total, places[rows], np.add.reduceat(pairs, starts, axis=1))
    return concordance, untied_x, untied_y


def auroc(
    scores: Sequence[float] | Floats, positive: Flags, clusters: Names, resampler: Resampler | None = None
) -> Estimate:
    """Return the area under the ROC curve: the probability that a positive case scores above a negative one.

    A tie counts half (Hanley & McNeil 1982). With perfect separation no resample varies; the open end of the
    interval is then the smallest share of the rarer kind that the sample would show (`certain_share`). The
    value is None without a case of each kind.
    """
    values, flags = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=np.bool_)
    if not len(values):
        return NO_ESTIMATE
    of = Clusters(clusters)
    order = np.argsort(values, kind="stable")
    places, flags = of.places[order], flags[order]
    _, starts = np.unique(values[order], return_index=True)

    def statistic(weights: Weights) -> Floats:
        parts = []
        for rows in blocks(len(weights), len(places)):
            often = weights[rows][:, places].astype(np.float64)
            above = np.add.reduceat(often * flags, starts, axis=1)
            below = np.add.reduceat(often * ~flags, starts, axis=1)
            won = np.einsum("rk,rk->r", above, np.cumsum(below, axis=1) - below / 2)
            pairs = above.sum(axis=1) * below.sum(axis=1)
            parts.append(np.where(pairs > 0, won / np.where(pairs > 0, pairs, 1), np.nan))
        return np.concatenate(parts)

    estimate = bootstrap_estimate(statistic, of, len(values), resampler)
    if estimate.value not in (0, 1):
        return estimate
    fewest = min(len(np.unique(places[flags])), len(np.unique(places[~flags])))
    if fewest < FEWEST:
        return replace(estimate, low=None, high=None)
    share = certain_share(fewest)
    return (
        replace(estimate, low=share, high=1.0)
        if estimate.value
        else replace(estimate, low=0.0, high=1 - share)
    )


def cohen_kappa(a: Flags, b: Flags, clusters: Names, resampler: Resampler | None = None) -> Estimate:
    """Return Cohen's kappa (1960), the agreement of two verdicts beyond chance.

    With full agreement no resample varies; the lower bound is then the kappa of as many disagreements as the
    sample may have missed (`certain_share`), with the same frequencies. The value is None without cases, and
    if both verdicts are constant and equal.
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not len(first):
        return NO_ESTIMATE
    of = Clusters(clusters)
    sums = of.sums(np.column_stack([np.ones(len(first)), first, second, first * second]))

    def statistic(weights: Weights) -> Floats:
        return _kappa(weighted(weights, sums))

    estimate = bootstrap_estimate(statistic, of, len(first), resampler)
    if estimate.value != 1 or of.count < FEWEST:
        return estimate
    share = float(first.mean())
    by_chance = share**2 + (1 - share) ** 2
    unseen = 1 - certain_share(of.count)
    return replace(estimate, low=max(-1.0, 1 - unseen / (1 - by_chance)), high=1.0)


def _kappa(totals: Floats) -> Floats:
    n, a, b, both = totals.T
    agreed = (n - a - b + 2 * both) * n
    by_chance = a * b + (n - a) * (n - b)
    left = n * n - by_chance
    return np.where(left > 0, (agreed - by_chance) / np.where(left > 0, left, 1), np.nan)


BINS = 10
_EDGE = 1e-9
"""A score this close below the edge of a bin is treated as on it: 0.3 may be stored as 0.299999999999999."""


class ReliabilityBin(Struct, frozen=True):
    """The cases whose scores are in one bin."""

    low: float
    """Lower edge of the bin."""
    high: float
    """Upper edge, exclusive; the last bin includes 1."""
    score: float
    """Mean score of the cases."""
    right: Estimate
    """Share of the cases that are right."""


class Reliability(Struct, frozen=True):
    """How well a score estimates the probability of being right."""

    bins: tuple[ReliabilityBin, ...]
    """Bins with at least one case, in ascending order."""
    brier: Estimate
    """Mean of (score - right)², 0 at best (Brier 1950)."""
    ece: Estimate
    """Expected calibration error: mean over cases of the distance between mean score and share of right cases
    in their bin, 0 at best (Naeini, Cooper & Hauskrecht 2015)."""


def reliability(
    scores: Sequence[float] | Floats, right: Flags, clusters: Names, resampler: Resampler | None = None
) -> Reliability:
    """Compare scores from 0 to 1 with the share of cases that are right, in ten bins of equal width."""
    values, truth = np.asarray(scores, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if not len(values):
        return Reliability((), NO_ESTIMATE, NO_ESTIMATE)
    of, resampler = Clusters(clusters), resampler or Resampler()
    place = np.minimum(np.floor(values * BINS + _EDGE), BINS - 1).astype(np.intp)
    within = place[:, None] == np.arange(BINS)
    off = of.sums(within * (values - truth)[:, None])
    cases = of.sums(np.ones(len(values)))

    def statistic(weights: Weights) -> Floats:
        return np.asarray(np.abs(weighted(weights, off)).sum(axis=1) / weighted(weights, cases))

    return Reliability(
        tuple(
            ReliabilityBin(
                low=number / BINS,
                high=(number + 1) / BINS,
                score=float(np.sort(values[place == number]).mean()),
                right=mean_of(truth[place == number], of.places[place == number]),
            )
            for number in np.unique(place).tolist()
        ),
        brier=mean_of((values - truth) ** 2, of.places),
        ece=bootstrap_estimate(statistic, of, len(values), resampler),
    )
