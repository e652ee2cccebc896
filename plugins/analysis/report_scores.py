"""The scores, errors and written answers of a run, as a report shows them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from msgspec import Struct

from retrocypher.kg.labels import detail_of, name_of
from retrocypher.kg.questions.question import TASKS
from retrocypher.plugins.analysis.group import MEASURED, Pooled, pooled
from retrocypher.plugins.analysis.report_runs import ReportRun, Series, task_place
from retrocypher.plugins.analysis.score_table import (
    TEXT_METRICS,
    MetricValidity,
    ScoreTable,
    metric_validity,
    slice_boxes,
    slice_means,
)
from retrocypher.plugins.runs.record import JsonValue
from retrocypher.plugins.statistics.intervals import NO_ESTIMATE, Estimate, Resampler
from retrocypher.plugins.statistics.means import BoxStats

MEANS = ("precision", "recall", "f1")
ALL = "all"
_CELL = ("model", "loop", "prompt", "shot", "task")
_BINS = 20

Cell = Mapping[str, JsonValue]
"""A cell of a summary: cases of one model, loop, prompt, shot and task."""


class ScoreRow(Struct, frozen=True):
    """Counts and means of some cases."""

    label: str
    """The task or the setting; `all` for all."""
    cases: int
    """Cases on record."""
    scored: int
    """Cases with scores."""
    passed: int
    """Cases that passed."""
    failed: int
    """Scored cases that failed."""
    infrastructure_errors: int
    """Cases that were not run."""
    means: dict[str, Estimate]
    """Mean of each of `MEANS`."""


class Headline(Struct, frozen=True):
    """The scores of one model and loop."""

    model: str
    loop: str
    total: ScoreRow
    settings: list[ScoreRow]
    """One row for each setting, if there are both."""


class PromptScores(Struct, frozen=True):
    """The scores of one prompt and shot by task."""

    prompt: str
    shot: str
    rows: list[ScoreRow]
    """One row for each task, and the last for all."""


class SeriesScores(Struct, frozen=True):
    """The scores of one model and loop by prompt, shot and task."""

    model: str
    loop: str
    groups: list[PromptScores]


class Means:
    """The means of a run over slices, each slicing computed once."""

    def __init__(self, table: ScoreTable) -> None:
        self._table = table
        self._resampler = Resampler()
        self._found: dict[tuple[str, ...], dict[tuple[Any, ...], dict[str, Estimate]]] = {}

    def of(self, **labels: str) -> dict[str, Estimate]:
        """Return the mean of each score over the cases with some labels, by dimension."""
        by = tuple(labels)
        if by not in self._found:
            found: dict[tuple[Any, ...], dict[str, Estimate]] = {}
            for each in slice_means(self._table, by, MEANS, self._resampler):
                found.setdefault(tuple(each.slice[name] for name in by), {})[each.metric] = each.mean
            self._found[by] = found
        return self._found[by].get(tuple(labels.values()), dict.fromkeys(MEANS, NO_ESTIMATE))


def headlines(run: ReportRun, means: Means) -> list[Headline]:
    """Return the scores of each model and loop, and of each setting if there are both."""
    found = []
    for model, loop in run.series:
        cells = _cells(run, (model, loop))
        settings = list(dict.fromkeys(_setting(run, cell["task"]) for cell in cells))
        rows = [
            _row(
                setting,
                [cell for cell in cells if _setting(run, cell["task"]) == setting],
                means.of(model=model, loop=loop, setting=setting),
            )
            for setting in settings
            if len(settings) > 1
        ]
        found.append(Headline(model, loop, _row(ALL, cells, means.of(model=model, loop=loop)), rows))
    return found


def scores(run: ReportRun, means: Means) -> list[SeriesScores]:
    """Return the scores by task, prompt and shot: one part for each model and loop."""
    return [
        SeriesScores(model, loop, list(_prompts(run, means, (model, loop)))) for model, loop in run.series
    ]


def _prompts(run: ReportRun, means: Means, series: Series) -> Iterator[PromptScores]:
    for (prompt, shot), each in groupby(_cells(run, series), lambda cell: (cell["prompt"], cell["shot"])):
        cells = list(each)
        at = {"model": series[0], "loop": series[1], "prompt": prompt, "shot": shot}
        rows = [_row(cell["task"], [cell], means.of(**at, task=cell["task"])) for cell in cells]
        yield PromptScores(prompt, shot, [*rows, _row(ALL, cells, means.of(**at))])


def _row(label: str, cells: Sequence[Cell], means: dict[str, Estimate]) -> ScoreRow:
    names = ("cases", "scored", "passed", "failed", "infrastructure_errors")
    return ScoreRow(label=label, means=means, **{name: sum(cell[name] for cell in cells) for name in names})


def _cells(run: ReportRun, series: Series) -> list[Cell]:
    return [cell for cell in run.summary["cells"] if (cell["model"], cell["loop"]) == series]


def _setting(run: ReportRun, task: str) -> str:
    return str(run.table.labels("setting")[run.table.labels("task").index(task)])


class Box(Struct, frozen=True):
    """The box plot of F1 of one prompt and shot."""

    prompt: str
    shot: str
    box: BoxStats


class TaskBoxes(Struct, frozen=True):
    """The box plots of a task."""

    task: str
    setting: str
    rows: list[Box]


class SeriesBoxes(Struct, frozen=True):
    """The box plots of one model and loop."""

    model: str
    loop: str
    tasks: list[TaskBoxes]


def boxes(run: ReportRun) -> list[SeriesBoxes]:
    """Return the boxes of F1 by task, prompt and shot, as in the paper's figures A5 to A8."""
    found = {tuple(each.slice[name] for name in _CELL): each.box for each in slice_boxes(run.table, _CELL)}
    parts = []
    for model, loop in run.series:
        rows: dict[str, list[Box]] = {}
        cells = _cells(run, (model, loop))
        for cell in sorted(cells, key=lambda cell: task_place(cell["task"])):
            if (box := found.get(tuple(cell[name] for name in _CELL))) is not None:
                rows.setdefault(cell["task"], []).append(Box(cell["prompt"], cell["shot"], box))
        tasks = [TaskBoxes(task, _setting(run, task), each) for task, each in rows.items()]
        parts.append(SeriesBoxes(model, loop, tasks))
    return parts


