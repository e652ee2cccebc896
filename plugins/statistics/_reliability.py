"""Whether a score is the chance of being right: reliability diagram, Brier score, calibration error."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plugins.statistics._bootstrapped import RESAMPLES, Names, Weights, bootstrapped
from plugins.statistics._estimate import Estimate
from plugins.statistics._kappa import Flags
from plugins.statistics._means import mean_of
from plugins.statistics._resampling import Clusters, Floats, Resampler, weighted

BINS = 10
_EDGE = 1e-9
"""A score this near below the edge of a bin is at it: 0.3 may be told as 0.29999999999999998."""


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The cases whose scores lie next to each other.

    Attributes:
        low: The lowest score of the bin.
        high: Where the next one begins; a score of 1 is in the last.
        score: The mean score of its cases.
        right: The share of its cases that are right.
    """

    low: float
    high: float
    score: float
    right: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return {"low": self.low, "high": self.high, "score": self.score, "right": self.right.to_json()}


@dataclass(frozen=True, slots=True)
class Reliability:
    """How far a score can be read as the chance of being right.

    Attributes:
        bins: The bins that have a case, from low to high scores.
        brier: The mean of (score - right)², 0 at best (Brier 1950).
        ece: The mean over cases of how far score and share of right ones lie apart in their bin, 0 at best
            (expected calibration error: Naeini, Cooper & Hauskrecht 2015).
    """

    bins: tuple[ReliabilityBin, ...]
    brier: Estimate
    ece: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return {
            "bins": [each.to_json() for each in self.bins],
            "brier": self.brier.to_json(),
            "ece": self.ece.to_json(),
        }


def reliability(
    scores: Sequence[float] | Floats, right: Flags, clusters: Names, resampler: Resampler | None = None
) -> Reliability:
    """Compare scores with the share of cases that are right, in ten bins of equal width.

    Args:
        scores: One a case, 0 to 1.
        right: Whether each case is right.
        clusters: The target molecule of each case.
        resampler: As for `bootstrapped`.
    """
    values, truth = np.asarray(scores, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if not len(values):
        nothing = Estimate(None, None, None, 0, 0)
        return Reliability((), nothing, nothing)
    of, resampler = Clusters(clusters), resampler or Resampler(RESAMPLES)
    # Bins have clusters in many numbers, whose draws would take the place of those that others share.
    of_bins = Resampler(resampler.resamples, resampler.seed)
    place = np.minimum(np.floor(values * BINS + _EDGE), BINS - 1).astype(np.intp)
    within = place[:, None] == np.arange(BINS)
    off = of.sums(within * (values - truth)[:, None])
    cases = of.sums(np.ones(len(values)))

    def of_weights(weights: Weights) -> Floats:
        return np.asarray(np.abs(weighted(weights, off)).sum(axis=1) / weighted(weights, cases))

    return Reliability(
        tuple(
            ReliabilityBin(
                low=number / BINS,
                high=(number + 1) / BINS,
                score=float(np.sort(values[place == number]).mean()),
                right=mean_of(truth[place == number], of.places[place == number], of_bins),
            )
            for number in np.unique(place).tolist()
        ),
        brier=mean_of((values - truth) ** 2, of.places, resampler),
        ece=bootstrapped(of_weights, of, len(values), resampler),
    )
