"""A run on disk; everything that reads a run takes a `RunLog`."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from retrocypher.kg.errors import InputError, conversion_fault
from retrocypher.kg.questions.clusters import clusters_of
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import MalformedQuestionError, question_of
from retrocypher.plugins.formatting.text import counted, one_line, shortened
from retrocypher.plugins.runs.files import (
    MANIFEST,
    MESSAGES,
    QUESTIONS,
    RECORDS,
    REMEDY,
    SUMMARY,
    no_run,
    other_version,
    value_of,
)
from retrocypher.plugins.runs.manifest import Manifest
from retrocypher.plugins.runs.record import SCHEMA_VERSION, JsonValue, Record, record_from
from retrocypher.plugins.runs.summary import RunSummary

INCOMPLETE_ENDING = "incomplete"
"""Ending of a run with missing scores, judgements or written answers."""

_ENDINGS = {
    None: "not ended",
    2: "interrupted",
    3: "ended by an error of the harness",
    16: INCOMPLETE_ENDING,
}

_RECORD = msgspec.json.Decoder(Record)
_BEGINNING = f'{{"schema_version": {SCHEMA_VERSION}, '.encode()
_CHUNK_BYTES = 1_000_000
_CHUNK_LINES = 250
_LINE_PREFIX = re.compile(rb'\{"schema_version": \d+, "case_id": ("(?:[^"\\]|\\.)*")')
"""Start of a record line. It is enough to find the case id."""


class Line(NamedTuple):
    """A line of a file of JSON objects."""

    number: int
    """Number of the line, from 1."""
    offset: int
    """Bytes before it."""
    raw: bytes
    """The line with its end."""
    value: dict[str, JsonValue]
    """The JSON object, with unknown fields."""


class RecordLine(NamedTuple):
    """A `Line` of `records.jsonl` with its record, which shares its open parts with `value`."""

    number: int
    offset: int
    raw: bytes
    value: dict[str, JsonValue]
    record: Record


class CasePlace(NamedTuple):
    """Where the record of a case stands."""

    case_id: str
    number: int
    """Number of its line, from 1."""
    offset: int
    """Bytes before the line."""


class Chunk(NamedTuple):
    """Some lines of the records, for a process to read by itself."""

    first: int
    """Number of its first line, from 1."""
    offset: int
    """Where it begins, in bytes."""
    lines: int
    """Its lines."""


class RunFacts(Struct, frozen=True):
    """What a run says of itself."""

    models: tuple[str, ...] = ()
    """Labels of its models, in the order they were asked for; empty if unknown."""
    planned: int | None = None
    """Number of cases selected, or planned if the run did not get so far; None if unknown."""
    ending: str | None = None
    """How the run ended, such as `interrupted`. None if it is complete or unknown."""
    loops: tuple[str, ...] = ()
    """Names of its loops, in the order they were asked for; empty if unknown."""
    unpriced: dict[str, str] = {}
    """Role models without a list price, by the label of the model that they serve."""

    def lacks(self, cases: int) -> str:
        """Return what the run lacks, such as ``43 of 2,400 cases; interrupted``; empty if nothing."""
        parts = []
        if self.planned is not None and cases < self.planned:
            parts.append(f"{cases:,} of {counted(self.planned, 'case')}")
        return "; ".join(parts + ([self.ending] if self.ending else []))


class RunLog:
    """A run on disk. Each file is read at first use.

    Manifest, summary, questions and messages are kept; records are streamed, because they can be larger than
    memory. Raises InputError for a damaged file, another schema version or missing records.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        return str(self.path)

    @cached_property
    def manifest_json(self) -> dict[str, JsonValue]:
        """The manifest as it was written, with unknown fields; empty if there is none."""
        manifest = _object(self.path / MANIFEST)
        version = manifest.get("schema_version", SCHEMA_VERSION)
        if version != SCHEMA_VERSION:
            raise InputError(f"{self.path / MANIFEST}: {other_version(version)}")
        return manifest

    @property
    def has_manifest(self) -> bool:
        """Whether there is a manifest."""
        return bool(self.manifest_json)

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest; one of defaults if there is none."""
        return _convert(self.path / MANIFEST, self.manifest_json, Manifest)

    @cached_property
    def summary_json(self) -> dict[str, JsonValue]:
        """The summary as it was written; empty if there is none, as in a run that was killed."""
        return _object(self.path / SUMMARY)

    @property
    def has_summary(self) -> bool:
        """Whether there is a summary."""
        return bool(self.summary_json)

    @cached_property
    def summary(self) -> RunSummary:
        """The summary; one of defaults if there is none."""
        return _convert(self.path / SUMMARY, self.summary_json, RunSummary)

    @cached_property
    def facts(self) -> RunFacts:
        """Models, size and ending of the run. All unknown if there is no manifest."""
        return _facts(self)

    @cached_property
    def questions(self) -> dict[str, Question]:
        """The questions of the run by id, in their first paraphrase."""
        questions = {}
        for line in self._lines(QUESTIONS):
            try:
                question = question_of(line.value)
            except MalformedQuestionError as error:
                raise InputError(f"{self.path / QUESTIONS}, line {line.number}: {error}") from error
            questions[question.id] = question
        return questions

    @cached_property
    def clusters(self) -> dict[str, str]:
        """The cluster of each question, by question id, as `clusters_of` gives them."""
        return clusters_of(self.questions.values())

    @cached_property
    def messages(self) -> dict[str, list[dict[str, str]]]:
        """The messages of the run by their hash."""
        return {line.value["sha256"]: line.value["messages"] for line in self.message_lines()}

    def message_lines(self) -> Iterator[Line]:
        """Yield the lines of `messages.jsonl`."""
        for line in self._lines(MESSAGES):
            value = line.value
            if not isinstance(value.get("sha256"), str) or not isinstance(value.get("messages"), list):
                raise InputError(
                    f"{self.path / MESSAGES}, line {line.number}: not messages by their hash; {REMEDY}"
                )
            yield line

    def records(self) -> Iterator[Record]:
        """Yield the records in the order written, without a last line that a killed run left partial."""
        for _, record in self.placed_records():
            yield record

    def placed_records(self) -> Iterator[tuple[int, Record]]:
        """Yield the records as `records` does, each after the number of bytes before its line."""
        file = self.path / RECORDS
        for number, offset, raw in self._raw(RECORDS):
            record = _decoded(raw)
            if record is None:
                if (value := _object_in(file, number, raw)) is None:
                    return
                record = _record_in(file, number, value)
            yield offset, record

    def record_lines(self, chunk: Chunk | None = None) -> Iterator[RecordLine]:
        """Yield the lines of the records, or of one chunk of them, with place and JSON object.

        To rewrite a record, change `value`: it also holds fields that this version does not know.
        """
        for line in self._lines(RECORDS, chunk):
            yield RecordLine(*line, _record_in(self.path / RECORDS, line.number, line.value))

    def case_places(self) -> Iterator[CasePlace]:
        """Yield the id and place of each record, without parsing the rest of the line."""
        for number, offset, line in self._raw(RECORDS):
            match = _LINE_PREFIX.match(line)
            if match is not None and line.endswith(b"\n"):
                yield CasePlace(str(json.loads(match[1])), number, offset)
            elif (value := _object_in(self.path / RECORDS, number, line)) is not None:
                yield CasePlace(_record_in(self.path / RECORDS, number, value).case_id, number, offset)

    def record_at(self, number: int, offset: int) -> Record:
        """Return the record of a line, given its number from 1 and the bytes before it."""
        with (self.path / RECORDS).open("rb") as file:
            file.seek(offset)
            value = _object_in(self.path / RECORDS, number, file.readline())
        if value is None:
            raise InputError(
                f"{self.path / RECORDS}, line {number}: the file was changed while it was read; try again"
            )
        return _record_in(self.path / RECORDS, number, value)

    def chunks(self) -> Iterator[Chunk]:
        """Split the records into chunks for parallel reading, in order, without parsing them."""
        first, offset, size, lines = 1, 0, 0, 0
        for _, _, line in self._raw(RECORDS):
            size, lines = size + len(line), lines + 1
            if size >= _CHUNK_BYTES or lines >= _CHUNK_LINES:
                yield Chunk(first, offset, lines)
                first, offset, size, lines = first + lines, offset + size, 0, 0
        if lines:
            yield Chunk(first, offset, lines)

    def _lines(self, name: str, chunk: Chunk | None = None) -> Iterator[Line]:
        for number, offset, raw in self._raw(name, chunk):
            value = _object_in(self.path / name, number, raw)
            if value is None:
                return
            yield Line(number, offset, raw, value)

    def _raw(self, name: str, chunk: Chunk | None = None) -> Iterator[tuple[int, int, bytes]]:
        file = self.path / name
        if not file.is_file():
            raise no_run(self.path, name)
        first, offset = (chunk.first, chunk.offset) if chunk else (1, 0)
        with file.open("rb") as lines:
            lines.seek(offset)
            for number, line in enumerate(islice(lines, chunk.lines if chunk else None), first):
                yield number, offset, line
                offset += len(line)


def _facts(log: RunLog) -> RunFacts:
    if not log.has_manifest:
        return RunFacts()
    manifest, summary = log.manifest, log.summary
    return RunFacts(
        tuple(model.label for model in manifest.models),
        summary.selected_cases or manifest.cases,
        _ENDINGS.get(manifest.exit_status, INCOMPLETE_ENDING if summary.lacks_aside else None),
        tuple(manifest.loops.names),
        manifest.unpriced_loop_models(),
    )


def _decoded(raw: bytes) -> Record | None:
    """Return the record in a line, in a third of the time; None if this decoder cannot read it."""
    if not raw.startswith(_BEGINNING):
        return None
    try:
        return _RECORD.decode(raw)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _record_in(file: Path, number: int, value: Mapping[str, JsonValue]) -> Record:
    """Return the record in the JSON object of a line; raise InputError if it is damaged."""
    version = value.get("schema_version")
    if version != SCHEMA_VERSION:
        raise InputError(f"{file}, line {number}: {other_version(version)}")
    try:
        return record_from(value)
    except msgspec.ValidationError as error:
        case = value.get("case_id")
        named = f", case {one_line(case)}" if isinstance(case, str) else ""
        fault = conversion_fault(error) + _found(value, error)
        raise InputError(f"{file}, line {number}{named}: not a whole record: {fault}; {REMEDY}") from None


_PATH = re.compile(r"\.(\w+)|\[(\d+)\]")
_LONGEST = 40


def _found(value: JsonValue, error: msgspec.ValidationError) -> str:
    """Return the number or text that an error is about; empty if it cannot be told."""
    _, _, where = str(error).rpartition(" - at `$")
    path = where.strip("`")
    if not path or _PATH.sub("", path):
        return ""
    for name, place in _PATH.findall(path):
        try:
            value = value[name] if name else value[int(place)]
        except (KeyError, IndexError, TypeError):
            return ""
    if not isinstance(value, str | int | float):
        return ""
    return f", and it is {shortened(one_line(json.dumps(value)), _LONGEST)}"


_Part = TypeVar("_Part", bound=Struct)


def _convert(file: Path, value: Mapping[str, JsonValue], kind: type[_Part]) -> _Part:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise InputError(f"{file}: {conversion_fault(error)}; {REMEDY}") from None


def _object_in(file: Path, number: int, line: bytes) -> dict[str, JsonValue] | None:
    """Return the JSON object in a line; None for half a line, which has no end."""
    try:
        value = value_of(line)
    except ValueError as error:
        if not line.endswith(b"\n"):
            return None
        case = _LINE_PREFIX.match(line)
        named = f", case {one_line(json.loads(case[1]))}" if case else ""
        raise InputError(f"{file}, line {number}{named}: not JSON ({error}); {REMEDY}") from error
    if not isinstance(value, dict):
        raise InputError(f"{file}, line {number}: not a JSON object; {REMEDY}")
    return value


def _object(file: Path) -> dict[str, JsonValue]:
    try:
        value = value_of(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except ValueError as error:
        raise InputError(f"{file}: not JSON ({error}); {REMEDY}") from error
    if not isinstance(value, dict):
        raise InputError(f"{file}: not what a run writes there; {REMEDY}")
    return value
