"""Means with their intervals, and boxes, of a run."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import Any

import numpy as np

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import LABELS, detail_of, name_of
from retrocypher.kg.questions.question import TASKS
from retrocypher.plugins.analysis.comparison import compare_sides, still_said
from retrocypher.plugins.analysis.group import MEASURED, pooled
from retrocypher.plugins.analysis.paired_scores import Comparison, compare
from retrocypher.plugins.analysis.score_table import (
    DIMENSIONS,
    ScoreTable,
    metric_validity,
    slice_boxes,
    slice_means,
)
from retrocypher.plugins.analysis.scores import Side
from retrocypher.plugins.analysis.scores import read_run as read_side
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.reporting.html.run import Run, Series, task_place
from retrocypher.plugins.statistics.intervals import Estimate, Resampler

SCORES = ("precision", "recall", "f1")
_SERIES = ("model", "loop")
_GROUP = (*_SERIES, "prompt", "shot")
_CELL = (*_GROUP, "task")
_COUNTS = ("cases", "scored", "passed", "failed", "infrastructure_errors")

Key = tuple[Any, ...]


class Means:
    """The means of a run over the slices that the page tells.

    Args:
        run: The run.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._resampler = Resampler()
        self._found: dict[tuple[str, ...], dict[Key, dict[str, Estimate]]] = {}

    def of(self, **labels: Any) -> dict[str, Estimate]:
        """Return the means of one slice by score; a slice without cases has none.

        Args:
            labels: What its cases share, by names of dimensions.
        """
        by = tuple(labels)
        if by not in self._found:
            found: dict[Key, dict[str, Estimate]] = {}
            for each in slice_means(self._run.table, by, SCORES, self._resampler):
                found.setdefault(tuple(each.slice[name] for name in by), {})[each.metric] = each.mean
            self._found[by] = found
        nothing = Estimate(None, None, None, 0, 0)
        return self._found[by].get(tuple(labels.values()), dict.fromkeys(SCORES, nothing))


def headline(run: Run, means: Means) -> list[dict[str, Any]]:
    """Return a line for each series, and of each for each setting where there are both."""
    lines = []
    for model, loop in run.series:
        cells = _cells(run, (model, loop))
        settings = list(dict.fromkeys(_setting(run, cell["task"]) for cell in cells))
        of_all = means.of(model=model, loop=loop)
        lines.append(
            {
                "model": model,
                "loop": loop,
                **_counted(cells),
                "means": of_all,
                "settings": [
                    {
                        "setting": setting,
                        **_counted([cell for cell in cells if _setting(run, cell["task"]) == setting]),
                        "means": means.of(model=model, loop=loop, setting=setting),
                    }
                    for setting in settings
                    if len(settings) > 1
                ],
            }
        )
    return lines


def results(run: Run, means: Means) -> list[dict[str, Any]]:
    """Return the table by task, prompt and shot: one part a series."""
    return [
        {"model": model, "loop": loop, "groups": list(_groups(run, means, (model, loop)))}
        for model, loop in run.series
    ]


def boxes(run: Run) -> list[dict[str, Any]]:
    """Return the boxes of F1 by task, prompt and shot, as in the paper's figures A5 to A8."""
    found: dict[Key, Any] = {
        tuple(each.slice[name] for name in _CELL): each.box for each in slice_boxes(run.table, _CELL)
    }
    parts = []
    for model, loop in run.series:
        cells = _cells(run, (model, loop))
        tasks: dict[str, list[dict[str, Any]]] = {cell["task"]: [] for cell in _by_task(cells)}
        for cell in cells:
            key = tuple(cell[name] for name in _CELL)
            if key in found:
                tasks[cell["task"]].append(
                    {"prompt": cell["prompt"], "shot": cell["shot"], "box": found[key].to_json()}
                )
        shown = [
            {"task": task, "setting": _setting(run, task), "rows": rows}
            for task, rows in tasks.items()
            if rows
        ]
        parts.append({"model": model, "loop": loop, "tasks": shown})
    return parts


def _groups(run: Run, means: Means, series: Series) -> Iterator[dict[str, Any]]:
    model, loop = series
    for (prompt, shot), cells in groupby(
        _cells(run, series), key=lambda cell: (cell["prompt"], cell["shot"])
    ):
        rows = list(cells)
        at = {"model": model, "loop": loop, "prompt": prompt, "shot": shot}
        yield {
            "prompt": prompt,
            "shot": shot,
            "rows": [
                {"task": cell["task"], **_counted([cell]), "means": means.of(**at, task=cell["task"])}
                for cell in rows
            ],
            "all": {**_counted(rows), "means": means.of(**at)},
        }


def _cells(run: Run, series: Series) -> list[Mapping[str, Any]]:
    return [cell for cell in run.summary["cells"] if (cell["model"], cell["loop"]) == series]


