"""The report of runs, written."""

import math
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from markupsafe import Markup

from retrocypher.kg.errors import InputError
from retrocypher.plugins.reporting.html.case_pages import CaseFolder, Job, PageWriter, file_of, parts_of
from retrocypher.plugins.reporting.html.environment import about, asset, environment, policy
from retrocypher.plugins.reporting.html.results import (
    Means,
    answered,
    boxes,
    clouds,
    comparisons,
    headline,
    results,
    taxonomy,
    validity,
)
from retrocypher.plugins.reporting.html.run import Case, Run, read_runs
from retrocypher.plugins.reporting.html.sections import (
    Calibrations,
    Listed,
    Rendered,
    calibration_of,
    calibrations_of,
    disputed,
    drawn,
    failed_list,
    fitted,
    judged,
    listed,
)
from retrocypher.plugins.runs.log import read_records
from retrocypher.plugins.runs.parallel import cores, in_processes
from retrocypher.plugins.statistics.paired import MARGIN

Links = Mapping[tuple[str, str], str]

_COSTLIEST_TITLES = {
    "query_s": ("Slowest queries", "seconds"),
    "model_s": ("Slowest answers of models", "seconds"),
    "tokens": ("Most tokens", "count"),
    "cost": ("Most expensive, at list prices", "usd"),
}
_RADIUS = 7.0


def page_of(runs: Sequence[Run], calibrations: Calibrations) -> dict[str, Any]:
    """Return the numbers of the page; every one of them comes from ``plugins.statistics`` or the summary.

    Args:
        runs: The runs.
        calibrations: What is known of their judges.
    """
    return {
        "runs": [_run(run, calibrations) for run in runs],
        "calibrations": calibrations,
        "comparisons": comparisons(runs),
        "margin": MARGIN,
        "shots": list(dict.fromkeys(cell["shot"] for run in runs for cell in run.summary["cells"])),
        "not_run": [{"name": run.name, "rows": _troubles(run.not_run)} for run in runs if run.not_run],
    }


def render_page(
    runs: Sequence[Run], page: Mapping[str, Any], cases: Sequence[Listed], links: Links, folder: str
) -> str:
    """Return the page as HTML.

    Args:
        runs: The runs.
        page: What `page_of` returned.
        cases: The failed cases to list.
        links: Pages of cases, by names of run and case.
        folder: Where these are.
    """
    style = Markup("\n").join([asset("base.css"), asset("page.css")])
    script = Markup("\n").join([asset("theme.js"), asset("page.js")])
    told = [
        {
            **shown,
            "costly": _costly(run, links),
            "clouds": [_sized(cloud) for cloud in shown["clouds"]],
            "judge": [drawn(part, run.name, links) for part in shown["judge"]],
        }
        for run, shown in zip(runs, page["runs"], strict=True)
    ]
    flags = {
        "has_boxes": any(part["tasks"] for each in told for part in each["boxes"]),
        "has_errors": any(each["taxonomy"] for each in told),
        "has_ledger": any(each["ledger"] for each in told),
        "has_answers": any(each["answers"] for each in told),
        "has_judge": any(each["judge"] for each in told),
        "has_validity": any(each["validity"] for each in told),
        "has_costly": any(each["costly"] for each in told),
    }
    return (
        environment()
        .get_template("page.html")
        .render(
            **{**page, "runs": told, **flags},
            failed=failed_list(runs, cases, links, folder),
            title=", ".join(run.name for run in runs),
            sections=list(_sections(page, flags)),
            policy=policy([script], [style]),
            style=style,
            script=script,
            footer=f"Made by RetroCypher {metadata.version('retrocypher')} on {datetime.now(UTC):%d %B %Y}.",
        )
    )


def _run(run: Run, calibrations: Calibrations) -> dict[str, Any]:
    means = Means(run)
    return {
        "name": run.name,
        "about": about(run),
        "scored": run.summary["scored"],
        "headline": headline(run, means),
        "results": results(run, means),
        "boxes": boxes(run),
        "taxonomy": taxonomy(run),
        "series_count": len(run.series),
        "ledger": [
            {**entry, "rows": [("all", entry), *entry["by_label"].items()]}
            for entry in run.ledger
            if entry["cases"]
        ],
        "judge": [
            {**part, "calibration": calibration_of(calibrations, run.manifest.get("judge"), part)}
            for part in judged(run)
        ],
        "answers": answered(run),
        "validity": validity(run),
        "clouds": clouds(run.table),
    }


def _sections(page: Mapping[str, Any], flags: Mapping[str, bool]) -> list[tuple[str, str]]:
    everything = (
        ("headline", "Headline", True),
        ("run", "What was run", True),
        ("results", "Scores", True),
        ("boxes", "Spread of F1", flags["has_boxes"]),
        ("comparisons", "Comparisons", bool(page["comparisons"])),
        ("errors", "What went wrong", flags["has_errors"]),
        ("loops", "Loops", flags["has_ledger"]),
        ("judge", "Judge", flags["has_judge"]),
        ("answers", "Written answers", flags["has_answers"]),
        ("metrics", "Text metrics", flags["has_validity"]),
        ("costly", "Slowest, dearest", flags["has_costly"]),
        ("failed", "Failed cases", True),
        ("not-run", "Not run", bool(page["not_run"])),
    )
    return [(name, title) for name, title, there in everything if there]


def _costly(run: Run, links: Links) -> list[dict[str, Any]]:
    filters = environment().filters
    parts = []
    for measure, (title, unit) in _COSTLIEST_TITLES.items():
        cases = run.costly.most(measure)
        rows = [
            {
                "id": case.id,
                "status": case.status,
                "f1": case.f1,
                "told": filters[unit](getattr(case, measure)),
                "href": links.get((run.name, case.id)),
            }
            for case in cases
        ]
        parts += [{"title": title, "rows": rows}] if rows else []
    return parts


