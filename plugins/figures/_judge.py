"""What a judge says: how its scores are spread, and how far they can be believed."""

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from plugins.figures._style import ACCENT, INK, ONE_COLUMN, QUIET, TWO_COLUMNS, blank, plain, unit_axis

_PANELS_A_ROW = 2
_BAR = 0.08


def judge_scores(part: Mapping[str, Any]) -> Figure:
    """Return how many cases have which score, in tenths: a panel for each model and loop, on one scale.

    Args:
        part: One part of the ``judge`` of a run.
    """
    series = part["series"]
    rows = -(-len(series) // _PANELS_A_ROW)
    columns = min(len(series), _PANELS_A_ROW)
    figure = blank(ONE_COLUMN if columns == 1 else TWO_COLUMNS, 0.3 + 1.9 * rows)
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    for axes, told in zip(panels.flat, series, strict=False):
        bars = told["bars"]
        axes.bar([bar["score"] for bar in bars], [bar["cases"] for bar in bars], width=_BAR, color=ACCENT)
        mean = told["mean"].value
        if mean is not None:
            axes.axvline(mean, color=QUIET, linewidth=0.8, linestyle="--")
        axes.set_title(plain(f"{told['model']}, {told['loop']}"), fontsize=7.5, color=INK)
        axes.set_xlim(-0.06, 1.06)
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    for axes in panels.flat[len(series) :]:
        axes.set_visible(False)
    figure.supxlabel("Score of the judge (dashed: mean)", fontsize=7.5, color=INK)
    figure.supylabel("Cases", fontsize=7.5, color=INK)
    return figure


def judge_reliability(part: Mapping[str, Any]) -> Figure:
    """Return the share of right cases by score, with 95 % intervals; on the line a score is the chance.

    Args:
        part: One part of the ``judge`` of a run.
    """
    figure = blank(ONE_COLUMN, ONE_COLUMN)
    axes = figure.subplots()
    axes.plot((0, 1), (0, 1), color=QUIET, linewidth=0.7)
    for each in part["reliability"].bins:
        if each.right.low is not None and each.right.high is not None:
            ends = (each.right.low, each.right.high)
            axes.plot((each.score, each.score), ends, color=ACCENT, linewidth=1.1)
        axes.plot(each.score, each.right.value, "o", color=ACCENT, markersize=4, clip_on=False)
    unit_axis(axes, "x", "Mean score of the judge")
    unit_axis(axes, "y", "Share of cases with an F1 of 1 (95 % interval)")
    axes.set_aspect("equal")
    return figure
