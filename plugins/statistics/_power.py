"""What a comparison could have seen."""

import numpy as np
from scipy.special import stdtrit

from plugins.statistics._estimate import LEVEL
from plugins.statistics._resampling import Floats

POWER = 0.8


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
