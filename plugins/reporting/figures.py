"""Figures of a report: one or two columns wide, reproducible byte by byte, in colours that all can tell."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import cycle
from pathlib import Path
from typing import Any

from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.ledger import LedgerEntry
from retrocypher.plugins.analysis.model_results import MEASURES, ModelResult, front_of
from retrocypher.plugins.analysis.report import JudgeVariant, ReportNumbers, RunNumbers, SeriesRatings
from retrocypher.plugins.analysis.report_scores import (
    Box,
    Cloud,
    SeriesBoxes,
    SeriesErrors,
    SeriesScores,
    TaskBoxes,
)
from retrocypher.plugins.analysis.scores import MetricValidity
from retrocypher.plugins.reporting.figure_tables import tables, write_tables
from retrocypher.plugins.reporting.numbers import score_name
from retrocypher.plugins.runs.record import NO_LOOP
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.means import BoxStats, Ratio

ONE_COLUMN, TWO_COLUMNS = 3.35, 7.0
"""Widths in inches."""

INK, QUIET, GRID = "#222222", "#5f5f5f", "#dddddd"

# Okabe and Ito (2008), some darkened for thin lines on paper; a shot has the same colour everywhere.
_SHOTS = {"ZS": "#6b6b6b", "1S-S": "#d55e00", "1S": "#d55e00", "1S-D-R": "#b5608f", "1S-D-S": "#0072b2"}
_OTHER = ("#009e73", "#b38600", "#332288", "#000000")
ACCENT = "#0b5c63"
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")

_PNG_DPI = 300


def styled() -> AbstractContextManager[None]:
    """Return a context within which figures are made and saved."""
    return style.context(Path(__file__).with_name("paper.mplstyle"))


def blank(width: float, height: float) -> Figure:
    """Return a figure without axes, of a size in inches."""
    return Figure(figsize=(width, height), layout="constrained")


def colour_of(shot: str) -> str:
    """Return the colour of a shot; an unknown shot has a colour by its name."""
    return _SHOTS.get(shot) or _OTHER[sum(map(ord, shot)) % len(_OTHER)]


def marker_of(prompt: str, prompts: Sequence[str]) -> str:
    """Return the marker of a prompt among all of a figure."""
    return _MARKERS[list(prompts).index(prompt) % len(_MARKERS)]


def unit_axis(axes: Axes, which: str, label: str) -> None:
    """Set an axis up for scores: from 0 to 1, with a grid."""
    getattr(axes, f"set_{which}lim")(-0.02, 1.02)
    getattr(axes, f"set_{which}ticks")((0, 0.25, 0.5, 0.75, 1), ("0", "0.25", "0.5", "0.75", "1"))
    getattr(axes, f"set_{which}label")(label)
    axes.grid(axis="x" if which == "x" else "y")
    axes.set_axisbelow(True)


def plain(text: object) -> str:
    """Return a name for a figure, without unprintable characters and not too long."""
    shown = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in str(text))
    return shown if len(shown) <= 40 else f"{shown[:39]}…"


def note(axes: Axes, text: str) -> None:
    """Write in the middle of a panel why it is empty."""
    axes.text(0.5, 0.5, text, transform=axes.transAxes, ha="center", va="center", color=QUIET)


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write a figure as SVG and PNG; the same figure gives the same bytes."""
    paths = [folder / f"{name}.svg", folder / f"{name}.png"]
    figure.savefig(paths[0], metadata={"Date": None, "Creator": None})
    figure.savefig(paths[1], dpi=_PNG_DPI, metadata={"Software": None})
    return paths


_ROW, _STEP, _MARGIN = 0.2, 0.11, 0.75
_PANEL = 1.55


