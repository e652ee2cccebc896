"""Whether a score is the chance of being right: reliability diagram, Brier score, calibration error."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from retrocypher.plugins.statistics.intervals import (
    FEWEST,
    STATISTIC_RESAMPLES,
    Clusters,
    Estimate,
    Floats,
    Names,
    Resampler,
    Weights,
    bootstrapped,
    weighted,
)
from retrocypher.plugins.statistics.means import certain_share, mean_of

Flags = Sequence[bool] | npt.NDArray[np.bool_]


def cohen_kappa(a: Flags, b: Flags, clusters: Names, resampler: Resampler | None = None) -> Estimate:
    """Return Cohen's kappa (1960): how far two verdicts agree beyond what their frequencies bring about.

    Where they agree on all cases every resample is the same; then the low end is the kappa of as many
    disagreements as might have gone unseen (`certain_share`), with the same frequencies.

    Args:
        a: One verdict a case.
        b: The other, in the same order.
        clusters: The target molecule of each case.
        resampler: As for `bootstrapped`.

    Returns:
        The value is None without a case, and where both verdicts are the same one for all cases: nothing
        is then left for chance not to explain.
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not len(first):
        return Estimate(None, None, None, 0, 0)
    of = Clusters(clusters)
    sums = of.sums(np.column_stack([np.ones(len(first)), first, second, first * second]))

    def of_weights(weights: Weights) -> Floats:
        return _kappa(weighted(weights, sums))

    found = bootstrapped(of_weights, of, len(first), resampler)
    if found.value != 1 or of.count < FEWEST:
        return found
    share = float(first.mean())
    by_chance = share**2 + (1 - share) ** 2
    unseen = 1 - certain_share(of.count)
    return replace(found, low=max(-1.0, 1 - unseen / (1 - by_chance)), high=1.0)


def _kappa(totals: Floats) -> Floats:
    n, a, b, both = totals.T
    alike = (n - a - b + 2 * both) * n
    by_chance = a * b + (n - a) * (n - b)
    left = n * n - by_chance
    return np.where(left > 0, (alike - by_chance) / np.where(left > 0, left, 1), np.nan)


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
    of, resampler = Clusters(clusters), resampler or Resampler(STATISTIC_RESAMPLES)
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
