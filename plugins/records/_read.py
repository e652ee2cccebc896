"""Reads what a run left."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kg.errors import InputError
from kg.questions import MalformedQuestionError, Question, question_of
from plugins.records._checked import REMEDY, other_version, require_numbers, require_record, value_of
from plugins.records._files import MANIFEST, MESSAGES, QUESTIONS, RECORDS, SUMMARY
from plugins.records._model import SCHEMA_VERSION
from plugins.records._no_run import no_run


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
