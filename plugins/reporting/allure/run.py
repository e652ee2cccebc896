"""Writes the Allure results of a run: case by case as records arrive, or again from its records."""

import json
import logging
import re
import shutil
import socket
import tempfile
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question, paraphrase
from retrocypher.plugins.analysis.cases import CaseReader
from retrocypher.plugins.reporting.allure.about import write_about
from retrocypher.plugins.reporting.allure.results import ResultWriter
from retrocypher.plugins.reporting.case_view import CaseView, Messages, view_of
from retrocypher.plugins.runs.files import ALLURE, MESSAGES, RECORDS, no_run
from retrocypher.plugins.runs.log import Chunk, RecordLine, RunLog
from retrocypher.plugins.runs.manifest import Manifest
from retrocypher.plugins.runs.parallel import cores, in_processes
from retrocypher.plugins.runs.record import Explanation, InfrastructureError, Record
from retrocypher.prompts.templates.exemplars import SHOTS

_logger = logging.getLogger(__name__)

CRASHED = InfrastructureError(
    "harness", "crashed", "the case ended with its worker or in the harness; see the output of the run"
)
"""The error of a case that was selected and has no record."""


def crashed_records(
    tests: Collection[str], manifest: Manifest, questions: Mapping[str, Question]
) -> Iterator[Record]:
    """Yield a record without a score for each crashed case; tests are named as pytest names them."""
    parts = (manifest.prompts, SHOTS, manifest.loops.names, [model.label for model in manifest.models])
    pattern = re.compile(
        r"(.+?)(?:-w(\d+))?(?:-r(\d+))?" + "".join(f"-({'|'.join(map(re.escape, part))})" for part in parts)
    )
    for case in sorted(_cases_of(tests)):
        found = pattern.fullmatch(case)
        if found is None or found[1] not in questions:
            continue
        phrasing = int(found[2] or 1)
        question = paraphrase(questions[found[1]], phrasing)
        yield Record(
            case_id=case,
            question_id=question.id,
            task=question.task,
            setting=question.setting,
            steps=question.steps,
            prompt=found[4],
            shot=found[5],
            loop=found[6],
            model=found[7],
            question=question.text,
            reference_cypher=question.reference_cypher,
            phrasing=phrasing,
            repeat=int(found[3] or 1),
            rounds=[],
            cypher=None,
            execution=None,
            scores=None,
            errors=[],
            infrastructure_error=CRASHED,
            passed=False,
        )


def _cases_of(tests: Collection[str]) -> set[str]:
    return {test.partition("[")[2].removesuffix("]") for test in tests}


