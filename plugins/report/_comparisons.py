"""Comparisons of runs, and of what differs within one."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from kg.errors import InputError
from plugins.comparison import Side, compare_sides, still_said
from plugins.comparison import read_run as read_side
from plugins.report._case import task_place
from plugins.report._run import Run
from plugins.statistics import DIMENSIONS, Comparison, Resampler, ScoreTable, compare
from plugins.terminal import counted

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
