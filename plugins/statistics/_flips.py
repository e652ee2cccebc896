"""Permutation test of paired differences, and its correction for many of them."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from plugins.statistics._resampling import SEED, Floats

FLIPS = 9_999
_EXACT = 14
"""Up to so many clusters with a difference all signs are gone through: 8,192 patterns."""

_TIE = 1e-9


def sign_flip_p(sums: Floats, seed: int = SEED) -> float:
    """Return how often differences as large as these arise where neither side is better.

    If it makes no difference which of two runs a molecule's scores came from, the sign of the difference may
    be turned, for all questions of a molecule together (Fisher 1935). Two-sided.

    Args:
        sums: The sum of the differences of each cluster.
        seed: Of the draws, where there are too many patterns to go through all.

    Returns:
        The exact share of patterns of signs with a sum at least as far from 0, of up to 14 clusters with a
        difference; else (b + 1) / (m + 1) of m = 9,999 drawn ones (Phipson & Smyth 2010). 1 where no cluster
        differs.
    """
    moved = sums[sums != 0]
    if not len(moved):
        return 1.0
    seen = abs(float(moved.sum()))
    enough = seen - _TIE * float(np.abs(moved).sum())
    if len(moved) <= _EXACT:
        # The sign of the first may stay: turning all signs changes no distance from 0.
        patterns = np.arange(2 ** (len(moved) - 1))[:, None] >> np.arange(len(moved)) & 1
        return float(np.mean(np.abs(_signed(patterns) @ moved) >= enough))
    patterns = np.random.default_rng(seed).integers(0, 2, size=(FLIPS, len(moved)), dtype=np.int8)
    beyond = int(np.count_nonzero(np.abs(_signed(patterns) @ moved) >= enough))
    return (beyond + 1) / (FLIPS + 1)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm (1979), in the order given.

    The smallest is multiplied by their number, the next by one less, and so on; none gets smaller than one
    before it, and none larger than 1.

    Args:
        p_values: From 0 to 1.
    """
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    steps = p[order] * np.arange(len(p), 0, -1)
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return [float(each) for each in corrected]


def _signed(bits: npt.NDArray[np.integer]) -> Floats:
    return 1 - 2 * bits.astype(np.float64)
