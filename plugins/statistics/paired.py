"""Two sets of scores of the same questions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from retrocypher.plugins.statistics.intervals import (
    FEWEST,
    LEVEL,
    SEED,
    Clusters,
    Estimate,
    Floats,
    Resampler,
    expanded_percentile,
)
from retrocypher.plugins.statistics.means import certain_share

FLIPS = 9_999
_EXACT = 14
"""Up to so many clusters with a difference all signs are gone through: 8,192 patterns."""

_TIE = 1e-9


def sign_flip_p(sums: Floats, seed: int = SEED) -> float:
    """Return how often differences as large as these arise where neither side is better.

    If it makes no difference which of two runs a molecule's scores came from, the sign of the difference may
    be turned, for all questions of a molecule together (Fisher 1935). Two-sided.

    Args:
        sums: The sum of the differences of each cluster.
        seed: Of the draws, where there are too many patterns to go through all.

    Returns:
        The exact share of patterns of signs with a sum at least as far from 0, of up to 14 clusters with a
        difference; else (b + 1) / (m + 1) of m = 9,999 drawn ones (Phipson & Smyth 2010). 1 where no cluster
        differs.
    """
    moved = sums[sums != 0]
    if not len(moved):
        return 1.0
    seen = abs(float(moved.sum()))
    enough = seen - _TIE * float(np.abs(moved).sum())
    if len(moved) <= _EXACT:
        # The sign of the first may stay: turning all signs changes no distance from 0.
        patterns = np.arange(2 ** (len(moved) - 1))[:, None] >> np.arange(len(moved)) & 1
        return float(np.mean(np.abs(_signed(patterns) @ moved) >= enough))
    patterns = np.random.default_rng(seed).integers(0, 2, size=(FLIPS, len(moved)), dtype=np.int8)
    beyond = int(np.count_nonzero(np.abs(_signed(patterns) @ moved) >= enough))
    return (beyond + 1) / (FLIPS + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm (1979), in the order given.

    The smallest is multiplied by their number, the next by one less, and so on; none gets smaller than one
    before it, and none larger than 1.

    Args:
        p_values: From 0 to 1.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return [float(each) for each in corrected]


def _signed(bits: npt.NDArray[np.integer]) -> Floats:
    return 1 - 2 * bits.astype(np.float64)


POWER = 0.8
SIZES = (0.01, 0.02, 0.03, 0.05, 0.1)


def standard_error(sums: Floats, counts: Floats) -> float:
    """Return the cluster-robust standard error of a mean (Cameron, Gelbach & Miller 2008, section II).

    √(m / (m - 1) · Σ (S - n · mean)²) / N, over m clusters with sum S and n cases each, N in all.

    Args:
        sums: The sum of the values of each cluster.
        counts: How many cases each cluster has.
    """
    clusters, cases = len(sums), counts.sum()
    strays = sums - counts * (sums.sum() / cases)
    return float(np.sqrt(clusters / (clusters - 1) * np.sum(strays**2)) / cases)


def detectable(error: float, clusters: int) -> float:
    """Return the smallest true difference that would be seen in `POWER` of comparisons (Bloom 1995).

    (t(0.975) + t(0.8)) · error, with m - 1 degrees of freedom; two-sided, at 5 %.

    Args:
        error: Standard error of the difference.
        clusters: How many molecules it is from, at least two.
    """
    from scipy.special import stdtrit

    return float((stdtrit(clusters - 1, (1 + LEVEL) / 2) + stdtrit(clusters - 1, POWER)) * error)


def power_curve(
    least: float | None, clusters: int, sizes: Sequence[float] = SIZES
) -> tuple[tuple[float, float], ...]:
    """Return of true differences how many comparisons would show them, as `detectable` reckons.

    The share of size d is T(d / error - t(0.975)), where T is Student's distribution function with m - 1
    degrees of freedom: 80 % at the detectable difference.

    Args:
        least: The detectable difference; None where none can be told.
        clusters: How many molecules it is from, at least two.
        sizes: The true differences.

    Returns:
        Pairs of a size and the share, from 0 to 1; none where no detectable difference can be told.
    """
    from scipy.special import stdtr, stdtrit

    if least is None:
        return ()
    seen = float(stdtrit(clusters - 1, (1 + LEVEL) / 2))
    error = least / (seen + float(stdtrit(clusters - 1, POWER)))
    return tuple((size, float(stdtr(clusters - 1, size / error - seen))) for size in sizes)


MARGIN = 0.02


class Verdict(StrEnum):
    """What a comparison found."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    UNCHANGED = "unchanged"
    INCONCLUSIVE = "inconclusive"