class LiveResults:
    """Writes the results of a run into a folder as the records of its cases arrive.

    A result that cannot be written ends no session: `retrocypher allure` makes it again.
    """

    def __init__(self, folder: Path, log: RunLog) -> None:
        self._folder = folder
        self._log = log
        self._host = socket.gethostname()
        self._writer: ResultWriter | None = None
        # A folder that the user named can have results of other runs.
        own = folder.resolve() == (log.path / ALLURE).resolve()
        run = "" if own else f"{log.path.resolve()} {log.manifest.started}"
        with self._attempt("the Allure results are not complete"):
            self._writer = ResultWriter(folder, run)

    def resume(self, cases: Iterable[str]) -> None:
        """Keep the results of the cases on record, write missing ones, and remove those of other `cases`."""
        with self._attempt("the Allure results are not complete"):
            if (writer := self._writer) is None:
                return
            for partial in self._folder.glob("*.tmp"):
                partial.unlink(missing_ok=True)
            recorded = {place.case_id for place in self._log.case_places()}
            for case in cases:
                if case not in recorded:
                    writer.remove(case)
            if any(not writer.has(case) for case in recorded):
                results = _RecordedResults(self._log, writer, times_of(self._log))
                for line in self._log.record_lines():
                    if not writer.has(line.record.case_id):
                        results.write(line)

    def add(self, record: Record, messages: Messages, report: pytest.TestReport) -> None:
        """Write the result of a case; the report is that of its call."""
        with self._attempt(f"{record.case_id} is not shown in Allure"):
            question = paraphrase(self._log.questions[record.question_id], record.phrasing)
            view = CaseView(record, question, record.explanation or Explanation(), messages)
            captured = {"log": report.caplog, "stdout": report.capstdout, "stderr": report.capstderr}
            labels = {"host": self._host, "thread": str(getattr(report, "worker_id", "main"))}
            if self._writer is not None:
                self._writer.write(view, report.start, report.stop, labels, captured)

    def finish(self, crashed: Collection[str], cases: int, selected: int) -> None:
        """Write the results of crashed cases, named as pytest names tests, and the description of the run."""
        manifest = self._log.manifest
        with self._attempt("the Allure results are not complete"):
            if self._writer is not None:
                for record in crashed_records(crashed, manifest, self._log.questions):
                    self._writer.write(CaseView(record, None), time.time(), time.time())
            if self._writer is not None and cases:
                write_about(self._folder, self._log, cases, selected)

    @contextmanager
    def _attempt(self, what: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            # Any exception: writing a result must not influence the case.
            _logger.warning(f"{what}: {error!r}")
            if isinstance(error, OSError):
                self._writer = None


class Times(NamedTuple):
    """Estimated times of the cases of a run. Records have none, so ends of cases are spread evenly."""

    start: float
    """When the run began, in seconds of the epoch."""
    end: float
    cases: int

    def of(self, number: int, record: Record) -> tuple[float, float]:
        """Return when the case of a line, from 1, began and ended: its rounds and its execution."""
        stop = self.start + (self.end - self.start) * number / self.cases
        executed = record.execution.time_s if record.execution is not None else 0.0
        return stop - sum(turn.time_s for turn in record.rounds) - executed, stop


def times_of(log: RunLog) -> Times:
    """Return the times of a run; if its manifest lacks one, that of the last change of its records."""
    records = log.path / RECORDS
    if not records.is_file():
        raise no_run(log.path, RECORDS)
    written = records.stat().st_mtime
    start, end = (
        written if when is None else datetime.fromisoformat(when).timestamp()
        for when in (log.manifest.started, log.manifest.ended)
    )
    with records.open("rb") as lines:
        return Times(start, max(start, end), sum(1 for _ in lines))


class _StoredMessages(Mapping[str, list[dict[str, str]]]):
    """The messages of a run by their hash, read from disk when needed."""

    def __init__(self, log: RunLog) -> None:
        self._places = {line.value["sha256"]: line.offset for line in log.message_lines()}
        self._file = log.path / MESSAGES

    def __getitem__(self, sha256: str) -> list[dict[str, str]]:
        with self._file.open("rb") as file:
            file.seek(self._places[sha256])
            found: list[dict[str, str]] = json.loads(file.readline())["messages"]
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class _Job(NamedTuple):
    """How the results of a run are written from its records; it can be sent to a process."""

    run: Path
    folder: Path
    crashed: frozenset[str]
    """Crashed cases: a worker can die between a case's record and the case's end."""
    times: Times


class _RecordedResults:
    def __init__(self, log: RunLog, writer: ResultWriter, times: Times) -> None:
        self._log = log
        self._writer = writer
        self._times = times
        self._cases = CaseReader(log)
        self._messages = _StoredMessages(log)

    def write(self, line: RecordLine) -> None:
        """Write the result of the case on a line; raise InputError if the run does not have its question."""
        record = line.record
        view = view_of(self._cases, record, self._messages)
        if view.question is None:
            raise InputError(
                f"{self._log}: the case {record.case_id} asks {record.question_id}, "
                "which questions.jsonl does not have"
            )
        self._writer.write(view, *self._times.of(line.number, record))


class _PartWriter:
    def __init__(self, job: _Job) -> None:
        self._log = RunLog(job.run)
        self._crashed = job.crashed
        self._results = _RecordedResults(self._log, ResultWriter(job.folder), job.times)

    def __call__(self, chunk: Chunk) -> int:
        """Write the results of a part, and return how many these are."""
        cases = 0
        for line in self._log.record_lines(chunk):
            if line.record.case_id not in self._crashed:
                self._results.write(line)
                cases += 1
        return cases


_NAMES = ("categories.json", "environment.properties", "executor.json")
_PATTERNS = ("*-result.json", "*-container.json", "*-attachment.*")


@contextmanager
def _replaced(results: Path) -> Iterator[Path]:
    """Yield a new folder, which replaces an older one of results once it is complete."""
    try:
        if results.exists() and (other := next(filter(_is_foreign, results.iterdir()), None)) is not None:
            raise InputError(f"{results}: has {other.name}, which is no Allure result; name a new folder")
        results.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{results.name}-", dir=results.parent) as parent:
            folder = Path(parent) / results.name
            folder.mkdir()
            yield folder
            if results.exists():
                shutil.rmtree(results)
            folder.rename(results)
    except OSError as error:
        raise InputError(f"{results}: cannot be written ({error.strerror}); name another folder") from error


def _is_foreign(file: Path) -> bool:
    return file.name not in _NAMES and not any(fnmatch(file.name, pattern) for pattern in _PATTERNS)


_FEW = 150
"""Up to this many results, one process is fastest: starting more takes longer than writing."""

_MOST = 8
"""Maximum number of processes: each can have a record with all its rows in memory."""

_ENDED = "a process that wrote results ended, perhaps for lack of memory; the earlier results are unchanged"


class Written(NamedTuple):
    """What was written."""

    results: Path
    cases: int
    crashed: int
    """How many crashed cases."""


def write_results(log: RunLog, results: Path) -> Written:
    """Write, or replace, the Allure results of a run from its records; raise InputError if it cannot."""
    manifest, summary = log.manifest, log.summary
    case_ids = (summary.lost_cases if log.has_manifest else None) or []
    # Check the run before a folder is made.
    CaseReader(log)
    times = times_of(log)
    processes = 1 if times.cases <= _FEW else min(cores(), _MOST)
    with _replaced(results) as folder:
        job = _Job(log.path, folder, frozenset(_cases_of(case_ids)), times)
        cases = sum(in_processes(_PartWriter, job, list(log.chunks()), processes, f"{log}: {_ENDED}"))
        writer, crashed = ResultWriter(folder), list(crashed_records(case_ids, manifest, log.questions))
        for record in crashed:
            writer.write(CaseView(record, None), times.end, times.end)
        write_about(folder, log, cases, summary.selected_cases or cases)
    return Written(results, cases, len(crashed))
