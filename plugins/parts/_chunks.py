"""The records of a run in parts, each for a process to read by itself."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from plugins.records import RECORDS, record_of_line

_BYTES = 1_000_000
_LINES = 250


class Chunk(NamedTuple):
    """Some lines of the records.

    Attributes:
        first: Number of its first line, from 1.
        offset: Where it begins, in bytes.
        size: Its bytes.
        lines: Its lines.
    """

    first: int
    offset: int
    size: int
    lines: int


def chunks_of(run: Path) -> Iterator[Chunk]:
    """Yield the parts of the records of a run, in order; they are not looked into."""
    first, offset, size, lines = 1, 0, 0, 0
    with (run / RECORDS).open("rb") as file:
        for line in file:
            size, lines = size + len(line), lines + 1
            if size >= _BYTES or lines >= _LINES:
                yield Chunk(first, offset, size, lines)
                first, offset, size, lines = first + lines, offset + size, 0, 0
    if lines:
        yield Chunk(first, offset, size, lines)


def records_of(run: Path, chunk: Chunk) -> Iterator[tuple[int, bytes, dict[str, Any]]]:
    """Yield number, line and record of each line of a part.

    The last line of a run that was killed may be half a record: that is none.

    Raises:
        InputError: If a line is not a record.
    """
    with (run / RECORDS).open("rb") as file:
        file.seek(chunk.offset)
        for number in range(chunk.first, chunk.first + chunk.lines):
            line = file.readline()
            record = record_of_line(run, number, line)
            if record is None:
                return
            yield number, line, record
