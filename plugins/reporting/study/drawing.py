"""Draws the figures of a study."""

from collections.abc import Mapping, Sequence
from textwrap import fill

from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from retrocypher.plugins.reporting.figure_tables import Row
from retrocypher.plugins.reporting.figures import (
    INK,
    QUIET,
    TWO_COLUMNS,
    blank,
    draw_boxes,
    note,
    plain,
    unit_axis,
)
from retrocypher.plugins.reporting.numbers import score_name
from retrocypher.plugins.runs.record import NO_LOOP
from retrocypher.plugins.statistics.means import BoxStats

# Dark to light, so that prompts stay in order in grey print too.
_PROMPTS = ("#3b1c5a", "#31688e", "#1f9e89", "#7ac74f", "#e0b000")
_ROW = 1.3
_TITLE = 7.5
_LABEL = 21
"""Letters beside a row of panels; longer names of tasks take two lines."""


def box_grid(
    tasks: Mapping[str, str],
    rows: Sequence[Sequence[str]],
    shots: Sequence[str],
    prompts: Sequence[str],
    boxes: Mapping[tuple[str, str, str, str], BoxStats],
) -> Figure:
    """Return box plots: rows of panels for each task, a panel for each metric, prompts within shots.

    Args:
        tasks: Titles of the tasks, by name.
        rows: The metrics of each row of a task.
        boxes: By task, metric, shot and prompt.
    """
    panels = [[(task, metric) for metric in row] for task in tasks for row in rows]
    figure = blank(TWO_COLUMNS, 0.45 + _ROW * len(panels))
    grid = figure.subplots(len(panels), max(map(len, panels)), squeeze=False, sharey=True)
    colours = dict(zip(prompts, _PROMPTS, strict=False))
    width = 0.82 / len(prompts)
    for axes_of_row, of_row in zip(grid, panels, strict=True):
        for axes in axes_of_row[len(of_row) :]:
            axes.set_axis_off()
        for axes, (task, metric) in zip(axes_of_row, of_row, strict=False):
            for number, (prompt, colour) in enumerate(colours.items()):
                found = {place: boxes.get((task, metric, shot, prompt)) for place, shot in enumerate(shots)}
                shown = {place + (number + 0.5) * width - 0.41: box for place, box in found.items() if box}
                if shown:
                    draw_boxes(axes, shown, width * 0.41, colour)
            for place in range(1, len(shots)):
                axes.axvline(place - 0.5, color=QUIET, linewidth=0.3)
            axes.set_xlim(-0.5, len(shots) - 0.5)
            axes.set_xticks(range(len(shots)), list(map(plain, shots)))
            axes.tick_params(axis="x", length=0, labelsize=6.5)
            unit_axis(axes, "y", "")
            title = score_name(metric).replace("f1", "F1")
            axes.set_title(title[0].upper() + title[1:], fontsize=_TITLE, color=INK)
        if len(rows) == 1:
            axes_of_row[0].set_ylabel(fill(tasks[of_row[0][0]], _LABEL), color=INK)
    handles = [Patch(facecolor=colour, label=plain(prompt)) for prompt, colour in colours.items()]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), handlelength=1)
    return figure


_BAR = 0.1


def error_bars(
    rows: Sequence[Row], categories: Sequence[str], prompts: Sequence[str], shots: Sequence[str]
) -> Figure:
    """Return how many wrong queries have which category: a panel for each prompt and shot.

    Args:
        rows: With ``prompt``, ``shot``, ``loop``, ``queries`` and a count for each category.
    """
    series = list(dict.fromkeys((row["loop"], row["queries"]) for row in rows))
    figure = blank(TWO_COLUMNS, 0.6 + len(prompts) * (0.35 + _BAR * (len(series) + 0.6) * len(categories)))
    grid = figure.subplots(len(prompts), len(shots), squeeze=False, sharex=True, sharey=True)
    names = [plain(name.replace("_", " ").replace(":", ": ")) for name in categories]
    for row_of, prompt in zip(grid, prompts, strict=True):
        for axes, shot in zip(row_of, shots, strict=True):
            of_panel = {
                (r["loop"], r["queries"]): r for r in rows if (r["prompt"], r["shot"]) == (prompt, shot)
            }
            for place, each in enumerate(series):
                counts = [of_panel[each][name] if each in of_panel else 0 for name in categories]
                shift = (place + 0.5) / len(series) * 0.8 - 0.4
                ys = [at + shift for at in range(len(categories))]
                loop, queries = each
                label = "direct prompting" if loop == NO_LOOP else f"{plain(loop)}, {queries}"
                colour = _SERIES[place % len(_SERIES)]
                axes.barh(ys, counts, 0.74 / len(series), color=colour, label=label)
            if not of_panel:
                note(axes, "no cases")
            axes.set_title(f"{plain(prompt)}, {plain(shot)}", fontsize=_TITLE, color=INK)
            axes.set_yticks(range(len(names)), names)
            axes.tick_params(axis="y", length=0)
            axes.grid(axis="x")
            axes.set_axisbelow(True)
            axes.xaxis.set_major_locator(MaxNLocator(nbins=4, integer=True))
    grid[0, 0].set_ylim(len(names) - 0.5, -0.5)
    figure.supxlabel("Wrong queries that ran, by primary label", fontsize=_TITLE, color=INK)
    handles, labels = grid[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=min(len(handles), 5), handlelength=1)
    return figure


_SERIES = ("#6b6b6b", "#e69f00", "#0072b2", "#b5608f", "#009e73", "#332288", "#d55e00")
