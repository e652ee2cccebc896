"""Reads what a run left."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import MalformedQuestionError, question_of
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.runs.files import (
    MANIFEST,
    MESSAGES,
    QUESTIONS,
    RECORDS,
    REMEDY,
    SUMMARY,
    no_run,
    other_version,
    require_numbers,
    require_record,
    value_of,
)
from retrocypher.plugins.runs.record import JUDGE_STAGE, SCHEMA_VERSION


def read_records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a run directory, in the order they were written.

    The last line of a run that was killed may be half a record, without the line's end: that is no record.

    Args:
        path: The run directory.

    Raises:
        InputError: If the folder has no records, a line is not a record, or it is of another schema version.
    """
    for _, record in locate_records(path):
        yield record


def locate_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the records of a run directory as `read_records` does, each with where its line begins.

    Args:
        path: The run directory.

    Returns:
        Bytes before the line, and the record.

    Raises:
        InputError: As `read_records` does.
    """
    for number, offset, record in _located(path, RECORDS):
        require_record(path / RECORDS, number, record)
        yield offset, record


def record_of_line(path: Path, number: int, line: bytes) -> dict[str, Any] | None:
    """Return the record in a line of the records; None for the half line that a killed run may end with.

    Args:
        path: The run directory, for messages.
        number: Number of the line, from 1.
        line: The line with its end.

    Raises:
        InputError: As `read_records` does.
    """
    record = _object_in(path / RECORDS, number, line)
    if record is not None:
        require_record(path / RECORDS, number, record)
    return record


def read_record_at(path: Path, offset: int) -> dict[str, Any]:
    """Return the record whose line begins at an offset that `locate_records` gave.

    Args:
        path: The run directory.
        offset: Bytes before the line.
    """
    with (path / RECORDS).open("rb") as file:
        file.seek(offset)
        record: dict[str, Any] = json.loads(file.readline())
        return record


def read_targets(path: Path) -> dict[str, str]:
    """Return, by question id, the molecule that each question of a run clusters by.

    Args:
        path: The run directory.

    Raises:
        InputError: If the folder has no questions, or a line is not a question.
    """
    targets = {}
    for number, line in _lines(path, QUESTIONS):
        for field in ("id", "target"):
            if field not in line:
                raise InputError(f"{path / QUESTIONS}, line {number}: field {field!r} is missing; {REMEDY}")
        targets[str(line["id"])] = str(line["target"])
    return targets


def read_questions(path: Path) -> dict[str, Question]:
    """Return the questions of a run by their id, in their first wording.

    Args:
        path: The run directory.

    Raises:
        InputError: If the folder has no questions, or a line is not a question.
    """
    questions = {}
    for number, line in _lines(path, QUESTIONS):
        try:
            question = question_of(line)
        except MalformedQuestionError as error:
            raise InputError(f"{path / QUESTIONS}, line {number}: {error}") from error
        questions[question.id] = question
    return questions


def read_messages(path: Path) -> dict[str, list[dict[str, str]]]:
    """Return the messages of a run by their hash.

    Args:
        path: The run directory.

    Raises:
        InputError: If the folder has no messages, or a line is not what a run writes there.
    """
    return {line["sha256"]: line["messages"] for _, line in locate_messages(path)}


def locate_messages(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the lines of messages of a run, each with where it begins.

    Args:
        path: The run directory.

    Returns:
        Bytes before the line, and its `sha256` and `messages`.

    Raises:
        InputError: As `read_messages` does.
    """
    for number, offset, line in _located(path, MESSAGES):
        if not isinstance(line.get("sha256"), str) or not isinstance(line.get("messages"), list):
            raise InputError(f"{path / MESSAGES}, line {number}: not messages by their hash; {REMEDY}")
        yield offset, line


def read_manifest(path: Path) -> dict[str, Any]:
    """Return the manifest of a run; empty where there is none.

    Args:
        path: The run directory.

    Raises:
        InputError: If it is not a JSON object, or of another schema version.
    """
    manifest = _object(path / MANIFEST)
    version = manifest.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        raise InputError(f"{path / MANIFEST}: {other_version(version)}")
    return manifest


def read_summary(path: Path) -> dict[str, Any]:
    """Return the summary of a run; empty where there is none, as in a run that was killed.

    Args:
        path: The run directory.

    Raises:
        InputError: If it is not a JSON object, or has anything but numbers for counts and means.
    """
    summary = _object(path / SUMMARY)
    require_numbers(path / SUMMARY, summary)
    return summary


