"""Draws the figures of a study."""

from collections.abc import Callable, Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from retrocypher.plugins.reporting.figures import INK, QUIET, TWO_COLUMNS, blank, box_values, plain, unit_axis
from retrocypher.plugins.reporting.numbers import score_name
from retrocypher.plugins.statistics.means import BoxStats

# Dark to light, so that prompts stay in order in grey print too.
_PROMPTS = ("#3b1c5a", "#31688e", "#1f9e89", "#7ac74f", "#e0b000")
_ROW = 1.3
_TITLE = 7.5

BoxOf = Callable[[str, str, str, str], BoxStats | None]
"""Gives the distribution of a task, metric, shot and prompt; None where there is none."""


def box_grid(
    tasks: Sequence[str], metrics: Sequence[str], shots: Sequence[str], prompts: Sequence[str], box_of: BoxOf
) -> Figure:
    """Return box plots: a row for each task, a panel for each metric, prompts within shots.

    A single task has its text metrics in one row and the others in the next.
    """
    panels = [[(task, metric) for metric in metrics] for task in tasks]
    if len(tasks) == 1:
        panels = [panels[0][:3], panels[0][3:]]
    columns = max(map(len, panels))
    figure = blank(TWO_COLUMNS, 0.45 + _ROW * len(panels))
    grid = figure.subplots(len(panels), columns, squeeze=False, sharey=True)
    for row, of_row in zip(grid, panels, strict=True):
        for axes in row[len(of_row) :]:
            axes.set_axis_off()
        for place, (axes, (task, metric)) in enumerate(zip(row, of_row, strict=False)):
            _boxes(axes, shots, prompts, lambda shot, prompt, at=(task, metric): box_of(*at, shot, prompt))
            axes.set_title(score_title(metric), fontsize=_TITLE, color=INK)
            if place == 0:
                axes.set_ylabel(plain(task.replace("_", " ")).replace(" ", "\n", 1), color=INK)
    colours = prompt_colours(prompts)
    handles = [Patch(facecolor=colours[prompt], label=plain(prompt)) for prompt in prompts]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), handlelength=1)
    return figure


def score_title(metric: str) -> str:
    """Return the name of a score for a heading."""
    name = score_name(metric).replace("f1", "F1")
    return name if name[0].isupper() else name.capitalize().replace("f1", "F1")


def prompt_colours(prompts: Sequence[str]) -> Mapping[str, str]:
    """Return a colour for each prompt, by its place."""
    return {prompt: _PROMPTS[place % len(_PROMPTS)] for place, prompt in enumerate(prompts)}


def _boxes(
    axes: Axes, shots: Sequence[str], prompts: Sequence[str], box_of: Callable[[str, str], BoxStats | None]
) -> None:
    width = 0.82 / len(prompts)
    for number, (prompt, colour) in enumerate(prompt_colours(prompts).items()):
        found = {place: box_of(shot, prompt) for place, shot in enumerate(shots)}
        boxes = {place: box for place, box in found.items() if box is not None}
        if not boxes:
            continue
        line = {"color": colour, "linewidth": 0.6}
        axes.bxp(
            [box_values(box) for box in boxes.values()],
            positions=[place - 0.41 + width * (number + 0.5) for place in boxes],
            widths=width * 0.82,
            manage_ticks=False,
            showmeans=True,
            patch_artist=True,
            boxprops={"facecolor": f"{colour}55", "edgecolor": colour, "linewidth": 0.6},
            whiskerprops=line,
            capprops=line,
            medianprops={"color": colour, "linewidth": 1.5},
            flierprops={"marker": ".", "markersize": 1.6, "markeredgecolor": colour, "markeredgewidth": 0.4},
            meanprops={
                "marker": "D",
                "markersize": 1.9,
                "markerfacecolor": "white",
                "markeredgecolor": INK,
                "markeredgewidth": 0.5,
            },
        )
    for place in range(1, len(shots)):
        axes.axvline(place - 0.5, color=QUIET, linewidth=0.3)
    axes.set_xlim(-0.5, len(shots) - 0.5)
    axes.set_xticks(range(len(shots)), list(map(plain, shots)))
    axes.tick_params(axis="x", length=0, labelsize=6.5)
    unit_axis(axes, "y", "")
