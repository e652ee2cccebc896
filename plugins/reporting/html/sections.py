"""What a judge said of the cases of a run, beside what execution says."""

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.kg.questions.question import TASKS
from retrocypher.plugins.judge.agreement import (
    Opinion,
    VariantAgreement,
    agreements,
    by_judge,
    disagreements,
    load_issues,
)
from retrocypher.plugins.reporting.html.run import Case, Run, Series, shortened
from retrocypher.plugins.statistics.intervals import Estimate, Resampler
from retrocypher.plugins.statistics.means import mean_of

TITLES = {"with_reference": "with the reference query", "without_reference": "without the reference query"}
_TENTHS = 10
_APART = 10
_REASON = 300


def judged(run: Run) -> list[dict[str, Any]]:
    """Return a part for each judge and variant: agreement, scores, stated issues and disagreements."""
    resampler = Resampler()
    return [_part(run, found, resampler) for found in agreements(run.opinions, _APART)]


def disputed(run: Run) -> list[str]:
    """Return the ids of the cases that the page lists as disagreed on."""
    groups = by_judge(run.opinions).values()
    return list(dict.fromkeys(each.case_id for said in groups for each in disagreements(said, _APART)))


def drawn(part: Mapping[str, Any], run: str, links: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    """Return a part with what its drawings and links need.

    Bars of all series are on one scale, as shares of the cases of each.

    Args:
        part: One of what `judged` returned.
        run: The name of the run.
        links: Pages of cases, by names of run and case.
    """
    shares = [
        [bar["cases"] / max(1, series["mean"].n) for bar in series["bars"]] for series in part["series"]
    ]
    most = max((share for each in shares for share in each), default=0) or 1
    series = [
        {**told, "bars": [{**bar, "height": h / most} for bar, h in zip(told["bars"], each, strict=True)]}
        for told, each in zip(part["series"], shares, strict=True)
    ]
    apart = [
        {
            "case_id": each.case_id,
            "f1": each.f1,
            "score": each.score,
            "reason": shortened(each.reason, _REASON),
            "href": links.get((run, each.case_id)),
        }
        for each in part["disagreements"]
    ]
    return {**part, "series": series, "disagreements": apart}


def _part(run: Run, found: VariantAgreement, resampler: Resampler) -> dict[str, Any]:
    said = by_judge(run.opinions)[found.judge, found.criteria, found.variant]
    by_series = {
        series: cases
        for series in run.series
        if (cases := [each for each in said if (each.model, each.loop) == series])
    }
    return {
        "judge": found.judge,
        "criteria": found.criteria,
        "variant": found.variant,
        "title": TITLES[found.variant],
        "rows": [("all", found.overall), *found.by_task.items()],
        "unjudged": found.overall.unjudged,
        "reliability": found.overall.reliability,
        "series": [_series(series, cases, resampler) for series, cases in by_series.items()],
        "tasks": [
            {"task": task, "means": [_mean(cases, task, resampler) for cases in by_series.values()]}
            for task in ("all", *found.by_task)
        ],
        "issues": _issues(by_series),
        "disagreements": found.disagreements,
    }


def _series(series: Series, cases: Sequence[Opinion], resampler: Resampler) -> dict[str, Any]:
    """Return how many cases have which score, in tenths."""
    counts = Counter(round(_TENTHS * each.score) for each in cases if each.score is not None)
    model, loop = series
    return {
        "model": model,
        "loop": loop,
        "mean": _mean(cases, "all", resampler),
        "bars": [{"score": place / _TENTHS, "cases": counts[place]} for place in range(_TENTHS + 1)],
    }


def _mean(cases: Sequence[Opinion], task: str, resampler: Resampler) -> Estimate:
    told = [each for each in cases if each.score is not None and task in ("all", each.task)]
    return mean_of([each.score or 0.0 for each in told], [each.target for each in told], resampler)


def _issues(by_series: Mapping[Series, Sequence[Opinion]]) -> dict[str, Any]:
    """Return what the reasons of rejected cases name, and how often execution's labels say the same."""
    issues = load_issues()
    counts = [Counter[str]() for _ in by_series]
    also: Counter[str] = Counter()
    rejected = [0 for _ in by_series]
    for place, cases in enumerate(by_series.values()):
        for each in cases:
            if each.score is None or each.accepted:
                continue
            rejected[place] += 1
            named = issues.of(each.reason)
            counts[place].update(named)
            also.update(label for label in named if label in each.labels)
    total = sum(counts, Counter[str]())
    return {
        "rejected": rejected,
        "rows": [
            {"label": label, "counts": [count[label] for count in counts], "also": also[label]}
            for label in sorted(total, key=lambda label: (-total[label], label))
        ],
    }


_DEFINED = Path("docs", "judge-and-answers.md")


@dataclass(frozen=True, slots=True)
class Calibrations:
    """The calibrations on file, as far as the runs of a page have a judge.

    Attributes:
        found: The calibrations, the newest first.
        trouble: Why they cannot be read; empty where they can.
        defined: Address of the page that defines their figures; empty where it is not at hand.
    """

    found: tuple[Any, ...] = ()
    trouble: str = ""
    defined: str = ""


def calibrations_of(runs: list[Run], root: Path, out: Path) -> Calibrations:
    """Return the calibrations on file; none where no run was judged.

    Args:
        runs: The runs of the page.
        root: The project's folder, which ``reports/calibrations`` is below.
        out: The page, from which the page of definitions is linked.
    """
    if not any(run.opinions for run in runs):
        return Calibrations()
    # What it needs takes its time, which a report without a judge need not.
    from retrocypher.plugins.judge.stored_calibration import filed

    page = root / _DEFINED
    defined = os.path.relpath(page, out.resolve().parent) if page.is_file() else ""
    try:
        return Calibrations(tuple(filed(root)), defined=Path(defined).as_posix() if defined else "")
    except InputError as error:
        return Calibrations(trouble=str(error), defined=defined)


def calibration_of(
    known: Calibrations, facts: Mapping[str, Any] | None, part: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Return what the newest calibration of a judge says, as rows; None where none is of that judge.

    Args:
        known: The calibrations on file.
        facts: What the manifest of the run says of its judge.
        part: What a judge said of it, of one variant.
    """
    if facts is None or facts.get("criteria") != part["criteria"]:
        return None
    from retrocypher.plugins.judge.stored_calibration import newest_of

    found = newest_of(known.found, facts, part["variant"])
    if found is None:
        return None
    rates = found.rates[part["variant"]]
    by_error = sorted(rates.by_error.items(), key=lambda each: (-(each[1].value or 0.0), each[0]))
    return {
        "name": found.name,
        "made": found.made[:10],
        "unjudged": found.unjudged[part["variant"]],
        "kappa": found.kappa[part["variant"]],
        "accepts": rates.false_accepts,
        "rejects": rates.false_rejects,
        "by_error": [(label, rate) for label, rate in by_error if rate.value is not None],
    }


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


LARGEST = 5_000_000
"""Bytes of a page."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page with a list of some length.

    Attributes:
        html: The page.
        listed: How many cases it lists.
        links: Addresses of the pages of cases that it links to, by names of run and case.
    """

    html: bytes
    listed: int
    links: Mapping[tuple[str, str], str]


def fitted(render: Callable[[int], Rendered], most: int, largest: int = LARGEST) -> Rendered:
    """Return a page with as long a list as fits: each time it does not, the list is halved.

    Args:
        render: Makes the page with at most so many cases in its list.
        most: How many to begin with.
        largest: Bytes that the page may have; one without a list may have more.
    """
    page = render(most)
    while page.listed and len(page.html) > largest:
        page = render(page.listed // 2)
    return page