def _by_task(cells: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return sorted(cells, key=lambda cell: task_place(cell["task"]))


def _setting(run: Run, task: str) -> str:
    places = run.table.labels("task")
    return str(run.table.labels("setting")[places.index(task)])


def _counted(cells: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return {name: sum(cell[name] for cell in cells) for name in _COUNTS}


_ANSWER_COUNTS = ("cases", "written", "insufficient", "empty", "failed")
_ALL = "all"


def answered(run: Run) -> list[dict[str, Any]]:
    """Return a table for each model and loop with written answers: a row a task, and one for all.

    Args:
        run: The run.
    """
    told = [cell for cell in run.summary["cells"] if "answers" in cell]
    series = groupby(
        sorted(told, key=lambda cell: (cell["model"], cell["loop"])),
        lambda cell: (cell["model"], cell["loop"]),
    )
    return [_table(model, loop, list(cells)) for (model, loop), cells in series]


def _table(model: str, loop: str, cells: list[dict[str, Any]]) -> dict[str, Any]:
    by_task: dict[str, list[dict[str, Any]]] = {_ALL: []}
    for cell in cells:
        by_task.setdefault(cell["task"], []).append(cell["answers"])
        by_task[_ALL].append(cell["answers"])
    rows = [(task, _row(part)) for task, part in by_task.items()]
    measured = [name for name in MEASURED if any(row["measured"][name] for _, row in rows)]
    return {"model": model, "loop": loop, "rows": rows, "measured": measured}


def _row(parts: list[dict[str, Any]]) -> dict[str, Any]:
    verdicts: Counter[str] = Counter()
    for part in parts:
        verdicts.update(part["verdicts"])
    judged = [part["judge"] for part in parts if "judge" in part]
    return {
        **{name: sum(part[name] for part in parts) for name in _ANSWER_COUNTS},
        "verdicts": verdicts,
        "support": pooled((part["support"], part.get("claiming", 0)) for part in parts),
        "measured": {
            name: pooled((each[name]["mean"], each[name]["count"]) for each in judged if name in each)
            for name in MEASURED
        },
    }


SOURCES = {
    "paper": "reaction Text2Cypher paper",
    "cypherbench": "CypherBench",
    "ours": "RetroCypher",
}


def taxonomy(run: Run) -> list[dict[str, Any]]:
    """Return, for each series, how many cases have which primary label, the most frequent first."""
    return [
        part
        for model, loop in run.series
        if (part := {"model": model, "loop": loop, **_of(run, model, loop)})["cases"]
    ]


def _of(run: Run, model: str, loop: str) -> dict[str, Any]:
    cases = passed = 0
    totals: Counter[str] = Counter()
    details: dict[str, Counter[str]] = defaultdict(Counter)
    by_task: dict[str, Counter[str]] = defaultdict(Counter)
    for cell in run.summary["cells"]:
        if (cell["model"], cell["loop"]) != (model, loop):
            continue
        errors: Mapping[str, Any] = cell["errors"]
        cases += errors["cases"]
        passed += errors["passed"]
        for label, count in errors["primary"].items():
            name, detail = name_of(label), detail_of(label)
            totals[name] += count
            by_task[name][cell["task"]] += count
            if detail is not None:
                details[name][detail] += count
    tasks = [task for task in TASKS if any(counts[task] for counts in by_task.values())]
    return {
        "cases": cases,
        "passed": passed,
        "tasks": tasks,
        "labels": [
            {
                "name": name,
                "cases": count,
                "meaning": LABELS[name].meaning if name in LABELS else "",
                "source": SOURCES[LABELS[name].source] if name in LABELS else "",
                "where": LABELS[name].where if name in LABELS else "",
                "details": dict(sorted(details[name].items(), key=lambda each: (-each[1], each[0]))),
                "by_task": [by_task[name][task] for task in tasks],
            }
            for name, count in sorted(totals.items(), key=lambda each: (-each[1], each[0]))
        ],
    }


METRICS = {"bleu": "BLEU", "meteor": "METEOR", "rouge_l": "ROUGE-L"}
_BINS = 20


def validity(run: Run) -> list[dict[str, Any]]:
    """Return the correlations of all cases, and of each setting where there are both."""
    found = list(metric_validity(run.table))
    by_setting = sorted(
        metric_validity(run.table, by=("setting",)), key=lambda each: each.slice["setting"] != "single_step"
    )
    both = len({each.slice["setting"] for each in by_setting}) > 1
    told = [each for each in (*found, *(by_setting if both else ())) if each.pearson.value is not None]
    return [{**each.to_json(), "name": METRICS[each.metric]} for each in told]


def clouds(table: ScoreTable) -> list[dict[str, Any]]:
    """Return, for each text metric, how many cases lie where: bins of 0.05 either way.

    Each point has ``x`` (the metric), ``y`` (F1) and ``cases``; ``x`` and ``y`` are middles of bins.
    """
    return [
        {"metric": metric, "name": name, "points": points}
        for metric, name in METRICS.items()
        if (points := list(_points(table, metric)))
    ]


def _points(table: ScoreTable, metric: str) -> Iterator[dict[str, Any]]:
    x, y = table.scores(metric), table.scores("f1")
    told = ~np.isnan(x) & ~np.isnan(y)
    places = np.rint(np.column_stack([x[told], y[told]]) * _BINS).astype(int)
    for (column, row), cases in sorted(Counter(map(tuple, places.tolist())).items()):
        yield {"x": column / _BINS, "y": row / _BINS, "cases": cases}


_WITHIN = ("model", "loop", "shot", "prompt")
_CHANGES = 10


def comparisons(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return the first run against each other one; of one run, what differs within it.

    Each has ``a`` and ``b`` (names), ``about`` (what differs), ``model`` (whose answers these are, where they
    are of one within a run), and ``refused`` (why there is none) or ``found`` (a comparison), ``together``
    (what else is taken together, in words) and ``against`` (what should be the same in both and is not).
    """
    if len(runs) == 1:
        return list(_within(runs[0]))
    first, *others = ((run, read_side(run.path)) for run in runs)
    return [_of_runs(first, other) for other in others]


def _of_runs(a: tuple[Run, Side], b: tuple[Run, Side]) -> dict[str, Any]:
    """Runs that were not measured alike are compared on what is the same, with what stands against it."""
    head = {"about": "run", "model": "", "a": a[0].name, "b": b[0].name}
    try:
        found = compare_sides(a[1], b[1], on_common=True)
    except InputError as error:
        return {**head, "refused": str(error)}
    told = _told(found.comparison)
    together = _together(a[0].table, b[0].table)
    return {**head, "found": told, "together": together, "against": [str(each) for each in found.against]}


def _within(run: Run) -> Iterator[dict[str, Any]]:
    """Compare each label of a dimension with the first one, within each model.

    Prompts are compared only with those of their setting.
    """
    resampler = Resampler()
    for dimension in _WITHIN:
        models = [""] if dimension == "model" else list(dict.fromkeys(model for model, _ in run.series))
        parts: tuple[str | None, ...] = (None,)
        if dimension == "prompt":
            parts = _settings(run.table)
        for setting, model in product(parts, models):
            labels = _labels(run, dimension, setting)
            tables = [_part(run, dimension, label, model) for label in labels]
            for label, table in zip(labels[1:], tables[1:], strict=True):
                on = [name for name in ("phrasing", *_WITHIN[::-1]) if name != dimension]
                try:
                    found = compare(tables[0], table, paired_on=on, resampler=resampler)
                except InputError:
                    # They have no question in common, as where each was a run of its own.
                    continue
                yield {
                    "about": dimension,
                    "model": model,
                    "a": labels[0],
                    "b": label,
                    "found": _told(found),
                    "together": _together(tables[0], table, dimension),
                    "against": [],
                }


def _together(a: ScoreTable, b: ScoreTable, but: str = "") -> str:
    """Say what cases of both differ in beside what is compared; prompts count within their setting."""
    parts = []
    for name in _WITHIN:
        by = {of: {*_labelled(a, name, of)} & {*_labelled(b, name, of)} for of in (*_settings(a), None)}
        by_setting = [len(labels) for of, labels in by.items() if (of is None) != (name == "prompt")]
        if name != but and (most := max(by_setting)) > 1:
            parts.append(counted(most, name))
    return ", ".join(parts)


def _labelled(table: ScoreTable, name: str, setting: str | None) -> Iterator[str]:
    for label, of in zip(table.labels(name), table.labels("setting"), strict=True):
        if setting in (None, of):
            yield str(label)


def _settings(table: ScoreTable) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(str, table.labels("setting"))))


def _labels(run: Run, dimension: str, setting: str | None) -> list[str]:
    if dimension in ("model", "loop"):
        place = ("model", "loop").index(dimension)
        return list(dict.fromkeys(series[place] for series in run.series))
    asked = {*_labelled(run.table, dimension, setting)}
    ordered = dict.fromkeys(cell[dimension] for cell in run.summary["cells"])
    return [label for label in ordered if label in asked]


def _part(run: Run, dimension: str, label: str, model: str) -> ScoreTable:
    table = run.table
    columns = {name: table.labels(name) for name in DIMENSIONS}
    scores = table.scores("f1").tolist()
    records = (
        {
            "question_id": table.questions[place],
            **{name: column[place] for name, column in columns.items()},
            "scores": {"f1": scores[place]},
        }
        for place, each in enumerate(table.labels(dimension))
        if each == label and model in ("", columns["model"][place])
    )
    return ScoreTable(records, run.targets, ("f1",))


def _told(found: Comparison) -> dict[str, Any]:
    told = found.to_json()
    return {
        **told,
        "slices": sorted(told["slices"], key=lambda each: task_place(each["slice"]["task"])),
        **{name: len(told[name]) for name in ("only_a", "only_b", "unscored")},
        "still": still_said([found.overall, *found.slices]),
        "changed": len(told["changes"]),
        "changes": told["changes"][:_CHANGES],
    }
