"""Two sets of scores of the same questions."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from plugins.statistics._estimate import FEWEST, Estimate
from plugins.statistics._flips import sign_flip_p
from plugins.statistics._interval import expanded_percentile
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
            where all pairs differ by the same, which tells no spread.
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
    ends = difference_intervals(sums[:, None], counts, resampler)
    (value,), low, high = ends
    told = Estimate(
        float(value),
        None if low is None else float(low[0]),
        None if high is None else float(high[0]),
        len(gains),
        of.count,
    )
    flat = bool(np.all(gains == gains[0]))
    return PairedComparison(
        mean_a=_mean(before),
        mean_b=_mean(after),
        difference=told,
        p_value=sign_flip_p(sums, resampler.seed),
        wins=int(np.count_nonzero(gains > 0)),
        losses=int(np.count_nonzero(gains < 0)),
        ties=int(np.count_nonzero(gains == 0)),
        detectable=None if flat or of.count < FEWEST else detectable(standard_error(sums, counts), of.count),
        margin=margin,
        verdict=verdict(told, margin),
    )


def difference_intervals(
    sums: Floats, counts: Floats, resampler: Resampler
) -> tuple[Floats, Floats | None, Floats | None]:
    """Return mean differences and the ends of their intervals, of several comparisons at once.

    Clusters are resampled whole (Field & Welsh 2007), the interval is an expanded percentile one.

    Args:
        sums: The sum of differences of each cluster, of shape (clusters, comparisons).
        counts: How many pairs each cluster has, of shape (clusters,).
        resampler: Draws the resamples.

    Returns:
        Three arrays of shape (comparisons,); the last two are None of fewer than `FEWEST` clusters.
    """
    value = sums.sum(axis=0) / counts.sum()
    if len(counts) < FEWEST:
        return value, None, None
    resampled = resampler.totals(sums) / resampler.totals(counts)[:, None]
    low, high = expanded_percentile(resampled, len(counts))
    return value, np.minimum(low, value), np.maximum(high, value)


def _mean(values: Floats) -> float:
    return float(np.sort(values).mean())