class Held(StrEnum):
    """Whether a rule against regressions holds."""

    HOLDS = "holds"
    REGRESSED = "regressed"
    INCONCLUSIVE = "inconclusive"


def verdict(difference: Estimate, margin: float = MARGIN) -> Verdict:
    """Return what a difference says, by the first of these that fits.

    Improved: all of the interval is above 0. Regressed: all is below 0. Unchanged: all is within ± margin,
    ends included. Else, or without an interval, inconclusive. So a difference that is sure but smaller than
    the margin is improved or regressed, and never unchanged.

    Args:
        difference: The new mean minus the old one.
        margin: What is too small to matter, 0 or more.
    """
    if difference.low is None or difference.high is None:
        return Verdict.INCONCLUSIVE
    if difference.low > 0:
        return Verdict.IMPROVED
    if difference.high < 0:
        return Verdict.REGRESSED
    if -margin <= difference.low and difference.high <= margin:
        return Verdict.UNCHANGED
    return Verdict.INCONCLUSIVE


def no_regression(difference: Estimate, margin: float = MARGIN) -> Held:
    """Return whether a difference is surely no loss of more than a margin (a non-inferiority test).

    It holds where the lower end is above -margin, and also where the interval is the point 0: nothing
    changed, which a margin of 0 must not refuse. It is regressed where the upper end is below -margin. Else,
    or without an interval, it is inconclusive.

    Args:
        difference: The new mean minus the old one.
        margin: The loss that is allowed, 0 or more.
    """
    if difference.low is None or difference.high is None:
        return Held.INCONCLUSIVE
    if difference.low > -margin or difference.low == difference.high == 0:
        return Held.HOLDS
    return Held.REGRESSED if difference.high < -margin else Held.INCONCLUSIVE


