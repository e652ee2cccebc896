"""Means with their intervals, and boxes, of a run."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from plugins.report._case import task_place
from plugins.report._run import Run, Series
from plugins.statistics import Estimate, Resampler, slice_boxes, slice_means

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