def f1_by_task(part: SeriesScores) -> Figure:
    """Return mean F1 with its 95 % interval: a row for each task, a mark for each prompt and shot."""
    groups = part.groups
    prompts = list(dict.fromkeys(group.prompt for group in groups))
    tasks = list(dict.fromkeys(row.label for group in groups for row in group.rows[:-1]))
    marks: dict[str, list[tuple[str, str, Estimate]]] = {task: [] for task in tasks}
    for group in groups:
        for row in group.rows[:-1]:
            marks[row.label].append((group.prompt, group.shot, row.means["f1"]))
    heights = [_ROW + _STEP * len(marks[task]) for task in tasks]
    figure = blank(TWO_COLUMNS, _MARGIN + sum(heights))
    axes = figure.subplots()
    top, middles = 0.0, []
    for task, height in zip(tasks, heights, strict=True):
        middles.append(top + height / 2)
        first = top + _ROW / 2 + _STEP / 2
        for place, (prompt, shot, mean) in enumerate(marks[task]):
            y, colour = first + place * _STEP, colour_of(shot)
            _interval(axes, mean, y, colour, solid_capstyle="butt")
            if mean.value is not None:
                marker = marker_of(prompt, prompts)
                axes.plot(mean.value, y, marker, color=colour, markersize=3.4, clip_on=False)
        top += height
        axes.axhline(top, color=GRID, linewidth=0.5)
    axes.set_ylim(top, 0)
    axes.set_yticks(middles, [plain(task.replace("_", " ")) for task in tasks])
    axes.tick_params(axis="y", length=0)
    unit_axis(axes, "x", "Mean F1 (95 % interval)")
    shots = list(dict.fromkeys(group.shot for group in groups))
    _legend(figure, prompts, shots)
    return figure


def _interval(axes: Axes, estimate: Estimate | Ratio, y: float, colour: str, **style: Any) -> None:
    if estimate.low is not None and estimate.high is not None:
        axes.plot((estimate.low, estimate.high), (y, y), color=colour, linewidth=1.1, **style)


