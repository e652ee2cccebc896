"""The list of failed cases of a report: which of them, and by what they can be filtered."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple

from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.kg.questions.question import TASKS
from retrocypher.plugins.analysis.report_runs import CaseEntry, ReportRun

Listed = tuple[ReportRun, CaseEntry]
Links = Mapping[tuple[str, str], str]
"""Addresses of the pages of cases, by names of run and case."""

LARGEST = 5_000_000
"""Bytes of a page."""
_ALWAYS = ("task", "label")
_NONE = "no label"


class Rendered(NamedTuple):
    """A page with a list of some length."""

    html: bytes
    listed: int
    links: Links
    """The pages of cases that it links to."""


def shrink_to_fit(render: Callable[[int], Rendered], most: int, largest: int = LARGEST) -> Rendered:
    """Return a page with as long a list as fits: each time it does not, the list is halved.

    Args:
        largest: Bytes that the page may have; one without a list may have more.
    """
    page = render(most)
    while page.listed and len(page.html) > largest:
        page = render(page.listed // 2)
    return page


def choose(runs: Sequence[ReportRun], most: int) -> list[Listed]:
    """Return the failed cases to list, in order.

    If there are more than ``most``, they are taken in turn from each run, model, loop, task and label, so
    that no rare error is left out for many that are alike.
    """
    every = [(run, case) for run in runs for case in run.failed]
    if len(every) <= most:
        return every
    groups: dict[tuple[str, ...], list[Listed]] = {}
    for run, case in every:
        groups.setdefault((run.name, case.model, case.loop, case.task, case.label), []).append((run, case))
    taken = [each for turn in zip_longest(*groups.values()) for each in turn if each is not None][:most]
    order = {run.name: place for place, run in enumerate(runs)}
    return sorted(taken, key=lambda each: (order[each[0].name], each[1].place))


class Filter(NamedTuple):
    """What tells listed cases apart."""

    name: str
    labels: list[str]


class Row(NamedTuple):
    """One line of the list."""

    case: CaseEntry
    href: str | None
    key: str
    """Number of its label in each filter."""
    labels: list[str]


class FailedList(NamedTuple):
    """The list as the page shows it."""

    total: int
    rows: list[Row]
    filters: list[Filter]
    columns: list[str]
    folder: str
    """Where the pages of cases are."""
    pages: bool


def failed_list(runs: Sequence[ReportRun], cases: Sequence[Listed], links: Links, folder: str) -> FailedList:
    """Return the list of chosen cases."""
    labels = [_labels(run, case) for run, case in cases]
    filters = list(_filters(labels))
    places = {each.name: {label: place for place, label in enumerate(each.labels)} for each in filters}
    rows = [
        Row(
            case,
            links.get((run.name, case.id)),
            ",".join(str(places[each.name][own[each.name]]) for each in filters),
            [_in_words(each.name, own[each.name]) for each in filters],
        )
        for (run, case), own in zip(cases, labels, strict=True)
    ]
    columns = ["Question", "F1", *(each.name.capitalize() for each in filters)]
    return FailedList(sum(len(run.failed) for run in runs), rows, filters, columns, folder, bool(links))


def _labels(run: ReportRun, case: CaseEntry) -> dict[str, str]:
    names = ("prompt", "shot", "loop", "model")
    return {
        "run": run.name,
        "task": case.task,
        "label": case.label or _NONE,
        **{name: getattr(case, name) for name in names},
    }


def _filters(labels: Sequence[Mapping[str, str]]) -> Iterator[Filter]:
    """Yield what tells cases apart; a column that says the same of all is none."""
    for name in labels[0] if labels else ():
        ordered = _ordered(name, {each[name] for each in labels})
        if len(ordered) > 1 or name in _ALWAYS:
            yield Filter(name, ordered)


def _ordered(name: str, labels: Iterable[str]) -> list[str]:
    known = {"task": list(TASKS), "label": list(LABELS)}.get(name, [])
    return sorted(labels, key=lambda label: (known.index(label) if label in known else len(known), label))


def _in_words(name: str, label: str) -> str:
    return label.replace("_", " ") if name in _ALWAYS else label