def _lines(path: Path, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, _, line in _located(path, name):
        yield number, line


def _located(path: Path, name: str) -> Iterator[tuple[int, int, dict[str, Any]]]:
    file = path / name
    offset = 0
    if not file.is_file():
        raise no_run(path, name)
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            value = _object_in(file, number, line)
            if value is None:
                return
            yield number, offset, value
            offset += len(line)


def _object_in(file: Path, number: int, line: bytes) -> dict[str, Any] | None:
    """Return the JSON object in a line; None for half a line, which has no end."""
    try:
        value = value_of(line)
    except ValueError as error:
        if not line.endswith(b"\n"):
            return None
        raise InputError(f"{file}, line {number}: not JSON ({error}); {REMEDY}") from error
    if not isinstance(value, dict):
        raise InputError(f"{file}, line {number}: not a JSON object; {REMEDY}")
    return value


def _object(file: Path) -> dict[str, Any]:
    try:
        value = value_of(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except ValueError as error:
        raise InputError(f"{file}: not JSON ({error}); {REMEDY}") from error
    if not isinstance(value, dict):
        raise InputError(f"{file}: not what a run writes there; {REMEDY}")
    return value


# How the line of a record begins, as it is written: by far the most of it need not be read for this.
_CASE_ID = re.compile(rb'\{"schema_version": \d+, "case_id": ("(?:[^"\\]|\\.)*")')


def locate_cases(path: Path) -> Iterator[tuple[int, int, str]]:
    """Yield the ids of a run's cases in the order of their records, which are not read for it.

    Args:
        path: The run directory.

    Returns:
        Number of the line from 1, bytes before it, and the id of its case.

    Raises:
        InputError: If the folder has no records, or a line does not begin as one and is none.
    """
    file = path / RECORDS
    if not file.is_file():
        raise no_run(path, RECORDS)
    offset = 0
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            begins = _CASE_ID.match(line)
            if begins is not None and line.endswith(b"\n"):
                yield number, offset, str(json.loads(begins[1]))
            elif (record := record_of_line(path, number, line)) is not None:
                yield number, offset, str(record["case_id"])
            offset += len(line)


def read_case_at(path: Path, number: int, offset: int) -> dict[str, Any]:
    """Return the record of a case that `locate_cases` gave.

    Args:
        path: The run directory.
        number: Number of its line.
        offset: Bytes before the line.

    Raises:
        InputError: As `read_records` does.
    """
    with (path / RECORDS).open("rb") as file:
        file.seek(offset)
        record = record_of_line(path, number, file.readline())
    if record is None:
        raise InputError(
            f"{path / RECORDS}, line {number}: the file was changed while it was read; try again"
        )
    return record


INCOMPLETE_ENDING = "incomplete"
"""How a run ended that lacks something: scores, judgements or written answers."""

_ENDINGS = {
    None: "not ended",
    2: "interrupted",
    3: "ended by an error of the harness",
    16: INCOMPLETE_ENDING,
}


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a run says of itself.

    Attributes:
        models: Labels of its models, in the order they were asked for; empty where that is not known.
        planned: How many cases were selected, or planned where the run did not get so far; None if unknown.
        ending: How it ended other than whole; None where it ended well, or nothing is known.
        loops: Names of its loops, in the order they were asked for; empty where that is not known.
        unpriced: By label of a model, the name of the one that plays its roles, where that has no list price.
    """

    models: tuple[str, ...]
    planned: int | None
    ending: str | None
    loops: tuple[str, ...]
    unpriced: Mapping[str, str]

    def lacks(self, cases: int) -> str:
        """Return in a few words what the run lacks, such as ``43 of 2,400 cases; interrupted``.

        Args:
            cases: How many cases it has on record.

        Returns:
            The words; empty where nothing is missing.
        """
        parts = []
        if self.planned is not None and cases < self.planned:
            parts.append(f"{cases:,} of {counted(self.planned, 'case')}")
        return "; ".join(parts + ([self.ending] if self.ending else []))


def read_facts(path: Path) -> RunFacts:
    """Read what a run says of itself; of a folder with records alone nothing is known.

    Args:
        path: The run directory.

    Raises:
        InputError: If the manifest or the summary is not a JSON object.
    """
    manifest, summary = read_manifest(path), read_summary(path)
    if not manifest:
        return RunFacts((), None, None, (), {})
    status, loops = manifest.get("exit_status"), manifest.get("loops", {})
    return RunFacts(
        tuple(model["label"] for model in manifest.get("models", ())),
        summary.get("selected_cases") or manifest.get("cases"),
        _ENDINGS.get(status, INCOMPLETE_ENDING if lacks_aside(summary) else None),
        tuple(loops.get("names", ())),
        unpriced_players(loops.get("players", {}), manifest.get("prices")),
    )


def lacks_aside(summary: Mapping[str, Any]) -> bool:
    """Return whether judgements or written answers of a run are missing, of which its gate may ask nothing.

    Args:
        summary: Its summary.
    """
    by_stage = summary.get("infrastructure_errors_by_stage") or {}
    return bool(by_stage.get(JUDGE_STAGE) or (summary.get("answers") or {}).get("failed"))


def unpriced_players(
    players: Mapping[str, Mapping[str, str]], prices: Mapping[str, Any] | None
) -> dict[str, str]:
    """Return, by label of a model, the name of the one that plays its roles, where that has no list price.

    Args:
        players: The ``loops.players`` of a manifest.
        prices: Its ``prices``.
    """
    known = (prices or {}).get("usd_per_million_tokens", {})
    return {
        label: spec["argument"]
        for label, spec in players.items()
        if spec["kind"] == "openai" and spec["argument"] not in known
    }
