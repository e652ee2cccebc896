"""Paired comparison of two sets of scores: interval, p-value, power, verdict."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

import numpy as np
import numpy.typing as npt
from msgspec import Struct, field

from retrocypher.plugins.statistics.intervals import (
    FEWEST,
    LEVEL,
    SEED,
    Clusters,
    Estimate,
    Floats,
    Names,
    Resampler,
    expanded_percentile,
)
from retrocypher.plugins.statistics.means import TIE, certain_share, equal_means

FLIPS = 9_999
_EXACT = 14
"""Up to this many clusters with a difference, all 8,192 sign patterns are enumerated."""


def sign_flip_p(sums: Floats, seed: int = SEED) -> float:
    """Return the two-sided p-value of the sign-flip test (Fisher 1935) of the difference of each cluster.

    Under the null hypothesis the sign of a molecule's difference is arbitrary, for all its questions
    together. With up to 14 clusters that differ, this is the exact share of sign patterns with a sum at least
    as far from 0; else (b + 1) / (m + 1) of m = 9,999 random patterns (Phipson & Smyth 2010). 1 if no cluster
    differs.
    """
    moved = sums[sums != 0]
    if not len(moved):
        return 1.0
    observed = abs(float(moved.sum()))
    extreme = observed - TIE * float(np.abs(moved).sum())
    if len(moved) <= _EXACT:
        # The sign of the first can be fixed: flipping all signs keeps the distance from 0.
        patterns = np.arange(2 ** (len(moved) - 1))[:, None] >> np.arange(len(moved)) & 1
        return float(np.mean(np.abs(_signed(patterns) @ moved) >= extreme))
    patterns = np.random.default_rng(seed).integers(0, 2, size=(FLIPS, len(moved)), dtype=np.int8)
    beyond = int(np.count_nonzero(np.abs(_signed(patterns) @ moved) >= extreme))
    return (beyond + 1) / (FLIPS + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values with the step-down correction of Holm (1979), in the order given."""
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
    """
    clusters, cases = len(sums), counts.sum()
    deviations = sums - counts * (sums.sum() / cases)
    return float(np.sqrt(clusters / (clusters - 1) * np.sum(deviations**2)) / cases)


def detectable(error: float, clusters: int) -> float:
    """Return the minimum detectable effect at a power of `POWER` (Bloom 1995).

    (t(0.975) + t(0.8)) · error, with m - 1 degrees of freedom for m clusters, at least two; two-sided.
    """
    from scipy.special import stdtrit

    return float((stdtrit(clusters - 1, (1 + LEVEL) / 2) + stdtrit(clusters - 1, POWER)) * error)


def power_curve(
    least: float | None, clusters: int, sizes: Sequence[float] = SIZES
) -> tuple[tuple[float, float], ...]:
    """Return the power of comparisons like this one for some true differences, as pairs (size, power).

    The power at size d is T(d / error - t(0.975)), where T is Student's distribution function with m - 1
    degrees of freedom for m clusters, at least two: 80 % at the detectable difference `least`; if that is
    None, there is no pair.
    """
    from scipy.special import stdtr, stdtrit

    if least is None:
        return ()
    seen = float(stdtrit(clusters - 1, (1 + LEVEL) / 2))
    error = least / (seen + float(stdtrit(clusters - 1, POWER)))
    return tuple((size, float(stdtr(clusters - 1, size / error - seen))) for size in sizes)


MARGIN = 0.02


class Verdict(StrEnum):
    """Outcome of a comparison."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    UNCHANGED = "unchanged"
    INCONCLUSIVE = "inconclusive"


