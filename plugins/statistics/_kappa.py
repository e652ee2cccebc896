"""Cohen's kappa of two yes-or-no verdicts, with its interval."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from plugins.statistics._bootstrapped import Names, Weights, bootstrapped
from plugins.statistics._estimate import FEWEST, Estimate
from plugins.statistics._means import certain_share
from plugins.statistics._resampling import Clusters, Floats, Resampler, weighted

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