def boxes(tasks: Sequence[TaskBoxes]) -> Figure:
    """Return the distribution of F1 by task (panels) and prompt (groups), as in the paper's figures A5 to A8.

    A panel has box plots, or stacked shares of cases with an F1 of 1, between, and 0.
    """
    columns = 3 if len(tasks) > 4 else min(2, len(tasks))
    rows = -(-len(tasks) // columns)
    figure = blank(TWO_COLUMNS, 0.45 + _PANEL * rows)
    panels = list(figure.subplots(rows, columns, squeeze=False, sharey=True).flat)
    shots = list(dict.fromkeys(row.shot for task in tasks for row in task.rows))
    for axes, task in zip(panels, tasks, strict=False):
        prompts = list(dict.fromkeys(row.prompt for row in task.rows))
        width = 0.8 / len(shots)
        for row in task.rows:
            colour = colour_of(row.shot)
            x = prompts.index(row.prompt) - 0.4 + width * (shots.index(row.shot) + 0.5)
            if task.as_shares:
                _shares(axes, row, x, width * 0.8, colour)
            else:
                draw_boxes(axes, {x: row.box}, width * 0.4, colour)
        axes.set_xticks(range(len(prompts)), [plain(prompt) for prompt in prompts])
        axes.set_xlim(-0.5, len(prompts) - 0.5)
        axes.tick_params(axis="x", length=0)
        unit_axis(axes, "y", "Share of cases" if task.as_shares else "F1")
        axes.set_xlabel(plain(task.task.replace("_", " ")), color=INK)
    for axes in panels[len(tasks) :]:
        axes.set_axis_off()
    if any(task.as_shares for task in tasks):
        key = "Bars: share of cases with an F1 of 1 (full), between (pale) and 0 (empty)"
        figure.supxlabel(key, fontsize=7.5, color=INK)
    _legend(figure, (), shots)
    return figure


def _shares(axes: Axes, row: Box, x: float, width: float, colour: str) -> None:
    bottom = 0.0
    for cases, face in ((row.ones, colour), (row.between, f"{colour}40"), (row.zeros, "none")):
        share = cases / row.box.n
        axes.bar(x, share, width, bottom, facecolor=face, edgecolor=colour, linewidth=0.7)
        bottom += share


def draw_boxes(axes: Axes, boxes: Mapping[float, BoxStats], half: float, colour: str) -> None:
    """Draw some box plots as a few artists: a figure has hundreds, and `Axes.bxp` is slow with each."""
    frames, lines, medians, points = [], [], [], []
    for x, box in boxes.items():
        left, right = x - half, x + half
        frames.append(((left, box.q1), (right, box.q1), (right, box.q3), (left, box.q3)))
        for end, quartile in ((box.whisker_low, box.q1), (box.whisker_high, box.q3)):
            lines += [((x, quartile), (x, end)), ((x - half / 2, end), (x + half / 2, end))]
        medians.append(((left, box.median), (right, box.median)))
        points += [(x, value) for value, _ in box.outliers]
    axes.add_collection(PolyCollection(frames, facecolor=f"{colour}55", edgecolor=colour, linewidth=0.6))
    axes.add_collection(LineCollection(lines, color=colour, linewidth=0.6))
    axes.add_collection(LineCollection(medians, color=colour, linewidth=1.5))
    dots: dict[str, Any] = {"linestyle": "", "markeredgewidth": 0.4, "clip_on": False}
    if points:
        axes.plot(*zip(*points, strict=True), ".", markersize=1.6, color=colour, **dots)
    means = [box.mean for box in boxes.values()]
    axes.plot(list(boxes), means, "D", markersize=1.9, markerfacecolor="white", markeredgecolor=INK, **dots)


def _legend(figure: Figure, prompts: Sequence[str], shots: Sequence[str]) -> None:
    dot = "o" if len(prompts) < 2 else ""
    handles = [Line2D([], [], color=colour_of(shot), marker=dot, label=plain(shot)) for shot in shots]
    if len(prompts) > 1:
        markers = [(plain(prompt), marker_of(prompt, prompts)) for prompt in prompts]
        handles += [
            Line2D([], [], color=QUIET, linestyle="", marker=each, label=name) for name, each in markers
        ]
    for handle in handles:
        handle.set_markersize(3.4)
    figure.legend(handles=handles, loc="outside upper center", ncols=min(len(handles), 9))


_PANELS_A_ROW = 2
_BAR = 0.08


def judge_scores(series: Sequence[SeriesRatings]) -> Figure:
    """Return how many cases have which score, in tenths: a panel for each model and loop, on one scale."""
    rows = -(-len(series) // _PANELS_A_ROW)
    columns = min(len(series), _PANELS_A_ROW)
    figure = blank(ONE_COLUMN if columns == 1 else TWO_COLUMNS, 0.3 + 1.9 * rows)
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    for axes, each in zip(panels.flat, series, strict=False):
        axes.bar([place / 10 for place in range(len(each.counts))], each.counts, width=_BAR, color=ACCENT)
        if each.mean.value is not None:
            axes.axvline(each.mean.value, color=QUIET, linewidth=0.8, linestyle="--")
        axes.set_title(plain(f"{each.model}, {each.loop}"), fontsize=7.5, color=INK)
        axes.set_xlim(-0.06, 1.06)
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    for axes in panels.flat[len(series) :]:
        axes.set_visible(False)
    figure.supxlabel("Score of the judge (dashed: mean)", fontsize=7.5, color=INK)
    figure.supylabel("Cases", fontsize=7.5, color=INK)
    return figure


def judge_reliability(part: JudgeVariant) -> Figure:
    """Return the share of right cases by score, with 95 % intervals; the line is perfect calibration."""
    figure = blank(ONE_COLUMN, ONE_COLUMN)
    axes = figure.subplots()
    axes.plot((0, 1), (0, 1), color=QUIET, linewidth=0.7)
    for each in part.overall.reliability.bins:
        if each.right.low is not None and each.right.high is not None:
            ends = (each.right.low, each.right.high)
            axes.plot((each.score, each.score), ends, color=ACCENT, linewidth=1.1)
        if each.right.value is not None:
            axes.plot(each.score, each.right.value, "o", color=ACCENT, markersize=4, clip_on=False)
    unit_axis(axes, "x", "Mean score of the judge")
    unit_axis(axes, "y", "Share of cases with an F1 of 1 (95 % interval)")
    axes.set_aspect("equal")
    return figure


_ERROR_BAR = 0.2
_AREA = 90.0


def errors(part: SeriesErrors) -> Figure:
    """Return bars of how many cases have which primary label."""
    labels = part.labels
    figure = blank(ONE_COLUMN, 0.5 + _ERROR_BAR * len(labels))
    axes = figure.subplots()
    places = range(len(labels))
    counts = [label.cases for label in labels]
    axes.barh(places, counts, height=0.65, color=ACCENT)
    axes.set_yticks(places, [plain(label.name.replace("_", " ")) for label in labels])
    axes.invert_yaxis()
    axes.tick_params(axis="y", length=0)
    for place, count in zip(places, counts, strict=True):
        axes.annotate(f" {count:,}", (count, place), va="center", fontsize=6.5, color=QUIET)
    axes.set_xlim(0, 1.15 * max(counts))
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.set_xlabel("Cases, by primary label")
    return figure


def text_metrics(clouds: Sequence[Cloud]) -> Figure:
    """Return each text metric against F1; a circle's area is the number of cases in a bin of 0.05."""
    figure = blank(TWO_COLUMNS, TWO_COLUMNS / 3 + 0.1)
    panels = figure.subplots(1, len(clouds), squeeze=False, sharey=True).flat
    most = max(point.cases for cloud in clouds for point in cloud.points)
    for axes, cloud in zip(panels, clouds, strict=True):
        points = cloud.points
        axes.scatter(
            [point.x for point in points],
            [point.y for point in points],
            s=[max(1.5, _AREA * point.cases / most) for point in points],
            color=ACCENT,
            alpha=0.6,
            linewidths=0,
            clip_on=False,
        )
        unit_axis(axes, "y", "")
        unit_axis(axes, "x", score_name(cloud.metric))
        axes.set_aspect("equal")
    figure.supylabel("F1", fontsize=7.5, color=INK)
    return figure


def correlations(validity: Sequence[MetricValidity]) -> Figure:
    """Return the correlations of the text metrics with F1, with their 95 % intervals."""
    rows = [
        (f"{score_name(each.metric)}, {str(each.slice.get('setting', 'all')).replace('_', ' ')}", each)
        for each in validity
    ]
    figure = blank(ONE_COLUMN, 0.75 + 0.24 * len(rows))
    axes = figure.subplots()
    for place, (_, each) in enumerate(rows):
        for name, found, shift, marker, colour in (
            ("Pearson", each.pearson, -0.16, "o", ACCENT),
            ("Spearman", each.spearman, 0.16, "s", "#d55e00"),
        ):
            y = place + shift
            _interval(axes, found, y, colour)
            if found.value is not None:
                label = name if place == 0 else None
                axes.plot(found.value, y, marker, color=colour, markersize=3.4, label=label)
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


def loops(ledger: Sequence[LedgerEntry]) -> Figure:
    """Return mean F1 before and after each loop, and the rates of repair and breakage."""
    names = [plain(f"{entry.model}, {entry.loop}") for entry in ledger]
    figure = blank(TWO_COLUMNS, 0.8 + 0.3 * len(names))
    before, rates = figure.subplots(1, 2, sharey=True)
    for place, entry in enumerate(ledger):
        means = (entry.f1_before, entry.f1_after)
        before.annotate(
            "",
            (means[1], place),
            (means[0], place),
            arrowprops={"arrowstyle": "->", "color": QUIET, "linewidth": 0.8},
        )
        before.plot(means[0], place, "o", color="white", markeredgecolor=QUIET, markersize=4.5)
        before.plot(means[1], place, "o", color=ACCENT, markersize=4.5)
        for name, rate, shift, colour in (
            ("repair", entry.repair_rate, -0.14, "#009e73"),
            ("breakage", entry.breakage_rate, 0.14, "#d55e00"),
        ):
            y = place + shift
            _interval(rates, rate, y, colour)
            if rate.value is not None:
                label = name if place == 0 else None
                rates.plot(rate.value, y, "o", color=colour, markersize=3.8, label=label, clip_on=False)
    before.set_yticks(range(len(names)), names)
    before.set_ylim(len(names) - 0.5, -0.5)
    unit_axis(before, "x", "Mean F1 before (open) and after (filled)")
    unit_axis(rates, "x", "Rate (95 % interval)")
    rates.legend(loc="best")
    return figure


_MODELS = ("#0b5c63", "#d55e00", "#0072b2", "#b5608f", "#6b6b6b", "#332288", "#b38600")


_LEGEND, _MARK = 120, 7
"""Characters in a row of a legend of two columns' width, and those that a mark takes."""


def pareto(models: Sequence[ModelResult]) -> Figure:
    """Return F1 against cost and against time; the line joins the models that no other one dominates."""
    columns = max(1, _LEGEND // max(len(plain(each.name)) + _MARK for each in models))
    figure = blank(TWO_COLUMNS, 2.7 + 0.16 * -(-len(models) // columns))
    panels = figure.subplots(1, 2, sharey=True)
    marks = list(zip(models, cycle(_MODELS), cycle(_MARKERS)))
    for axes, (measure, label) in zip(panels, MEASURES.items(), strict=True):
        front = front_of(models, measure)
        ends = sorted((float(getattr(each, measure)), each.f1.value) for each in front)
        axes.step([x for x, _ in ends], [f1 for _, f1 in ends], where="post", color=QUIET, linewidth=0.8)
        for each, colour, marker in marks:
            x = getattr(each, measure)
            if x is None or each.f1.value is None:
                continue
            face = colour if each in front else "white"
            style: dict[str, Any] = {"color": colour, "markerfacecolor": face, "markersize": 5}
            axes.plot(x, each.f1.value, marker, clip_on=False, label=plain(each.name), **style)
            if each.f1.low is not None and each.f1.high is not None:
                axes.plot((x, x), (each.f1.low, each.f1.high), color=colour, linewidth=0.9)
        if not ends:
            note(axes, "not known")
        unit_axis(axes, "y", "Mean F1 (95 % interval)" if axes is panels[0] else "")
        axes.set_xlabel(label)
        axes.set_xlim(0, None) if ends else axes.set_xticks([])
        axes.grid(axis="x")
        axes.margins(x=0.1)
    # Seconds are known of each model that is called.
    handles, names = panels[1].get_legend_handles_labels()
    legend = figure.legend(handles, names, loc="outside upper center", ncols=min(len(handles), columns))
    for mark in legend.get_lines():
        # A model may be on one front and not on the other.
        mark.set_markerfacecolor("white")
    return figure


_UNFIT = re.compile(r"[^A-Za-z0-9-]+")


def write_figures(numbers: ReportNumbers, folder: Path) -> list[Path]:
    """Write figures as SVG and PNG and tables as CSV and LaTeX; raise InputError if that is impossible."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        written: list[Path] = []
        with styled():
            for name, figure in _figures(numbers.runs):
                written += save(figure, folder, name)
            if called := numbers.called:
                written += save(pareto(called), folder, "models")
        for name, rows in tables(numbers).items():
            written += write_tables(folder, name, rows, rows)
    except OSError as error:
        raise InputError(
            f"--figures {folder}: cannot be written to ({error.strerror}); name a writable folder"
        ) from error
    return written


def _figures(runs: Sequence[RunNumbers]) -> Iterator[tuple[str, Figure]]:
    for run in runs:
        of_run = [run.name] if len(runs) > 1 else []
        alone = len(run.scores) == 1
        for scores in run.scores:
            yield _name("f1", of_run, scores, alone), f1_by_task(scores)
        for part in run.boxes:
            for setting in dict.fromkeys(task.setting for task in part.tasks):
                tasks = [task for task in part.tasks if task.setting == setting]
                yield _name(f"boxes-{setting}", of_run, part, alone), boxes(tasks)
        for labels in run.errors:
            yield _name("errors", of_run, labels, alone), errors(labels)
        if run.clouds:
            yield _name("text-metrics", of_run), text_metrics(run.clouds)
        if run.validity:
            yield _name("text-metrics-correlations", of_run), correlations(run.validity)
        for judge in run.judge:
            names = [judge.variant.replace("_", "-"), *([judge.judge] if len(run.judge) > 2 else [])]
            yield _name("judge-scores", [*of_run, *names]), judge_scores(judge.series)
            yield _name("judge-reliability", [*of_run, *names]), judge_reliability(judge)
        if run.ledger:
            yield _name("loops", of_run), loops(run.ledger)


def _name(
    figure: str,
    of_run: list[str],
    part: SeriesScores | SeriesBoxes | SeriesErrors | None = None,
    alone: bool = True,
) -> str:
    """Return a file's name, with run, model and loop if there are several."""
    names = [figure, *of_run]
    if part is not None and not alone:
        names += [part.model, *([part.loop] if part.loop != NO_LOOP else [])]
    return _UNFIT.sub("-", "-".join(names))[:120].strip("-")
