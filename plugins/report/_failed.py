"""The list of failed cases, with what it can be filtered by."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from kg.labels import LABELS
from kg.questions import TASKS
from plugins.report._case import Case
from plugins.report._run import Run

Listed = tuple[Run, Case]

_ALWAYS = ("task", "label")
_NONE = "no label"


@dataclass(frozen=True, slots=True)
class _Filter:
    name: str
    labels: list[str]


def listed(runs: Sequence[Run], most: int) -> list[Listed]:
    """Return the failed cases that the page lists, in order.

    Where there are more than ``most``, they are taken in turn from each run, model, loop, task and label, so
    that no rare error is left out for many that are alike.
    """
    everything = [(run, case) for run in runs for case in run.failed]
    if len(everything) <= most:
        return everything
    groups: dict[tuple[str, ...], list[Listed]] = {}
    for run, case in everything:
        groups.setdefault((run.name, case.model, case.loop, case.task, case.label), []).append((run, case))
    taken = [each for turn in zip_longest(*groups.values()) for each in turn if each is not None][:most]
    order = {run.name: place for place, run in enumerate(runs)}
    return sorted(taken, key=lambda each: (order[each[0].name], each[1].place))


def failed_list(
    runs: Sequence[Run], cases: Sequence[Listed], links: Mapping[tuple[str, str], str], folder: str
) -> dict[str, Any]:
    """Return the list for the page.

    Args:
        runs: The runs.
        cases: What `listed` chose.
        links: Pages of cases, by names of run and case.
        folder: Where these are, as the page says it.
    """
    told = [_labels(run, case) for run, case in cases]
    filters = list(_filters(told))
    places = {each.name: {label: place for place, label in enumerate(each.labels)} for each in filters}
    rows = [
        {
            "case": case,
            "href": links.get((run.name, case.id)),
            "key": ",".join(str(places[each.name][labels[each.name]]) for each in filters),
            "labels": [_in_words(each.name, labels[each.name]) for each in filters],
        }
        for (run, case), labels in zip(cases, told, strict=True)
    ]
    return {
        "total": sum(len(run.failed) for run in runs),
        "rows": rows,
        "filters": filters,
        "columns": ["Question", "F1", *(each.name.capitalize() for each in filters)],
        "folder": folder,
        "pages": bool(links),
    }


def _labels(run: Run, case: Case) -> dict[str, str]:
    return {
        "run": run.name,
        "task": case.task,
        "label": case.label or _NONE,
        "prompt": case.prompt,
        "shot": case.shot,
        "loop": case.loop,
        "model": case.model,
    }


def _filters(told: Sequence[Mapping[str, str]]) -> Iterator[_Filter]:
    """Yield what tells cases apart; a column that says the same of all is none."""
    for name in told[0] if told else ():
        labels = _ordered(name, {each[name] for each in told})
        if len(labels) > 1 or name in _ALWAYS:
            yield _Filter(name, labels)


def _ordered(name: str, labels: Iterable[str]) -> list[str]:
    known = {"task": list(TASKS), "label": list(LABELS)}.get(name, [])
    return sorted(labels, key=lambda label: (known.index(label) if label in known else len(known), label))


def _in_words(name: str, label: str) -> str:
    return label.replace("_", " ") if name in _ALWAYS else label
