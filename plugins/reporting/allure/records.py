"""Results of a part of the records, written in a process of its own."""

import json
import shutil
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from allure_commons.model2 import Status, StatusDetails

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.sampling import phrase
from retrocypher.kg.semantics.schema import default_schema, parse_schema
from retrocypher.plugins.reporting.allure.case import show_case
from retrocypher.plugins.reporting.allure.run import show_run
from retrocypher.plugins.reporting.allure.unfinished import lost_cases, lost_records, write_lost
from retrocypher.plugins.reporting.allure.writer import ResultWriter
from retrocypher.plugins.reporting.failures import CaseError, CaseFailedError, raise_unless_passed
from retrocypher.plugins.runs.files import MESSAGES, RECORDS
from retrocypher.plugins.runs.log import locate_messages, read_manifest, read_questions, read_summary
from retrocypher.plugins.runs.parallel import Chunk, chunks_of, cores, in_processes, records_of
from retrocypher.plugins.runs.record import Record
from retrocypher.plugins.scoring.columns import key_encoder_named
from retrocypher.plugins.scoring.explanation import Told, retold_of


@dataclass(frozen=True, slots=True)
class Times:
    """Spreads the ends of cases evenly, in the order of the records, from the start of a run to its end.

    Attributes:
        start: When the run began, in seconds of the epoch.
        end: When it ended.
        cases: How many records it has.
    """

    start: float
    end: float
    cases: int

    def of(self, number: int, record: Record) -> tuple[float, float]:
        """Return when a case began and ended; the time between is that of its rounds and its execution.

        Args:
            number: Its place among the records, from 0.
            record: The case's record.
        """
        stop = self.start + (self.end - self.start) * (number + 1) / self.cases
        took = sum(turn.time_s for turn in record.rounds) + (record.execution or {}).get("time_s", 0.0)
        return stop - took, stop


def times_of(records: Path, manifest: Mapping[str, Any]) -> Times:
    """Return the times of a run.

    Args:
        records: Its records.
        manifest: Its manifest. Of one without ``ended``, as of a run that was killed, the end is when the
            records were written last; so is the start of one without ``started``.
    """
    written = records.stat().st_mtime
    start, end = (_seconds(manifest.get(name), written) for name in ("started", "ended"))
    with records.open("rb") as lines:
        return Times(start, max(start, end), sum(1 for _ in lines))


def _seconds(when: str | None, otherwise: float) -> float:
    return otherwise if when is None else datetime.fromisoformat(when).timestamp()


class StoredMessages(Mapping[str, list[dict[str, str]]]):
    """The messages of a run by their hash.

    Args:
        run: The run directory.

    Raises:
        InputError: If the folder has no messages, or a line is not what a run writes there.
    """

    def __init__(self, run: Path) -> None:
        self._places = {line["sha256"]: offset for offset, line in locate_messages(run)}
        self._file = run / MESSAGES

    def __getitem__(self, sha256: str) -> list[dict[str, str]]:
        """Return the messages of a hash."""
        with self._file.open("rb") as file:
            file.seek(self._places[sha256])
            found: list[dict[str, str]] = json.loads(file.readline())["messages"]
        return found

    def __iter__(self) -> Iterator[str]:
        """Yield the hashes."""
        return iter(self._places)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._places)


@dataclass(frozen=True, slots=True)
class Job:
    """How the results of a run are written, as plain values.

    Attributes:
        run: The run directory.
        folder: Where they go.
        schema: Schema text of its graph; None for that of the default graph.
        key_encoder: ``NAME@THRESHOLD`` of the encoder stage of key matching; None for none.
        lost: Cases that broke off: a worker can die between a case's record and the case's end.
        times: When its cases were asked.
    """

    run: Path
    folder: Path
    schema: str | None
    key_encoder: str | None
    lost: frozenset[str]
    times: Times


