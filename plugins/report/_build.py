"""The report of runs, written."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.errors import InputError
from plugins.report._failed import listed
from plugins.report._page import page_of, render_page
from plugins.report._run import read_runs


@dataclass(frozen=True, slots=True)
class Report:
    """What was written.

    Attributes:
        page: The page.
        bytes: Its size.
        cases: Cases of all runs.
        failed: Cases that failed.
        listed: Of these, how many the page lists.
        not_run: Cases with an infrastructure error.
        lacking: By name of a run that is not whole, what it lacks.
    """

    page: Path
    bytes: int
    cases: int
    failed: int
    listed: int
    not_run: int
    lacking: dict[str, str]

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return {name: getattr(self, name) for name in self.__slots__} | {"page": str(self.page)}


def build_report(paths: Sequence[Path], out: Path, *, most: int) -> Report:
    """Write the report of runs.

    Args:
        paths: Run directories; the first is what the others are compared with.
        out: The page; replaced where it exists.
        most: How many failed cases to list at most.

    Raises:
        InputError: If a run cannot be read, or the page cannot be written.
    """
    if out.is_dir() or not out.parent.is_dir() or not os.access(out if out.exists() else out.parent, os.W_OK):
        raise InputError(f"--out {out}: cannot be written; name a file in a folder that exists")
    runs = read_runs(paths)
    cases = listed(runs, most)
    html = render_page(runs, page_of(runs), cases, {}, "").encode()
    out.write_bytes(html)
    return Report(
        page=out,
        bytes=len(html),
        cases=sum(run.summary["cases"] for run in runs),
        failed=sum(len(run.failed) for run in runs),
        listed=len(cases),
        not_run=sum(len(run.not_run) for run in runs),
        lacking={run.name: run.lacks for run in runs if run.lacks},
    )
