"""Results of a part of the records, written in a process of its own."""

import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allure_commons.model2 import Status, StatusDetails

from kg.errors import InputError
from kg.questions import Question, phrase
from kg.schema import default_schema, parse_schema
from plugins.allure import ResultWriter, show_case
from plugins.allure_records._messages import StoredMessages
from plugins.allure_records._times import Times
from plugins.parts import Chunk, records_of
from plugins.records import RECORDS, Record, read_questions
from plugins.scoring import key_encoder_named
from plugins.session import CaseError, CaseFailedError, Told, raise_unless_passed, retold_of


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
