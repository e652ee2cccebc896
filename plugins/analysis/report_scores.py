"""The scores, errors and written answers of a run, as a report shows them."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

import numpy as np
from msgspec import Struct

from retrocypher.kg.labels.error_labels import detail_of, name_of
from retrocypher.kg.questions.question import task_place
from retrocypher.plugins.analysis.group import Answers, Group, together
from retrocypher.plugins.analysis.report_runs import ReportRun
from retrocypher.plugins.analysis.scores import (
    TEXT_METRICS,
    LeakMeans,
    Means,
    MetricValidity,
    ScoreTable,
    metric_validity,
    slice_boxes,
    slice_means,
)
from retrocypher.plugins.analysis.summary import Cell, Series
from retrocypher.plugins.runs.record import KEY_METRICS, MORE_METRICS
from retrocypher.plugins.runs.written_answer import ANSWER_METRICS, AnswerMetric
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.means import TIE, BoxStats

ALL = "all"
_BINS = 20


class ScoreRow(Struct, frozen=True):
    """Counts and means of some cases."""

    label: str
    """The task or the setting; `all` for all."""
    group: Group
    means: dict[str, Estimate]
    """Mean of each of `RETRIEVAL_METRICS`, and of the score that decides whether a case passes."""


class Headline(Struct, frozen=True):
    """The scores of one model and loop."""

    model: str
    loop: str
    total: ScoreRow
    settings: list[ScoreRow]
    """One row for each setting, if there are both."""
    leaks: LeakMeans | None
    """What exemplars give away, and the mean without it of the score that decides; None if nothing."""


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


def headlines(run: ReportRun, means: Means) -> list[Headline]:
    """Return the scores of each model and loop, and of each setting if there are both."""
    result = []
    for model, loop in run.series:
        at = {"model": model, "loop": loop}
        settings: dict[str, list[Group]] = {}
        for cell, group in run.summary.cells_of((model, loop)).items():
            settings.setdefault(_setting_of_prompt(run, cell.prompt), []).append(group)
        rows = [
            ScoreRow(setting, together(groups), means.of(**at, setting=setting))
            for setting, groups in settings.items()
        ]
        total = ScoreRow(ALL, together(row.group for row in rows), means.of(**at))
        leaks = means.leaks(run.log.manifest.headline, **at)
        result.append(Headline(model, loop, total, rows if len(rows) > 1 else [], leaks))
    return result


def scores(run: ReportRun, means: Means) -> list[SeriesScores]:
    """Return the scores by task, prompt and shot: one part for each model and loop."""
    return [SeriesScores(*series, list(_prompts(run, means, series))) for series in run.series]


def _prompts(run: ReportRun, means: Means, series: Series) -> Iterator[PromptScores]:
    cells = run.summary.cells_of(series).items()
    for (prompt, shot), each in groupby(cells, lambda item: (item[0].prompt, item[0].shot)):
        at = {"model": series[0], "loop": series[1], "prompt": prompt, "shot": shot}
        rows = [ScoreRow(cell.task, group, means.of(**at, task=cell.task)) for cell, group in each]
        total = ScoreRow(ALL, together(row.group for row in rows), means.of(**at))
        yield PromptScores(prompt, shot, [*rows, total])


def _setting_of_prompt(run: ReportRun, prompt: str) -> str:
    # Not by the task: the one of unanswerable questions is asked in two settings.
    return str(run.table.labels("setting")[run.table.labels("prompt").index(prompt)])


def _setting(run: ReportRun, task: str) -> str:
    return str(run.table.labels("setting")[run.table.labels("task").index(task)])


class SeriesMetrics(Struct, frozen=True):
    """The scores of one model and loop that were measured on request, by task."""

    model: str
    loop: str
    rows: dict[str, dict[str, Estimate]]
    """By task, and for `ALL`, the mean of each of `MORE_METRICS` that was measured."""


def more_metrics(run: ReportRun) -> list[SeriesMetrics]:
    """Return the scores measured on request: one part for each model and loop that has them."""
    measured = [name for name in MORE_METRICS if not np.isnan(run.table.scores(name)).all()]
    found: dict[tuple[Any, ...], dict[str, dict[str, Estimate]]] = {}
    for by in (("model", "loop", "task"), ("model", "loop")) if measured else ():
        for each in slice_means(run.table, by, measured):
            rows = found.setdefault((each.slice["model"], each.slice["loop"]), {})
            rows.setdefault(str(each.slice.get("task", ALL)), {})[each.metric] = each.mean
    return [
        SeriesMetrics(
            model, loop, dict(sorted(rows.items(), key=lambda row: (row[0] == ALL, task_place(row[0]))))
        )
        for (model, loop), rows in found.items()
    ]


class SeriesKeys(Struct, frozen=True):
    """The scores of each key of one model and loop."""

    model: str
    loop: str
    rows: dict[str, dict[str, Estimate]]
    """By key, the mean of each of `RETRIEVAL_METRICS` over the cases in which it is defined."""


def keys(run: ReportRun) -> list[SeriesKeys]:
    """Return the scores of each key: one part for each model and loop with single-step cases."""
    found: dict[tuple[Any, ...], dict[str, dict[str, Estimate]]] = {}
    for each in slice_means(run.table, ("model", "loop"), tuple(KEY_METRICS)):
        if each.mean.value is not None:
            metric, key = KEY_METRICS[each.metric]
            found.setdefault(tuple(each.slice.values()), {}).setdefault(key, {})[metric] = each.mean
    return [SeriesKeys(*series, found[series]) for series in run.series if series in found]


_NEARLY_ALL = 0.9


class Box(Struct, frozen=True):
    """The distribution of F1 of one prompt and shot."""

    prompt: str
    shot: str
    box: BoxStats
    zeros: int
    """Number of cases with an F1 of 0."""
    ones: int
    """Number of cases with an F1 of 1."""

    @property
    def between(self) -> int:
        """Number of cases with another F1."""
        return self.box.n - self.zeros - self.ones


class TaskBoxes(Struct, frozen=True):
    """The distributions of a task."""

    task: str
    setting: str
    rows: list[Box]

    @property
    def as_shares(self) -> bool:
        """Whether shares say more than box plots: in each row, nine in ten scores are 0 or 1."""
        return all(row.zeros + row.ones >= _NEARLY_ALL * row.box.n for row in self.rows)


class SeriesBoxes(Struct, frozen=True):
    """The distributions of one model and loop."""

    model: str
    loop: str
    tasks: list[TaskBoxes]


def boxes(run: ReportRun) -> list[SeriesBoxes]:
    """Return the distributions of F1 by task, prompt and shot, as in the paper's figures A5 to A8."""
    by = Cell._fields
    box_by_cell = {tuple(each.slice[name] for name in by): each.box for each in slice_boxes(run.table, by)}
    f1 = run.table.scores("f1")
    ends = {
        tuple(labels[name] for name in by): [int((abs(f1[places] - end) <= TIE).sum()) for end in (0, 1)]
        for labels, places in run.table.slices(by)
    }
    parts = []
    for series in run.series:
        rows: dict[str, list[Box]] = {}
        for cell in sorted(run.summary.cells_of(series), key=lambda cell: task_place(cell.task)):
            if (box := box_by_cell.get(cell)) is not None:
                rows.setdefault(cell.task, []).append(Box(cell.prompt, cell.shot, box, *ends[cell]))
        parts.append(
            SeriesBoxes(*series, [TaskBoxes(task, _setting(run, task), each) for task, each in rows.items()])
        )
    return parts