def verdict(difference: Estimate, margin: float = MARGIN) -> Verdict:
    """Return the verdict on a difference; the first that fits.

    Improved: the interval is completely above 0. Regressed: it is below 0. Unchanged: it is within ± margin,
    ends included. Otherwise, or without an interval: inconclusive. A significant difference smaller than the
    margin, which is 0 or more, is improved or regressed, never unchanged.
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


def non_inferiority(
    difference: Estimate, margin: float = MARGIN
) -> Literal["holds", "regressed", "inconclusive"]:
    """Test whether the new mean is not lower than the old one by more than a margin, 0 or more.

    It holds if the lower end is above -margin, or the interval is the point 0: a margin of 0 must accept an
    unchanged run. It regressed if the upper end is below -margin. Otherwise, or without an interval, the test
    is inconclusive.
    """
    if difference.low is None or difference.high is None:
        return "inconclusive"
    if difference.low > -margin or difference.low == difference.high == 0:
        return "holds"
    return "regressed" if difference.high < -margin else "inconclusive"


class PairedComparison(Struct, frozen=True, kw_only=True):
    """How the scores of B differ from those of A on the same cases."""

    slice: dict[str, str | int] = field(default_factory=dict)
    """What the cases have in common; empty for all cases."""
    mean_a: float
    """Mean of A over the pairs."""
    mean_b: float
    """Mean of B over the pairs."""
    difference: Estimate
    """Mean of B minus A; ``n`` counts pairs."""
    p_value: float
    """Two-sided p-value of the sign-flip test over clusters."""
    p_holm: float | None = None
    """``p_value`` corrected for the number of slices; None for all cases together."""
    wins: int
    """Pairs in which B is better."""
    losses: int
    """Pairs in which A is better."""
    ties: int
    """Pairs with equal scores."""
    detectable: float | None
    """The minimum detectable effect at 80 % power; None where all molecules differ by the same."""
    unseen: float | None = None
    """Where no pair differs, the largest share of other molecules that may still differ (`certain_share`);
    None where any pair differs."""
    margin: float
    """The largest difference that does not matter."""
    verdict: Verdict
    """What the interval shows."""


def paired(
    a: Sequence[float] | Floats,
    b: Sequence[float] | Floats,
    clusters: Names,
    *,
    margin: float = MARGIN,
    resampler: Resampler | None = None,
) -> PairedComparison:
    """Compare the scores of B with those of A, in the same order.

    Raises ValueError if there is no pair, or a score has no partner.

    The seed of the resampler also draws the signs of the p-value.
    """
    before, after = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not len(before) or not len(before) == len(after) == len(clusters):
        raise ValueError(
            f"scores and clusters are empty or differ in length: {len(before)}, {len(after)}, {len(clusters)}"
        )
    resampler = resampler or Resampler()
    of = Clusters(clusters)
    gains = after - before
    gains[np.abs(gains) <= TIE] = 0
    sums, counts = of.sums(gains), of.sums(np.ones(len(gains)))
    difference = difference_of(gains, of, resampler)
    spread = of.count >= FEWEST and not equal_means(sums[:, None], counts)[0]
    return PairedComparison(
        mean_a=_mean(before),
        mean_b=_mean(after),
        difference=difference,
        p_value=sign_flip_p(sums, resampler.seed),
        wins=int(np.count_nonzero(gains > 0)),
        losses=int(np.count_nonzero(gains < 0)),
        ties=int(np.count_nonzero(gains == 0)),
        detectable=detectable(standard_error(sums, counts), of.count) if spread else None,
        margin=margin,
        verdict=verdict(difference, margin),
        unseen=None if gains.any() else 1 - certain_share(of.count),
    )


def difference_of(gains: Floats, clusters: Clusters, resampler: Resampler) -> Estimate:
    """Return the mean difference with its interval; pairs with equal scores differ by exactly 0."""
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
    """Return mean differences and the ends of their intervals for several comparisons at once.

    Whole clusters are resampled (Field & Welsh 2007), and the interval is the expanded percentile one. If all
    clusters differ by the same, `certain_share` gives the interval: other molecules may differ by up to 1 in
    either direction. If no pair differs, the interval is the point 0.

    Args:
        sums: The sum of differences of each cluster, of shape (clusters, comparisons).
        counts: The number of pairs of each cluster, of shape (clusters,).
        still: Whether no pair differs, of shape (comparisons,).

    Returns:
        Three arrays of shape (comparisons,); the last two are None with fewer than `FEWEST` clusters.
    """
    value = sums.sum(axis=0) / counts.sum()
    if len(counts) < FEWEST:
        return value, None, None
    resampled = resampler.totals(sums) / resampler.totals(counts)[:, None]
    low, high = expanded_percentile(resampled, len(counts))
    share = certain_share(len(counts))
    wide = equal_means(sums, counts) & ~still
    low = np.where(wide, value * share - (1 - share), np.minimum(low, value))
    high = np.where(wide, value * share + (1 - share), np.maximum(high, value))
    return value, low, high


def _mean(values: Floats) -> float:
    return float(np.sort(values).mean())
