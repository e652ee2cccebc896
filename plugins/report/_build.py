"""The report of runs, written."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.parts import cores, in_processes
from plugins.records import read_records
from plugins.report._calibrated import calibrations_of
from plugins.report._failed import Listed, listed
from plugins.report._fit import Rendered, fitted
from plugins.report._judged import disputed
from plugins.report._page import page_of, render_page
from plugins.report._run import Run, read_runs
from plugins.report.cases import CaseFolder, Job, PageWriter, file_of, parts_of

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
    from plugins.figures import write_figures

    return write_figures(page, folder)


def _require_writable(out: Path) -> None:
    if out.is_dir() or not out.parent.is_dir() or not os.access(out if out.exists() else out.parent, os.W_OK):
        raise InputError(f"--out {out}: cannot be written; name a file in a folder that exists")
