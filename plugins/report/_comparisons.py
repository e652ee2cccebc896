"""Comparisons of runs, and of what differs within one."""

from collections.abc import Iterator, Sequence
from typing import Any

from kg.errors import InputError
from plugins.comparison import Side, compare_sides, still_said
from plugins.comparison import read_run as read_side
from plugins.report._case import task_place
from plugins.report._run import Run
from plugins.statistics import DIMENSIONS, Comparison, Resampler, ScoreTable, compare

_WITHIN = ("model", "loop", "shot", "prompt")
_CHANGES = 10


def comparisons(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Return the first run against each other one; of one run, what differs within it.

    Each has ``a`` and ``b`` (names), ``about`` (what differs), and ``refused`` (why there is none) or
    ``found`` (a comparison) and ``against`` (what should be the same in both and is not).
    """
    if len(runs) == 1:
        return list(_within(runs[0]))
    first, *others = ((run, read_side(run.path)) for run in runs)
    return [_of_runs(first, other) for other in others]


def _of_runs(a: tuple[Run, Side], b: tuple[Run, Side]) -> dict[str, Any]:
    """Runs that were not measured alike are compared on what is the same, with what stands against it."""
    head = {"about": "run", "a": a[0].name, "b": b[0].name}
    try:
        found = compare_sides(a[1], b[1], on_common=True)
    except InputError as error:
        return {**head, "refused": str(error)}
    told = _told(found.comparison)
    return {**head, "found": told, "against": [str(each) for each in found.against]}


def _within(run: Run) -> Iterator[dict[str, Any]]:
    """Compare each label of a dimension with the first one; prompts only with those of their setting."""
    for dimension in _WITHIN:
        parts: tuple[str | None, ...] = (None,)
        if dimension == "prompt":
            parts = tuple(dict.fromkeys(map(str, run.table.labels("setting"))))
        for setting in parts:
            labels = _labels(run, dimension, setting)
            tables = [_part(run, dimension, label) for label in labels]
            for label, table in zip(labels[1:], tables[1:], strict=True):
                on = [name for name in ("phrasing", *_WITHIN[::-1]) if name != dimension]
                try:
                    found = compare(tables[0], table, paired_on=on, resampler=Resampler())
                except InputError:
                    # They have no question in common, as where each was a run of its own.
                    continue
                yield {"about": dimension, "a": labels[0], "b": label, "found": _told(found), "against": []}


def _labels(run: Run, dimension: str, setting: str | None) -> list[str]:
    if dimension in ("model", "loop"):
        place = ("model", "loop").index(dimension)
        return list(dict.fromkeys(series[place] for series in run.series))
    asked = {
        str(label)
        for label, of in zip(run.table.labels(dimension), run.table.labels("setting"), strict=True)
        if setting in (None, of)
    }
    ordered = dict.fromkeys(cell[dimension] for cell in run.summary["cells"])
    return [label for label in ordered if label in asked]


def _part(run: Run, dimension: str, label: str) -> ScoreTable:
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
        if each == label
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
