"""A run directory in, Allure results out; neither model nor graph is asked."""

import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from allure_commons.model2 import Status, StatusDetails

from kg.errors import InputError
from kg.questions import Question, phrase
from kg.schema import default_schema, parse_schema
from plugins.allure import ResultWriter, lost_cases, lost_records, show_case, show_run, write_lost
from plugins.allure_records._folder import replaced
from plugins.allure_records._times import times_of
from plugins.records import (
    RECORDS,
    Record,
    read_manifest,
    read_messages,
    read_questions,
    read_records,
    read_summary,
)
from plugins.scoring import KeyMatcher, key_encoder_named
from plugins.session import CaseError, CaseFailedError, Told, raise_unless_passed, retold_of


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
    told_schema = manifest.get("graph", {}).get("schema")
    schema = parse_schema(told_schema) if told_schema else default_schema()
    key_encoder = _key_encoder(manifest)
    times = times_of(run / RECORDS, manifest)
    asked, cases = read_messages(run), 0
    with replaced(results) as folder, ResultWriter(folder) as writer:
        for record in _records(run):
            # A worker can die between a case's record and the case's end.
            if record.case_id in lost:
                continue
            question = _question(run, record, questions)
            told = retold_of(record, question, schema, key_encoder)
            status, details = _outcome(record, told)
            with writer.result(record, *times.of(cases, record), status, details):
                show_case(record, asked, question.gold, told.difference, told.why)
            cases += 1
        broken = write_lost(writer, lost_records(lost, manifest, questions), times.end)
        show_run(folder, manifest, cases, summary.get("selected_cases") or cases)
    return Written(results, cases, broken)


def _key_encoder(manifest: Mapping[str, Any]) -> KeyMatcher | None:
    named = manifest.get("options", {}).get("key_encoder")
    return None if named is None else key_encoder_named(named).matcher()


def _records(run: Path) -> Iterator[Record]:
    for number, value in enumerate(read_records(run), 1):
        try:
            yield Record.from_json(value)
        except ValueError as error:
            raise InputError(f"{run / RECORDS}, line {number}: {error}") from error


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