class Results:
    """Writes results of a run.

    Args:
        job: How.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._questions = read_questions(job.run)
        self._messages = StoredMessages(job.run)
        self._schema = parse_schema(job.schema) if job.schema else default_schema()
        self._encoder = None if job.key_encoder is None else key_encoder_named(job.key_encoder).matcher()

    def __call__(self, chunk: Chunk) -> int:
        """Write the results of a part, and return how many these are.

        Raises:
            InputError: If a line is not a record, or of a question that the run does not have.
            GraphError: The tables of Cypher's grammar cannot be had.
            OSError: If a result cannot be written.
        """
        cases = 0
        with ResultWriter(self._job.folder) as writer:
            for number, _, value in records_of(self._job.run, chunk):
                record = self._record(number, value)
                if record.case_id not in self._job.lost:
                    self._write(writer, number - 1, record)
                    cases += 1
        return cases

    def _record(self, number: int, value: Mapping[str, Any]) -> Record:
        try:
            return Record.from_json(value)
        except ValueError as error:
            raise InputError(f"{self._job.run / RECORDS}, line {number}: {error}") from error

    def _write(self, writer: ResultWriter, place: int, record: Record) -> None:
        question = _question(self._job.run, record, self._questions)
        told = retold_of(record, question, self._schema, self._encoder)
        status, details = _outcome(record, told)
        with writer.result(record, *self._job.times.of(place, record), status, details):
            show_case(record, self._messages, question.gold, told.difference, told.why)


def _question(run: Path, record: Record, questions: Mapping[str, Question]) -> Question:
    question = questions.get(record.question_id)
    if question is None:
        raise InputError(
            f"{run}: the case {record.case_id} asks {record.question_id}, which questions.jsonl does not have"
        )
    return phrase(question, record.phrasing)


def _outcome(record: Record, told: Told) -> tuple[str, StatusDetails | None]:
    try:
        raise_unless_passed(record, told.difference, told.why)
    except CaseFailedError as error:
        return Status.FAILED, _details(error)
    except CaseError as error:
        return Status.BROKEN, _details(error)
    return Status.PASSED, None


def _details(error: Exception) -> StatusDetails:
    message = "".join(traceback.format_exception_only(error)).rstrip()
    return StatusDetails(message=message, trace=str(error).strip())


_NAMES = ("categories.json", "environment.properties", "executor.json")
_PATTERNS = ("*-result.json", "*-container.json", "*-attachment.*")


@contextmanager
def replaced(results: Path) -> Iterator[Path]:
    """Yield a new folder, which takes the place of another once it is whole.

    Args:
        results: The folder to replace, or to make.

    Raises:
        InputError: If it holds anything but Allure results, or cannot be written.
    """
    try:
        kept = _other(results)
        if kept is not None:
            raise InputError(f"{results}: holds {kept}, which is no Allure result; name a new folder")
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


def _other(results: Path) -> str | None:
    """Return the name of something in a folder that is not of Allure; None where there is nothing such."""
    if not results.exists():
        return None
    names = (each.name for each in results.iterdir())
    return next((name for name in names if name not in _NAMES and not _is_result(name)), None)


def _is_result(name: str) -> bool:
    return any(fnmatch(name, pattern) for pattern in _PATTERNS)


_FEW = 150
"""As many results are written while a process starts."""

_MOST = 8
"""Processes; each may hold a record with all of its rows."""

_LOST = "a process that wrote results was ended, perhaps for want of memory; the results before stay"


@dataclass(frozen=True, slots=True)
class Written:
    """What was written.

    Attributes:
        results: The folder.
        cases: How many cases with a record.
        lost: How many cases that broke off, and have none.
    """

    results: Path
    cases: int
    lost: int


def write_results(run: Path, results: Path) -> Written:
    """Write the Allure results of a run.

    Args:
        run: The run directory.
        results: Folder of the results; results that are there already are replaced.

    Raises:
        InputError: If the folder is not a run, the results cannot be written, or the run matched keys by an
            encoder that cannot be had here.
        GraphError: The tables of Cypher's grammar cannot be had.
    """
    manifest, summary, questions = read_manifest(run), read_summary(run), read_questions(run)
    lost = lost_cases(summary.get("lost_cases", ())) if manifest else set()
    if (encoder := manifest.get("options", {}).get("key_encoder")) is not None:
        # Before a folder is made.
        key_encoder_named(encoder)
    times = times_of(run / RECORDS, manifest)
    parts = list(chunks_of(run))
    processes = 1 if times.cases <= _FEW else min(cores(), _MOST)
    with replaced(results) as folder:
        job = Job(run, folder, manifest.get("graph", {}).get("schema"), encoder, frozenset(lost), times)
        cases = sum(in_processes(Results, job, parts, processes, f"{run}: {_LOST}"))
        with ResultWriter(folder) as writer:
            broken = write_lost(writer, lost_records(lost, manifest, questions), times.end)
        show_run(folder, manifest, cases, summary.get("selected_cases") or cases)
    return Written(results, cases, broken)