TIE = 1e-9
"""Scores nearer than this are the same."""


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """How the scores of B differ from those of A, question by question.

    Attributes:
        mean_a: Mean of A over the pairs.
        mean_b: Mean of B over the pairs.
        difference: Mean of B minus A, with its interval; its ``n`` is how many pairs there are.
        p_value: Two-sided, by turning signs of whole clusters.
        wins: Pairs in which B is better.
        losses: Pairs in which A is better.
        ties: Pairs with equal scores.
        detectable: The smallest true difference that so many questions show in 80 % of comparisons; None
            where all molecules differ by the same, which tells no spread.
        unseen: Where no pair differs, the largest share of other molecules that may differ all the same
            (`certain_share` tells the rest); None where any does.
        margin: What is too small to matter, as taken for the verdict.
        verdict: What the interval says.
        slice: Which cases these are; empty for all.
        p_holm: ``p_value`` corrected for all slices it was looked at with; None for all cases together.
    """

    mean_a: float
    mean_b: float
    difference: Estimate
    p_value: float
    wins: int
    losses: int
    ties: int
    detectable: float | None
    margin: float
    verdict: Verdict
    unseen: float | None = None
    slice: dict[str, str | int] = field(default_factory=dict)
    p_holm: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object, ``difference`` as one of its own."""
        return {
            "slice": dict(self.slice),
            "mean_a": self.mean_a,
            "mean_b": self.mean_b,
            "difference": self.difference.to_json(),
            "p_value": self.p_value,
            "p_holm": self.p_holm,
            "wins": self.wins,
            "losses": self.losses,
            "ties": self.ties,
            "detectable": self.detectable,
            "unseen": self.unseen,
            "margin": self.margin,
            "verdict": self.verdict.value,
        }


def paired(
    a: Sequence[float] | Floats,
    b: Sequence[float] | Floats,
    clusters: Sequence[str] | npt.NDArray[np.intp],
    *,
    margin: float = MARGIN,
    resampler: Resampler | None = None,
) -> PairedComparison:
    """Return how the scores of B differ from those of A.

    Args:
        a: Scores of A, one a pair.
        b: Scores of B, in the same order.
        clusters: The target molecule of each pair.
        margin: What is too small to matter.
        resampler: Draws the resamples, its seed also the signs; one with the default seed if there is none.

    Raises:
        ValueError: If there is no pair, or the three are not of one length.
    """
    before, after = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not len(before) or not len(before) == len(after) == len(clusters):
        raise ValueError(f"pairs wanted, not {len(before)}, {len(after)} and {len(clusters)} values")
    resampler = resampler or Resampler()
    of = Clusters(clusters)
    gains = after - before
    gains[np.abs(gains) <= TIE] = 0
    sums, counts = of.sums(gains), of.sums(np.ones(len(gains)))
    told = difference_of(gains, of, resampler)
    spread = of.count >= FEWEST and not even(sums[:, None], counts)[0]
    return PairedComparison(
        mean_a=_mean(before),
        mean_b=_mean(after),
        difference=told,
        p_value=sign_flip_p(sums, resampler.seed),
        wins=int(np.count_nonzero(gains > 0)),
        losses=int(np.count_nonzero(gains < 0)),
        ties=int(np.count_nonzero(gains == 0)),
        detectable=detectable(standard_error(sums, counts), of.count) if spread else None,
        margin=margin,
        verdict=verdict(told, margin),
        unseen=None if gains.any() else 1 - certain_share(of.count),
    )


def difference_of(gains: Floats, clusters: Clusters, resampler: Resampler) -> Estimate:
    """Return the mean of differences, each from -1 to 1, with its interval.

    Args:
        gains: One a pair, at least one; exactly 0 where the pair does not differ.
        clusters: The clusters of the pairs.
        resampler: Draws the resamples.
    """
    sums, counts = clusters.sums(gains), clusters.sums(np.ones(len(gains)))
    still = np.asarray([not gains.any()])
    (value,), low, high = difference_intervals(sums[:, None], counts, resampler, still)
    return Estimate(
        float(value),
        None if low is None else float(low[0]),
        None if high is None else float(high[0]),
        len(gains),
        clusters.count,
    )


def difference_intervals(
    sums: Floats, counts: Floats, resampler: Resampler, still: npt.NDArray[np.bool_]
) -> tuple[Floats, Floats | None, Floats | None]:
    """Return mean differences and the ends of their intervals, of several comparisons at once.

    Clusters are resampled whole (Field & Welsh 2007), the interval is an expanded percentile one. Where all
    clusters differ by the same, which no resample can vary, it is that of `certain_share`: the rest may
    differ by anything from -1 to 1. Only where no pair differs the point 0 stays.

    Args:
        sums: The sum of differences of each cluster, of shape (clusters, comparisons).
        counts: How many pairs each cluster has, of shape (clusters,).
        resampler: Draws the resamples.
        still: Whether no pair differs, of shape (comparisons,).

    Returns:
        Three arrays of shape (comparisons,); the last two are None of fewer than `FEWEST` clusters.
    """
    value = sums.sum(axis=0) / counts.sum()
    if len(counts) < FEWEST:
        return value, None, None
    resampled = resampler.totals(sums) / resampler.totals(counts)[:, None]
    low, high = expanded_percentile(resampled, len(counts))
    share = certain_share(len(counts))
    wide = even(sums, counts) & ~still
    low = np.where(wide, value * share - (1 - share), np.minimum(low, value))
    high = np.where(wide, value * share + (1 - share), np.maximum(high, value))
    return value, low, high


def even(sums: Floats, counts: Floats) -> npt.NDArray[np.bool_]:
    """Tell of which comparisons all clusters differ by the same (arguments as of `difference_intervals`)."""
    each = sums / counts[:, None]
    return np.asarray(each.max(axis=0) - each.min(axis=0) <= TIE)


def _mean(values: Floats) -> float:
    return float(np.sort(values).mean())
