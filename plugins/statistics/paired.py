"""Paired comparison of two sets of scores: interval, p-value, power, verdict."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Literal

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from retrocypher.plugins.statistics.bounded import BoundedMeans
from retrocypher.plugins.statistics.intervals import (
    FEWEST,
    LEVEL,
    Clusters,
    Estimate,
    Floats,
    Names,
)
from retrocypher.plugins.statistics.means import TIE


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values with the step-down correction of Holm (1979), in the order given."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return [float(each) for each in corrected]


POWER = 0.8
SIZES = (0.01, 0.02, 0.03, 0.05, 0.1)


def standard_error(sums: Floats, counts: Floats) -> float:
    """Return the cluster-robust standard error of a mean (Cameron, Gelbach & Miller 2008, section II).

    √(m / (m - 1) · Σ (S - n · mean)²) / N, over m clusters with sum S and n cases each, N in all.
    """
    clusters, cases = len(sums), counts.sum()
    deviations = sums - counts * (sums.sum() / cases)
    return float(np.sqrt(clusters / (clusters - 1) * np.sum(deviations**2)) / cases)


def detectable(error: float, clusters: int, effective_clusters: float) -> float:
    """Return the minimum detectable effect at a power of `POWER` (Bloom 1995), with one unseen cluster.

    u + (t(0.975) + t(0.8)) · √(error² + u²), with m - 1 degrees of freedom for m clusters, at least two;
    two-sided. u is 1 divided by the number of effective clusters: the unseen cluster of `BoundedMeans` takes
    so much off on average, with so much spread.
    """
    from scipy.special import stdtrit

    unseen = 1 / effective_clusters
    found, powerful = stdtrit(clusters - 1, (1 + LEVEL) / 2), stdtrit(clusters - 1, POWER)
    return float(unseen + (found + powerful) * np.hypot(error, unseen))


def power_curve(
    least: float | None, clusters: int, effective_clusters: float, sizes: Sequence[float] = SIZES
) -> tuple[tuple[float, float], ...]:
    """Return the power of comparisons like this one for some true differences, as pairs (size, power).

    The power at size d is T((d - u) / spread - t(0.975)), where T is Student's distribution function with
    m - 1 degrees of freedom for m clusters, at least two; u is that of `detectable`, and spread is
    √(error² + u²). It is 80 % at the detectable difference `least`; if that is None, there is no pair.
    """
    from scipy.special import stdtr, stdtrit

    if least is None:
        return ()
    unseen, found = 1 / effective_clusters, float(stdtrit(clusters - 1, (1 + LEVEL) / 2))
    spread = (least - unseen) / (found + float(stdtrit(clusters - 1, POWER)))
    return tuple((size, float(stdtr(clusters - 1, (size - unseen) / spread - found))) for size in sizes)


MARGIN = 0.02


class Verdict(StrEnum):
    """Outcome of a comparison."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    UNCHANGED = "unchanged"
    INCONCLUSIVE = "inconclusive"


def verdict(difference: Estimate, p_value: float, margin: float = MARGIN) -> Verdict:
    """Return the verdict on a difference; the first that fits.

    Improved or regressed: the p-value is at most 1 - `LEVEL`. Unchanged: the interval is within ± margin, 0
    or more, ends included. Otherwise, or without an interval: inconclusive. A significant difference smaller
    than the margin is improved or regressed, never unchanged.
    """
    if difference.value is None or difference.low is None or difference.high is None:
        return Verdict.INCONCLUSIVE
    if p_value <= 1 - LEVEL:
        return Verdict.IMPROVED if difference.value > 0 else Verdict.REGRESSED
    if -margin <= difference.low and difference.high <= margin:
        return Verdict.UNCHANGED
    return Verdict.INCONCLUSIVE


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
    """Two-sided p-value of no difference, from the test that the interval inverts (`BoundedMeans`)."""
    p_holm: float | None = None
    """``p_value`` corrected for the number of slices; None for all cases together."""
    wins: int
    """Pairs in which B is better."""
    losses: int
    """Pairs in which A is better."""
    ties: int
    """Pairs with equal scores."""
    detectable: float | None
    """The minimum detectable effect at 80 % power; None without an interval."""
    effective_clusters: float
    """The number of clusters, less if some have more pairs than others (`BoundedMeans`)."""
    margin: float
    """The largest difference that does not matter."""
    verdict: Verdict
    """What the p-value, for a slice the corrected one, and the interval show."""


def corrected(slices: Sequence[PairedComparison]) -> tuple[PairedComparison, ...]:
    """Return the comparisons of slices with p-values and verdicts corrected for their number (`holm`)."""
    p_values = holm([each.p_value for each in slices])
    return tuple(
        replace(each, p_holm=p, verdict=verdict(each.difference, p, each.margin))
        for each, p in zip(slices, p_values, strict=True)
    )


def non_inferiority(
    found: PairedComparison, margin: float = MARGIN
) -> Literal["holds", "regressed", "inconclusive"]:
    """Test whether the new mean is not lower than the old one by more than a margin, 0 or more.

    It holds if the lower end is above -margin; with a margin of 0 also if no pair differs. It regressed if
    the upper end is below -margin and the verdict is so, too. Otherwise, or without an interval, the test is
    inconclusive.
    """
    difference = found.difference
    if difference.low is None or difference.high is None:
        return "inconclusive"
    if difference.low > -margin or (margin == 0 and not found.wins and not found.losses):
        return "holds"
    surely = difference.high < -margin and found.verdict is Verdict.REGRESSED
    return "regressed" if surely else "inconclusive"


def paired(
    a: Sequence[float] | Floats,
    b: Sequence[float] | Floats,
    clusters: Names,
    *,
    margin: float = MARGIN,
) -> PairedComparison:
    """Compare the scores of B with those of A, in the same order.

    Raises ValueError if there is no pair, or a score has no partner. Pairs with equal scores differ by
    exactly 0.
    """
    before, after = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not len(before) or not len(before) == len(after) == len(clusters):
        raise ValueError(
            f"scores and clusters are empty or differ in length: {len(before)}, {len(after)}, {len(clusters)}"
        )
    of = Clusters(clusters)
    gains = after - before
    gains[np.abs(gains) <= TIE] = 0
    sums, counts = of.sums(gains), of.sums(np.ones(len(gains)))
    means = BoundedMeans(sums[:, None], counts, -1, 1)
    value, p_value = float(means.values[0]), float(means.p_values()[0])
    difference, least = Estimate(value, None, None, len(gains), of.count), None
    if of.count >= FEWEST:
        low, high = means.ends()
        difference = Estimate(value, float(low[0]), float(high[0]), len(gains), of.count)
        least = detectable(standard_error(sums, counts), of.count, means.effective_clusters)
    return PairedComparison(
        mean_a=_mean(before),
        mean_b=_mean(after),
        difference=difference,
        p_value=p_value,
        wins=int(np.count_nonzero(gains > 0)),
        losses=int(np.count_nonzero(gains < 0)),
        ties=int(np.count_nonzero(gains == 0)),
        detectable=least,
        effective_clusters=means.effective_clusters,
        margin=margin,
        verdict=verdict(difference, p_value, margin),
    )


def _mean(values: Floats) -> float:
    return float(np.sort(values).mean())