def _sized(cloud: Mapping[str, Any]) -> dict[str, Any]:
    """Areas of circles are as the numbers of cases."""
    most = max(point["cases"] for point in cloud["points"])
    points = [
        {**point, "radius": max(1.0, _RADIUS * math.sqrt(point["cases"] / most))} for point in cloud["points"]
    ]
    return {**cloud, "points": points}


def _troubles(cases: Sequence[Case]) -> list[dict[str, Any]]:
    counts = Counter(case.trouble for case in cases)
    first = {case.trouble: case for case in reversed(cases)}
    return [
        {"trouble": trouble, "cases": count, "example": first[trouble].id, "reason": first[trouble].reason}
        for trouble, count in sorted(counts.items(), key=lambda each: (-each[1], str(each[0])))
    ]


_FEW = 100
"""As many pages are written while a process starts."""

_MOST = 8
"""Processes; each may hold a record with all of its rows."""

_LOST = "a process that wrote pages was ended, perhaps for want of memory; the report before stays"


@dataclass(frozen=True, slots=True)
class Report:
    """What was written.

    Attributes:
        page: The page.
        bytes: Its size.
        cases: Cases of all runs.
        failed: Cases that failed.
        listed: Of these, how many the page lists.
        not_run: Cases that a fault kept from being run.
        folder: Where the pages of cases are.
        pages: How many there are.
        pages_bytes: Their size together.
        figures: Figures and tables that were written.
        lacking: By name of a run that is not whole, what it lacks.
    """

    page: Path
    bytes: int
    cases: int
    failed: int
    listed: int
    not_run: int
    folder: Path
    pages: int
    pages_bytes: int
    figures: tuple[Path, ...]
    lacking: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        told = {name: getattr(self, name) for name in self.__slots__}
        paths = {"page": str(self.page), "folder": str(self.folder), "figures": [*map(str, self.figures)]}
        return told | paths


def build_report(
    paths: Sequence[Path], out: Path, *, most: int, figures: Path | None = None, root: Path | None = None
) -> Report:
    """Write the report of runs, and a page for each failed case in a folder beside it.

    Args:
        paths: Run directories; the first is what the others are compared with.
        out: The page; replaced where it exists.
        most: How many failed cases to list at most.
        figures: A folder for figures and tables; none are written where None.
        root: The project's folder, which calibrations are below; None for the working directory.

    Raises:
        InputError: If a run cannot be read, or what is to be written cannot be written.
    """
    for path in paths:
        # What is no run is told before the page, which would be in it, is blamed.
        next(read_records(path), None)
    _require_writable(out)
    folder = out.with_name(f"{out.stem}-cases")
    runs = read_runs(paths)
    page = page_of(runs, calibrations_of(runs, root or Path.cwd(), out))

    def render(most: int) -> Rendered:
        cases = listed(runs, most)
        links = _links(runs, cases, folder.name)
        html = render_page(runs, page, cases, links, folder.name)
        return Rendered(html.encode(), len(cases), links)

    rendered = fitted(render, most)
    try:
        with CaseFolder(folder) as pages:
            back = f"../{out.name}"
            sizes = [size for run in runs for size in _write_pages(run, rendered.links, pages, back)]
            out.write_bytes(rendered.html)
    except OSError as error:
        raise InputError(f"{out}: cannot be written ({error.strerror}); the report before stays") from error
    written = _write_figures(page, figures) if figures is not None else []
    return Report(
        page=out,
        bytes=len(rendered.html),
        cases=sum(run.summary["cases"] for run in runs),
        failed=sum(len(run.failed) for run in runs),
        listed=rendered.listed,
        not_run=sum(len(run.not_run) for run in runs),
        folder=folder,
        pages=len(sizes),
        pages_bytes=sum(sizes),
        figures=tuple(written),
        lacking={run.name: run.lacks for run in runs if run.lacks},
    )


def _links(runs: Sequence[Run], cases: Sequence[Listed], folder: str) -> dict[tuple[str, str], str]:
    """Return the addresses of pages of listed, costly and disputed cases, by names of run and case."""
    named = [(run.name, case.id) for run, case in cases]
    named += [(run.name, case) for run in runs for case in run.costly.all()]
    named += [(run.name, case) for run in runs for case in disputed(run)]
    return {(run, case): f"{folder}/{file_of(run, case)}" for run, case in named}


def _write_pages(run: Run, links: Mapping[tuple[str, str], str], folder: Path, back: str) -> list[int]:
    pages = {case: link.rpartition("/")[2] for (name, case), link in links.items() if name == run.name}
    graph = run.manifest.get("graph") or {}
    job = Job(run.name, run.path, graph.get("fingerprint"), graph.get("schema"), back, folder)
    processes = 1 if len(pages) <= _FEW else min(cores(), _MOST)
    parts = parts_of(run.path, run.cases, pages)
    written = in_processes(PageWriter, job, parts, processes, f"{run.path}: {_LOST}")
    return [size for sizes in written for size in sizes]


def _write_figures(page: Mapping[str, Any], folder: Path) -> list[Path]:
    # Matplotlib takes a second, which a report without figures need not wait for.
    from retrocypher.plugins.reporting.figures import write_figures

    return write_figures(page, folder)


def _require_writable(out: Path) -> None:
    if out.is_dir() or not out.parent.is_dir() or not os.access(out if out.exists() else out.parent, os.W_OK):
        raise InputError(f"--out {out}: cannot be written; name a file in a folder that exists")
