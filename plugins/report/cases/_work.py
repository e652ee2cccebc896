"""Pages of a part of the records, written in a process of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from kg.schema import parse_schema
from plugins.parts import Chunk, chunks_of, records_of
from plugins.records import QUESTIONS, read_questions
from plugins.report.cases._page import CasePages
from plugins.report.cases._reactions import Reactions


@dataclass(frozen=True, slots=True)
class Job:
    """How the pages of a run are made, as plain values.

    Attributes:
        name: What the report calls the run.
        run: The run directory.
        fingerprint: That of its graph; None where it is not known.
        schema: Schema text of its graph; None where it is not known.
        back: The address of the report, seen from the pages.
        folder: Where the pages go.
    """

    name: str
    run: Path
    fingerprint: str | None
    schema: str | None
    back: str
    folder: Path


class Part(NamedTuple):
    """Some lines of the records, and the names of the pages of its cases that have one, by case id."""

    chunk: Chunk
    pages: Mapping[str, str]


def parts_of(run: Path, cases: Sequence[str], pages: Mapping[str, str]) -> list[Part]:
    """Return the parts of a run that hold cases with a page.

    Args:
        run: The run directory.
        cases: The ids of its cases, in the order of the records.
        pages: By case id, the names of all pages.
    """
    parts = []
    for chunk in chunks_of(run):
        own = cases[chunk.first - 1 : chunk.first - 1 + chunk.lines]
        parts.append(Part(chunk, {case: pages[case] for case in own if case in pages}))
    return [part for part in parts if part.pages]


class PageWriter:
    """Writes pages of a run.

    Args:
        job: How.
    """

    def __init__(self, job: Job) -> None:
        # A run without its questions has pages without expected rows.
        questions = read_questions(job.run) if (job.run / QUESTIONS).is_file() else {}
        schema = parse_schema(job.schema) if job.schema else None
        self._job = job
        self._pages = CasePages(job.name, questions, Reactions(job.fingerprint), schema, job.back)

    def __call__(self, part: Part) -> list[int]:
        """Write the pages of a part, and return their sizes in bytes.

        Raises:
            InputError: If a line is not a record.
            OSError: If a page cannot be written.
        """
        return [
            (self._job.folder / part.pages[record["case_id"]]).write_bytes(
                self._pages.render(record).encode()
            )
            for _, _, record in records_of(self._job.run, part.chunk)
            if record["case_id"] in part.pages
        ]