class AnswerRow(Struct, frozen=True):
    """Counts of written answers."""

    label: str
    """The task; `all` for all."""
    cases: int
    written: int
    insufficient: int
    empty: int
    failed: int
    verdicts: Counter[str]
    support: Pooled | None
    """Mean share of supported claims, over the answers that claim anything."""
    measured: dict[str, Pooled | None]
    """Means of what the judge measures, by `MEASURED`."""


class SeriesAnswers(Struct, frozen=True):
    """The written answers of one model and loop."""

    model: str
    loop: str
    rows: list[AnswerRow]
    """The first for all tasks, then one for each."""
    measured: list[str]
    """What the judge measured."""


def answers(run: ReportRun) -> list[SeriesAnswers]:
    """Return the written answers of each model and loop that has some, by task."""
    found = []
    cells = [cell for cell in run.summary["cells"] if "answers" in cell]
    for series in sorted({(cell["model"], cell["loop"]) for cell in cells}):
        by_task: dict[str, list[Mapping[str, JsonValue]]] = {ALL: []}
        for cell in cells:
            if (cell["model"], cell["loop"]) == series:
                by_task.setdefault(cell["task"], []).append(cell["answers"])
                by_task[ALL].append(cell["answers"])
        rows = [_answer_row(task, parts) for task, parts in by_task.items()]
        measured = [name for name in MEASURED if any(row.measured[name] for row in rows)]
        found.append(SeriesAnswers(*series, rows, measured))
    return found


