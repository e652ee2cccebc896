"""F1 by task with its intervals, and how it is spread."""

from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from plugins.figures._style import (
    GRID,
    INK,
    QUIET,
    TWO_COLUMNS,
    blank,
    colour_of,
    marker_of,
    plain,
    unit_axis,
)

_ROW, _STEP, _MARGIN = 0.2, 0.11, 0.75
_PANEL = 1.55


def f1_by_task(part: Mapping[str, Any]) -> Figure:
    """Return mean F1 with its 95 % interval, a row a task and a mark a prompt and shot.

    Args:
        part: One of the ``results`` of a run.
    """
    groups = part["groups"]
    prompts = list(dict.fromkeys(group["prompt"] for group in groups))
    tasks = list(dict.fromkeys(row["task"] for group in groups for row in group["rows"]))
    marks: dict[str, list[tuple[str, str, Any]]] = {task: [] for task in tasks}
    for group in groups:
        for row in group["rows"]:
            marks[row["task"]].append((group["prompt"], group["shot"], row["means"]["f1"]))
    heights = [_ROW + _STEP * len(marks[task]) for task in tasks]
    figure = blank(TWO_COLUMNS, _MARGIN + sum(heights))
    axes = figure.subplots()
    top, middles = 0.0, []
    for task, height in zip(tasks, heights, strict=True):
        middles.append(top + height / 2)
        first = top + _ROW / 2 + _STEP / 2
        for place, (prompt, shot, mean) in enumerate(marks[task]):
            y, colour = first + place * _STEP, colour_of(shot)
            if mean.has_interval:
                axes.plot((mean.low, mean.high), (y, y), color=colour, linewidth=1.1, solid_capstyle="butt")
            if mean.value is not None:
                axes.plot(
                    mean.value, y, marker_of(prompt, prompts), color=colour, markersize=3.4, clip_on=False
                )
        top += height
        axes.axhline(top, color=GRID, linewidth=0.5)
    axes.set_ylim(top, 0)
    axes.set_yticks(middles, [plain(task.replace("_", " ")) for task in tasks])
    axes.tick_params(axis="y", length=0)
    unit_axis(axes, "x", "Mean F1 (95 % interval)")
    shots = list(dict.fromkeys(group["shot"] for group in groups))
    _legend(figure, prompts, shots)
    return figure


def boxes(tasks: Sequence[Mapping[str, Any]]) -> Figure:
    """Return box plots of F1 as in the paper's figures A5 to A8: a panel a task, a group of boxes a prompt.

    Args:
        tasks: The tasks of one setting, from the ``boxes`` of a run.
    """
    columns = 3 if len(tasks) > 4 else min(2, len(tasks))
    rows = -(-len(tasks) // columns)
    figure = blank(TWO_COLUMNS, 0.45 + _PANEL * rows)
    panels = figure.subplots(rows, columns, squeeze=False, sharey=True).flat
    shots = list(dict.fromkeys(row["shot"] for task in tasks for row in task["rows"]))
    for axes, task in zip(panels, tasks, strict=False):
        prompts = list(dict.fromkeys(row["prompt"] for row in task["rows"]))
        width = 0.8 / len(shots)
        for row in task["rows"]:
            box, colour = row["box"], colour_of(row["shot"])
            x = prompts.index(row["prompt"]) - 0.4 + width * (shots.index(row["shot"]) + 0.5)
            axes.bxp(
                [_bxp(box)],
                positions=[x],
                widths=width * 0.8,
                manage_ticks=False,
                showmeans=True,
                patch_artist=True,
                boxprops={"facecolor": f"{colour}40", "edgecolor": colour, "linewidth": 0.7},
                whiskerprops={"color": colour, "linewidth": 0.7},
                capprops={"color": colour, "linewidth": 0.7},
                medianprops={"color": colour, "linewidth": 1.6},
                flierprops={
                    "marker": "o",
                    "markersize": 2,
                    "markeredgecolor": colour,
                    "markeredgewidth": 0.5,
                },
                meanprops={
                    "marker": "D",
                    "markersize": 2.6,
                    "markerfacecolor": "white",
                    "markeredgecolor": INK,
                },
            )
        axes.set_xticks(range(len(prompts)), [plain(prompt) for prompt in prompts])
        axes.set_xlim(-0.5, len(prompts) - 0.5)
        axes.tick_params(axis="x", length=0)
        unit_axis(axes, "y", "")
        axes.set_xlabel(plain(task["task"].replace("_", " ")), color=INK)
    for axes in list(panels):
        axes.set_axis_off()
    figure.supylabel("F1", fontsize=7.5, color=INK)
    _legend(figure, (), shots)
    return figure


def _bxp(box: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "med": box["median"],
        "q1": box["q1"],
        "q3": box["q3"],
        "whislo": box["whisker_low"],
        "whishi": box["whisker_high"],
        "mean": box["mean"],
        "fliers": [value for value, _ in box["outliers"]],
    }


def _legend(figure: Figure, prompts: Sequence[str], shots: Sequence[str]) -> None:
    handles = [
        Line2D(
            [],
            [],
            color=colour_of(shot),
            marker="o" if len(prompts) < 2 else "",
            markersize=3.4,
            label=plain(shot),
        )
        for shot in shots
    ]
    if len(prompts) > 1:
        handles += [
            Line2D(
                [],
                [],
                color=QUIET,
                linestyle="",
                marker=marker_of(prompt, prompts),
                markersize=3.4,
                label=plain(prompt),
            )
            for prompt in prompts
        ]
    figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 9))
