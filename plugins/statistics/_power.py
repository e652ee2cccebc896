"""What a comparison could have seen."""

from collections.abc import Sequence

import numpy as np
from scipy.special import stdtr, stdtrit

from plugins.statistics._estimate import LEVEL
from plugins.statistics._resampling import Floats

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
    if least is None:
        return ()
    seen = float(stdtrit(clusters - 1, (1 + LEVEL) / 2))
    error = least / (seen + float(stdtrit(clusters - 1, POWER)))
    return tuple((size, float(stdtr(clusters - 1, size / error - seen))) for size in sizes)
