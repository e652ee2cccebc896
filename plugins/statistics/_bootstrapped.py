"""A number that depends on how often each cluster counts, with its interval."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from plugins.statistics._estimate import FEWEST, LEVEL, Estimate
from plugins.statistics._interval import expanded_bca
from plugins.statistics._resampling import Clusters, Floats, Resampler

RESAMPLES = 2_000
_SAME = 1e-12

Names = Sequence[str] | npt.NDArray[np.intp]
Weights = npt.NDArray[np.number]


def bootstrapped(
    of_weights: Callable[[Weights], Floats], of: Clusters, n: int, resampler: Resampler | None = None
) -> Estimate:
    """Return a number with its expanded BCa interval.

    Args:
        of_weights: Given how often each cluster counts, of shape (resamples, clusters), returns the number
            of each resample; NaN where it is not defined.
        of: The clusters.
        n: How many cases there are.
        resampler: Draws the resamples; one of `RESAMPLES` with the default seed where there is none.

    Returns:
        The value is None where it is not defined; the ends are None where that is so in too many resamples,
        without a single cluster, and of too few clusters; also where all resamples give the same number,
        which then know nothing of what was not asked.
    """
    (value,) = of_weights(np.ones((1, of.count)))
    if np.isnan(value):
        return Estimate(None, None, None, n, of.count)
    none = Estimate(float(value), None, None, n, of.count)
    if of.count < FEWEST:
        return none
    resampler = resampler or Resampler(RESAMPLES)
    resampled = of_weights(resampler.weights(of.count))
    left_one_out = of_weights(1 - np.eye(of.count, dtype=np.uint8))
    defined = ~np.isnan(resampled)
    if np.isnan(left_one_out).any() or np.mean(~defined) > (1 - LEVEL) / 2:
        return none
    if np.ptp(resampled[defined]) <= _SAME:
        return none
    low, high = expanded_bca(
        np.asarray([value]), resampled[defined][:, None], left_one_out[:, None], of.count
    )
    return Estimate(float(value), float(low[0]), float(high[0]), n, of.count)
