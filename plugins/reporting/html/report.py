"""Writes the report of runs: one HTML page, and a folder next to it with a page for each failed case."""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib import metadata
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup
from msgspec import Struct

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import LABELS
from retrocypher.kg.questions.question import TASK_ORDER
from retrocypher.plugins.analysis.gold_confidence import DRAWS, SURE
from retrocypher.plugins.analysis.model_results import with_fronts
from retrocypher.plugins.analysis.report import (
    JudgeVariant,
    ReportNumbers,
    RunNumbers,
    analyse,
    disputed,
    stored_calibrations,
)
from retrocypher.plugins.analysis.report_runs import CaseEntry, ReportRun, read_report_runs
from retrocypher.plugins.formatting.text import shortened
from retrocypher.plugins.reporting.html.case_pages import Job, PageWriter, case_folder, file_of, parts_of
from retrocypher.plugins.reporting.html.rendering import about, asset, environment, policy
from retrocypher.plugins.reporting.numbers import score_name
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.parallel import cores, in_processes
from retrocypher.plugins.runs.record import HEADLINE
from retrocypher.plugins.statistics.paired import MARGIN

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
    """Return a page with as long a list as fits into ``largest`` bytes: it is halved until it does."""
    page = render(most)
    while page.listed and len(page.html) > largest:
        page = render(page.listed // 2)
    return page


def choose(runs: Sequence[ReportRun], most: int) -> list[Listed]:
    """Return the failed cases to list, in order.

    If there are more than ``most``, they are taken in turn from each run, model, loop, task and label, so
    that frequent errors do not displace rare ones.
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
    """A property by which the list can be filtered."""

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
            [
                own[each.name].replace("_", " ") if each.name in _ALWAYS else own[each.name]
                for each in filters
            ],
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
    """Yield the properties in which cases differ, and those that are always shown."""
    for name in labels[0] if labels else ():
        ordered = _ordered(name, {each[name] for each in labels})
        if len(ordered) > 1 or name in _ALWAYS:
            yield Filter(name, ordered)


def _ordered(name: str, labels: Iterable[str]) -> list[str]:
    known = {"task": list(TASK_ORDER), "label": list(LABELS)}.get(name, [])
    return sorted(labels, key=lambda label: (known.index(label) if label in known else len(known), label))


_COSTLIEST_TITLES = {
    "query_s": ("Slowest queries", "seconds"),
    "model_s": ("Slowest answers of models", "seconds"),
    "tokens": ("Most tokens", "count"),
    "cost": ("Most expensive, at list prices", "usd"),
}
SOURCES = {
    "paper": "reaction Text2Cypher paper",
    "cypherbench": "CypherBench",
    "ours": "RetroCypher",
}
_JUDGE_TITLES = {
    "with_reference": "with the reference query",
    "without_reference": "without the reference query",
}
_DEFINED = Path("docs", "judge-and-answers.md")
_RADIUS = 7.0
_REASON = 300

_FEW = 100
"""Up to this many pages, one process is fastest: starting more takes longer than writing."""

_MOST = 8
"""Maximum number of processes: each can have a record with all its rows in memory."""

_ENDED = "a process that wrote pages ended, perhaps for lack of memory; the earlier report is unchanged"


class Report(Struct, frozen=True, kw_only=True):
    """What was written."""

    page: Path
    bytes: int
    cases: int
    failed: int
    listed: int
    """Of these, how many the page lists."""
    not_run: int
    """Cases that were not run because of an infrastructure error."""
    folder: Path
    """Where the pages of cases are."""
    pages: int
    pages_bytes: int
    figures: list[Path]
    lacking: dict[str, str]
    """By name of an incomplete run, what it lacks."""


def build_report(
    paths: Sequence[Path],
    out: Path,
    *,
    most: int,
    figures: Path | None = None,
    root: Path | None = None,
    label_noise: bool = False,
) -> Report:
    """Write the report of runs, the first against the others; raise InputError if that is impossible."""
    for path in paths:
        # Check the run first: if the folder is no run, that is the error to report.
        next(RunLog(path).records(), None)
    _require_writable(out)
    folder = out.with_name(f"{out.stem}-cases")
    runs = read_report_runs(paths)
    page = _analysed(runs, root or Path.cwd(), out, label_noise)

    def render(most: int) -> Rendered:
        cases = choose(runs, most)
        links = _links(runs, cases, folder.name)
        return Rendered(render_page(page, cases, links, folder.name).encode(), len(cases), links)

    rendered = shrink_to_fit(render, most)
    try:
        with case_folder(folder) as pages:
            back = f"../{out.name}"
            sizes = [size for run in runs for size in _write_pages(run, rendered.links, pages, back)]
            out.write_bytes(rendered.html)
    except OSError as error:
        raise InputError(
            f"{out}: cannot be written ({error.strerror}); the earlier report is unchanged"
        ) from error
    written: list[Path] = []
    if figures is not None:
        # Imported late: Matplotlib takes a second to load.
        from retrocypher.plugins.reporting.figures import write_figures

        written = write_figures(page.numbers, figures)
    return Report(
        page=out,
        bytes=len(rendered.html),
        cases=page.numbers.cases,
        failed=page.numbers.failed,
        listed=rendered.listed,
        not_run=page.numbers.not_run,
        folder=folder,
        pages=len(sizes),
        pages_bytes=sum(sizes),
        figures=written,
        lacking={run.name: run.lacks for run in runs if run.lacks},
    )


class Page(Struct, frozen=True):
    """What is rendered: the numbers, and remarks on calibrations."""

    numbers: ReportNumbers
    trouble: str = ""
    """Why the stored calibrations cannot be read; empty if they can."""
    defined: str = ""
    """Address of the page that defines their figures; empty if that file does not exist."""


def _analysed(runs: Sequence[ReportRun], root: Path, out: Path, label_noise: bool) -> Page:
    definitions = root / _DEFINED
    defined = os.path.relpath(definitions, out.resolve().parent) if definitions.is_file() else ""
    try:
        calibrations, trouble = stored_calibrations(runs, root), ""
    except InputError as error:
        calibrations, trouble = [], str(error)
    numbers = analyse(runs, calibrations, label_noise=label_noise)
    return Page(numbers, trouble, Path(defined).as_posix() if defined else "")


def render_page(page: Page, cases: Sequence[Listed], links: Links, folder: str) -> str:
    """Return the page as HTML."""
    style = Markup("\n").join([asset("base.css"), asset("page.css")])
    script = Markup("\n").join([asset("theme.js"), asset("page.js")])
    numbers = page.numbers
    runs = [each.run for each in numbers.runs]
    shown = {
        "runs": [_shown(each, links) for each in numbers.runs],
        "models": list(with_fronts(numbers.called)),
        "comparisons": numbers.comparisons,
        "not_run": [{"name": run.name, "rows": run.error_groups} for run in runs if run.not_run],
    }
    template = environment().get_template("page.html")
    return template.render(
        **shown,
        shots=list(dict.fromkeys(cell.shot for run in runs for cell in run.summary.cells)),
        margin=MARGIN,
        sure=SURE,
        draws=DRAWS,
        trouble=page.trouble,
        defined=page.defined,
        meanings=LABELS,
        sources=SOURCES,
        failed=failed_list(runs, cases, links, folder),
        title=", ".join(run.name for run in runs),
        sections=_sections(shown),
        policy=policy([script], [style]),
        style=style,
        script=script,
        footer=f"Made by RetroCypher {metadata.version('retrocypher')} on {datetime.now(UTC):%d %B %Y}.",
    )


def _shown(numbers: RunNumbers, links: Links) -> dict[str, Any]:
    return {
        **{name: getattr(numbers, name) for name in numbers.__struct_fields__},
        "name": numbers.name,
        "about": about(numbers.run),
        "main": numbers.run.log.manifest.headline,
        "costly": _costliest(numbers.run, links),
        "clouds": [_cloud(each.metric, each.points) for each in numbers.clouds],
        "judge": [_judge(part, numbers.name, links) for part in numbers.judge],
    }


def _sections(shown: Mapping[str, Any]) -> dict[str, str]:
    """Return the sections of the page in order: the headings by id."""
    runs = shown["runs"]
    of_f1 = [each for each in runs if each["main"] == HEADLINE]
    everything = (
        ("headline", "Headline", True),
        ("run", "What was run", True),
        ("results", "Scores", True),
        ("keys", "Scores by key", any(each["keys"] for each in runs)),
        ("more", "EX and PSJS", any(each["more"] for each in runs)),
        ("variation", "Repeats and paraphrases", any(each["variations"] for each in runs)),
        ("gold", "How sure gold is", any(each["gold"] for each in runs)),
        ("boxes", "Distribution of F1", any(part.tasks for each in of_f1 for part in each["boxes"])),
        ("models", "F1 against cost and time", bool(shown["models"])),
        ("comparisons", "Paired comparisons", bool(shown["comparisons"])),
        ("errors", "What went wrong", any(each["errors"] for each in runs)),
        ("loops", "Loops", any(each["ledger"] for each in runs)),
        ("judge", "Judge", any(each["judge"] for each in runs)),
        ("answers", "Written answers", any(each["answers"] for each in runs)),
        ("metrics", "Text metrics", any(each["validity"] for each in runs)),
        ("failed", "Failed cases", True),
        ("not-run", "Not run", bool(shown["not_run"])),
        ("costly", "Slowest and most expensive", any(each["costly"] for each in runs)),
    )
    return {name: title for name, title, there in everything if there}


def _costliest(run: ReportRun, links: Links) -> list[dict[str, Any]]:
    filters = environment().filters
    parts = []
    for measure, (title, unit) in _COSTLIEST_TITLES.items():
        rows = [
            (case, filters[unit](getattr(case, measure)), links.get((run.name, case.id)))
            for case in run.costly.most(measure)
        ]
        parts += [{"title": title, "rows": rows}] if rows else []
    return parts


def _cloud(metric: str, points: Sequence[Any]) -> dict[str, Any]:
    """Return the points of a cloud with radii; areas are proportional to numbers of cases."""
    most = max(point.cases for point in points)
    radii = [max(1.0, _RADIUS * math.sqrt(point.cases / most)) for point in points]
    return {"name": score_name(metric), "points": list(zip(points, radii, strict=True))}


def _judge(part: JudgeVariant, run: str, links: Links) -> dict[str, Any]:
    """Return the ratings of a judge; bars are shares of the cases of each series, all on one scale."""
    scale = part.largest_share or 1
    return {
        "part": part,
        "title": _JUDGE_TITLES[part.variant],
        "series": [
            {
                "of": each,
                "bars": list(zip(each.counts, [share / scale for share in each.shares], strict=True)),
            }
            for each in part.series
        ],
        "disagreements": [
            {"case": each, "reason": shortened(each.reason, _REASON), "href": links.get((run, each.case_id))}
            for each in part.disagreements
        ],
    }


def _links(runs: Sequence[ReportRun], cases: Sequence[Listed], folder: str) -> dict[tuple[str, str], str]:
    """Return the pages of listed, costly and disputed cases, by names of run and case."""
    named = [(run.name, case.id) for run, case in cases]
    named += [(run.name, case) for run in runs for case in (*run.costly.all(), *disputed(run))]
    return {(run, case): f"{folder}/{file_of(run, case)}" for run, case in named}


def _write_pages(run: ReportRun, links: Links, folder: Path, back: str) -> list[int]:
    pages = {case: link.rpartition("/")[2] for (name, case), link in links.items() if name == run.name}
    job = Job(run.name, run.log.path, back, folder)
    processes = 1 if len(pages) <= _FEW else min(cores(), _MOST)
    parts = parts_of(run.log, run.cases, pages)
    written = in_processes(PageWriter, job, parts, processes, f"{run.log}: {_ENDED}")
    return [size for sizes in written for size in sizes]


def _require_writable(out: Path) -> None:
    if out.is_dir() or not out.parent.is_dir() or not os.access(out if out.exists() else out.parent, os.W_OK):
        raise InputError(f"--out {out}: cannot be written; name a file in a folder that exists")