class AnswerRow(Struct, frozen=True):
    """Counts of written answers."""

    label: str
    """The task; `all` for all."""
    counts: Answers


class SeriesAnswers(Struct, frozen=True):
    """The written answers of one model and loop."""

    model: str
    loop: str
    rows: list[AnswerRow]
    """The first for all tasks, then one for each."""
    measured: list[AnswerMetric]


def answers(run: ReportRun) -> list[SeriesAnswers]:
    """Return the written answers of each model and loop that has some, by task."""
    result = []
    for series in run.summary.series():
        by_task: dict[str, list[Answers]] = {}
        for cell, group in run.summary.cells_of(series).items():
            if group.answers.cases:
                by_task.setdefault(cell.task, []).append(group.answers)
        rows = [AnswerRow(task, together(parts)) for task, parts in by_task.items()]
        if rows:
            total = AnswerRow(ALL, together(row.counts for row in rows))
            measured = [name for name in ANSWER_METRICS if total.counts.mean(name) is not None]
            result.append(SeriesAnswers(*series, [total, *rows], measured))
    return result


class LabelCases(Struct, frozen=True):
    """How many cases have a primary label."""

    name: str
    cases: int
    details: dict[str, int]
    """Cases by detail, the most frequent first."""
    by_task: list[int]


class SeriesErrors(Struct, frozen=True):
    """The primary labels of one model and loop."""

    model: str
    loop: str
    cases: int
    """Cases with labels."""
    passed: int
    """How many of these passed."""
    tasks: list[str]
    labels: list[LabelCases]
    """The most frequent first."""


def errors(run: ReportRun) -> list[SeriesErrors]:
    """Return the primary labels of each model and loop that has some."""
    parts = [_series_errors(series, run.summary.cells_of(series)) for series in run.series]
    return [each for each in parts if each.cases]


def _series_errors(series: Series, cells: Mapping[Cell, Group]) -> SeriesErrors:
    details: dict[str, Counter[str]] = defaultdict(Counter)
    by_task: dict[str, Counter[str]] = defaultdict(Counter)
    for cell, group in cells.items():
        for label, count in group.labels.primary.items():
            name, detail = name_of(label), detail_of(label)
            by_task[name][cell.task] += count
            if detail is not None:
                details[name][detail] += count
    tasks = sorted({task for counts in by_task.values() for task in counts if counts[task]}, key=task_place)
    labels = [
        LabelCases(name, count, dict(_descending(details[name])), [by_task[name][task] for task in tasks])
        for name, count in _descending({name: counts.total() for name, counts in by_task.items()})
    ]
    counted = together(group.labels for group in cells.values())
    return SeriesErrors(*series, counted.cases, counted.passed, tasks, labels)


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
    """The distribution of cases over a text metric and F1."""

    metric: str
    points: list[Point]


def clouds(table: ScoreTable) -> list[Cloud]:
    """Return, for each text metric that cases have, the number of cases in each bin."""
    result = [Cloud(metric, list(_points(table, metric))) for metric in TEXT_METRICS]
    return [each for each in result if each.points]


def _points(table: ScoreTable, metric: str) -> Iterator[Point]:
    x, y = table.scores(metric), table.scores("f1")
    known = ~np.isnan(x) & ~np.isnan(y)
    places = np.rint(np.column_stack([x[known], y[known]]) * _BINS).astype(int)
    for (column, row), cases in sorted(Counter(map(tuple, places.tolist())).items()):
        yield Point(column / _BINS, row / _BINS, cases)
