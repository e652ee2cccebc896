"""Agreement and calibration: Cohen's kappa, reliability diagram, Brier score, calibration error."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.structs import replace

from retrocypher.plugins.statistics.intervals import (
    FEWEST,
    NO_ESTIMATE,
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
    """Return Cohen's kappa (1960), the agreement of two verdicts beyond chance.

    With full agreement no resample varies; the lower bound is then the kappa of as many disagreements as the
    sample may have missed (`certain_share`), with the same frequencies.

    Returns:
        The value is None without cases, and where both verdicts are constant and equal.
    """
    first, second = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if not len(first):
        return NO_ESTIMATE
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
"""A score this close below the edge of a bin counts as on it: 0.3 may be stored as 0.29999999999999998."""


class ReliabilityBin(Struct, frozen=True):
    """The cases whose scores fall into one bin."""

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
    of, resampler = Clusters(clusters), resampler or Resampler(STATISTIC_RESAMPLES)
    # Bins have many cluster counts; their draws would evict the shared ones from the resampler's cache.
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
