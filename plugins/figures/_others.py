"""Errors, text metrics and loops."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from plugins.figures._style import ACCENT, GRID, INK, ONE_COLUMN, QUIET, TWO_COLUMNS, blank, plain, unit_axis

_BAR = 0.2
_AREA = 90.0


def errors(part: Mapping[str, Any]) -> Figure:
    """Return bars of how many cases have which primary label.

    Args:
        part: One part of the ``taxonomy`` of a run.
    """
    labels = part["labels"]
    figure = blank(ONE_COLUMN, 0.5 + _BAR * len(labels))
    axes = figure.subplots()
    places = range(len(labels))
    counts = [label["cases"] for label in labels]
    axes.barh(places, counts, height=0.65, color=ACCENT)
    axes.set_yticks(places, [plain(label["name"].replace("_", " ")) for label in labels])
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    for place, count in zip(places, counts, strict=True):
        axes.annotate(f" {count:,}", (count, place), va="center", fontsize=6.5, color=QUIET)
    axes.set_xlim(0, 1.15 * max(counts))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.set_xlabel("Cases, by primary label")
    return figure


def text_metrics(clouds: Sequence[Mapping[str, Any]]) -> Figure:
    """Return each text metric against F1; the area of a circle is as the number of cases in a bin of 0.05.

    Args:
        clouds: The ``clouds`` of a run.
    """
    figure = blank(TWO_COLUMNS, TWO_COLUMNS / 3 + 0.1)
    panels = figure.subplots(1, len(clouds), squeeze=False, sharey=True).flat
    most = max(point["cases"] for cloud in clouds for point in cloud["points"])
    for axes, cloud in zip(panels, clouds, strict=True):
        points = cloud["points"]
        axes.scatter(
            [point["x"] for point in points],
            [point["y"] for point in points],
            s=[max(1.5, _AREA * point["cases"] / most) for point in points],
            color=ACCENT,
            alpha=0.6,
            linewidths=0,
            clip_on=False,
        )
        unit_axis(axes, "y", "")
        unit_axis(axes, "x", cloud["name"])
        axes.set_aspect("equal")
    figure.supylabel("F1", fontsize=7.5, color=INK)
    return figure


def correlations(validity: Sequence[Mapping[str, Any]]) -> Figure:
    """Return the correlations of the text metrics with F1, with their 95 % intervals.

    Args:
        validity: The ``validity`` of a run.
    """
    rows = [
        (f"{each['name']}, {each['slice'].get('setting', 'all').replace('_', ' ')}", each)
        for each in validity
    ]
    figure = blank(ONE_COLUMN, 0.75 + 0.24 * len(rows))
    axes = figure.subplots()
    for place, (_, each) in enumerate(rows):
        for name, shift, marker, colour in (
            ("pearson", -0.16, "o", ACCENT),
            ("spearman", 0.16, "s", "#d55e00"),
        ):
            told, y = each[name], place + shift
            if told["low"] is not None and told["high"] is not None:
                axes.plot((told["low"], told["high"]), (y, y), color=colour, linewidth=1.1)
            if told["value"] is not None:
                label = name.capitalize() if place == 0 else None
                axes.plot(told["value"], y, marker, color=colour, markersize=3.4, label=label)
    axes.axvline(0, color=QUIET, linewidth=0.6)
    axes.set_xlim(min(-0.05, axes.get_xlim()[0]), 1.02)
    axes.set_yticks(range(len(rows)), [name for name, _ in rows])
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color=GRID)
    axes.set_axisbelow(True)
    axes.set_xlabel("Correlation with F1 (95 % interval)")
    figure.legend(loc="outside upper center", ncols=2)
    return figure


def loops(ledger: Sequence[Mapping[str, Any]]) -> Figure:
    """Return mean F1 before and after each loop, and the rates of repair and breakage with their intervals.

    Args:
        ledger: The ``ledger`` of a run.
    """
    names = [plain(f"{entry['model']}, {entry['loop']}") for entry in ledger]
    figure = blank(TWO_COLUMNS, 0.8 + 0.3 * len(names))
    before, rates = figure.subplots(1, 2, sharey=True)
    for place, entry in enumerate(ledger):
        means = (entry["f1_before"], entry["f1_after"])
        before.annotate(
            "",
            (means[1], place),
            (means[0], place),
            arrowprops={"arrowstyle": "->", "color": QUIET, "linewidth": 0.8},
        )
        before.plot(means[0], place, "o", color="white", markeredgecolor=QUIET, markersize=4.5)
        before.plot(means[1], place, "o", color=ACCENT, markersize=4.5)
        for name, shift, colour in (("repair_rate", -0.14, "#009e73"), ("breakage_rate", 0.14, "#d55e00")):
            rate, y = entry[name], place + shift
            if rate["low"] is not None and rate["high"] is not None:
                rates.plot((rate["low"], rate["high"]), (y, y), color=colour, linewidth=1.1)
            if rate["value"] is not None and math.isfinite(rate["value"]):
                label = name.partition("_")[0] if place == 0 else None
                rates.plot(rate["value"], y, "o", color=colour, markersize=3.8, label=label, clip_on=False)
    before.set_yticks(range(len(names)), names)
    before.set_ylim(len(names) - 0.5, -0.5)
    unit_axis(before, "x", "Mean F1 before (open) and after (filled)")
    unit_axis(rates, "x", "Rate (95 % interval)")
    rates.legend(loc="best")
    return figure
