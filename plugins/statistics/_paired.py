"""Two sets of scores of the same questions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from plugins.statistics._estimate import FEWEST, Estimate
from plugins.statistics._flips import sign_flip_p
from plugins.statistics._interval import expanded_percentile
from plugins.statistics._means import certain_share
from plugins.statistics._power import detectable, standard_error
from plugins.statistics._resampling import Clusters, Floats, Resampler
from plugins.statistics._verdict import MARGIN, Verdict, verdict

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
