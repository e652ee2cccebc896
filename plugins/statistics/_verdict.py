"""What an interval of a difference says, in a word."""

from enum import StrEnum

from plugins.statistics._estimate import Estimate

MARGIN = 0.02


class Verdict(StrEnum):
    """What a comparison found."""

    IMPROVED = "improved"
    REGRESSED = "regressed"
    UNCHANGED = "unchanged"
    INCONCLUSIVE = "inconclusive"


class Held(StrEnum):
    """Whether a rule against regressions holds."""

    HOLDS = "holds"
    REGRESSED = "regressed"
    INCONCLUSIVE = "inconclusive"


def verdict(difference: Estimate, margin: float = MARGIN) -> Verdict:
    """Return what a difference says, by the first of these that fits.

    Improved: all of the interval is above 0. Regressed: all is below 0. Unchanged: all is within ± margin,
    ends included. Else, or without an interval, inconclusive. So a difference that is sure but smaller than
    the margin is improved or regressed, and never unchanged.

    Args:
        difference: The new mean minus the old one.
        margin: What is too small to matter, 0 or more.
    """
    if difference.low is None or difference.high is None:
        return Verdict.INCONCLUSIVE
    if difference.low > 0:
        return Verdict.IMPROVED
    if difference.high < 0:
        return Verdict.REGRESSED
    if -margin <= difference.low and difference.high <= margin:
        return Verdict.UNCHANGED
    return Verdict.INCONCLUSIVE


def no_regression(difference: Estimate, margin: float = MARGIN) -> Held:
    """Return whether a difference is surely no loss of more than a margin (a non-inferiority test).

    It holds where the lower end is above -margin, and also where the interval is the point 0: nothing
    changed, which a margin of 0 must not refuse. It is regressed where the upper end is below -margin. Else,
    or without an interval, it is inconclusive.

    Args:
        difference: The new mean minus the old one.
        margin: The loss that is allowed, 0 or more.
    """
    if difference.low is None or difference.high is None:
        return Held.INCONCLUSIVE
    if difference.low > -margin or difference.low == difference.high == 0:
        return Held.HOLDS
    return Held.REGRESSED if difference.high < -margin else Held.INCONCLUSIVE
