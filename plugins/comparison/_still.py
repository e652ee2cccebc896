"""What is said where nothing changed: the interval is a point, and knows nothing of other questions."""

from collections.abc import Iterable

from plugins.comparison._slice_name import slice_name
from plugins.statistics import PairedComparison

_NAMED = 5


def still_said(rows: Iterable[PairedComparison]) -> str:
    """Say what slices in which no pair differs leave open; empty where there is none with an interval.

    Args:
        rows: The slices.
    """
    open_ = [(each.unseen, each) for each in rows if each.unseen is not None and each.difference.has_interval]
    if not open_:
        return ""
    open_.sort(key=lambda pair: -pair[0])
    shares = [f"{100 * share:.2g} % ({slice_name(each.slice)})" for share, each in open_[:_NAMED]]
    more = len(open_) - _NAMED
    also = f" and less in {more:,} more" if more > 0 else ""
    return (
        "where no pair differs the interval is the point 0, and says nothing of other questions: "
        f"of those, so many may differ all the same: {', '.join(shares)}{also}"
    )