def _answer_row(label: str, parts: Sequence[Mapping[str, JsonValue]]) -> AnswerRow:
    judged = [part["judge"] for part in parts if "judge" in part]
    names = ("cases", "written", "insufficient", "empty", "failed")
    return AnswerRow(
        label=label,
        **{name: sum(part[name] for part in parts) for name in names},
        verdicts=_sum(part["verdicts"] for part in parts),
        support=pooled((part["support"], part.get("claiming", 0)) for part in parts),
        measured={
            name: pooled((each[name]["mean"], each[name]["count"]) for each in judged if name in each)
            for name in MEASURED
        },
    )


def _sum(parts: Iterable[Mapping[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return total


class LabelCases(Struct, frozen=True):
    """How many cases have a primary label."""

    name: str
    """The label without its detail."""
    cases: int
    details: dict[str, int]
    """Cases by detail, the most frequent first."""
    by_task: list[int]
    """Cases by task."""


class SeriesErrors(Struct, frozen=True):
    """The primary labels of one model and loop."""

    model: str
    loop: str
    cases: int
    """Cases with labels."""
    passed: int
    """How many of these passed."""
    tasks: list[str]
    """The tasks of `by_task`."""
    labels: list[LabelCases]
    """The most frequent first."""


def errors(run: ReportRun) -> list[SeriesErrors]:
    """Return the primary labels of each model and loop that has some."""
    found = [_series_errors(series, _cells(run, series)) for series in run.series]
    return [each for each in found if each.cases]


def _series_errors(series: Series, cells: Sequence[Cell]) -> SeriesErrors:
    totals: Counter[str] = Counter()
    details: dict[str, Counter[str]] = defaultdict(Counter)
    by_task: dict[str, Counter[str]] = defaultdict(Counter)
    for cell in cells:
        for label, count in cell["errors"]["primary"].items():
            name, detail = name_of(label), detail_of(label)
            totals[name] += count
            by_task[name][cell["task"]] += count
            if detail is not None:
                details[name][detail] += count
    tasks = [task for task in TASKS if any(counts[task] for counts in by_task.values())]
    labels = [
        LabelCases(name, count, dict(_descending(details[name])), [by_task[name][task] for task in tasks])
        for name, count in _descending(totals)
    ]
    cases, passed = (sum(cell["errors"][name] for cell in cells) for name in ("cases", "passed"))
    return SeriesErrors(*series, cases, passed, tasks, labels)


def _descending(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda each: (-each[1], each[0]))


def validity(run: ReportRun) -> list[MetricValidity]:
    """Return the correlations of text metrics with F1 over all cases, and by setting if there are both."""
    by_setting = sorted(
        metric_validity(run.table, by=("setting",)), key=lambda each: each.slice["setting"] != "single_step"
    )
    both = len({each.slice["setting"] for each in by_setting}) > 1
    every = (*metric_validity(run.table), *(by_setting if both else ()))
    return [each for each in every if each.pearson.value is not None]


class Point(Struct, frozen=True):
    """Cases in one bin of 0.05 by 0.05."""

    x: float
    """Middle of the bin: the metric."""
    y: float
    """Middle of the bin: F1."""
    cases: int


class Cloud(Struct, frozen=True):
    """Where the cases lie by a text metric and F1."""

    metric: str
    points: list[Point]


def clouds(table: ScoreTable) -> list[Cloud]:
    """Return, for each text metric that cases have, how many cases lie where."""
    found = [Cloud(metric, list(_points(table, metric))) for metric in TEXT_METRICS]
    return [each for each in found if each.points]


def _points(table: ScoreTable, metric: str) -> Iterator[Point]:
    x, y = table.scores(metric), table.scores("f1")
    known = ~np.isnan(x) & ~np.isnan(y)
    places = np.rint(np.column_stack([x[known], y[known]]) * _BINS).astype(int)
    for (column, row), cases in sorted(Counter(map(tuple, places.tolist())).items()):
        yield Point(column / _BINS, row / _BINS, cases)
