"""Lines of JSON taken into a cache."""

import gzip
import json
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from kg.errors import InputError
from prompts.answers._connect import connect
from prompts.answers._faults import told
from prompts.answers._kept import Kept
from prompts.answers._prepare import prepare
from prompts.answers._store import find, insert

_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two answers to one request; the one that was there stays.

    Attributes:
        key: Of the request.
        model: Who was asked.
        kept_made: When the answer that stays was made.
        refused_made: When the other was made.
        file: Where the other stands.
        line: Its line there, from 1.
    """

    key: str
    model: str
    kept_made: str
    refused_made: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import.

    Attributes:
        added: Answers that were not there.
        known: Answers that were there already, word for word.
        conflicts: Answers that were there in other words.
    """

    added: int
    known: int
    conflicts: tuple[Conflict, ...]


def import_answers(path: Path, files: Sequence[Path]) -> Imported:
    """Take exports into a cache, all of them or, where one is faulty, nothing.

    Args:
        path: File of the cache; made if absent.
        files: The exports, compressed or not.

    Raises:
        AnswerCacheError: If the cache cannot be used.
        InputError: If a file cannot be read or a line is no answer.
    """
    prepare(path)
    added = known = 0
    conflicts: list[Conflict] = []
    with told(path), closing(connect(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        for file in files:
            for line, kept in _answers(file):
                if insert(connection, kept):
                    added += 1
                elif (there := _there(connection, kept)).said == kept.said:
                    known += 1
                else:
                    conflict = Conflict(kept.key, kept.model, there.made, kept.made, str(file), line)
                    conflicts.append(conflict)
        connection.execute("COMMIT")
    return Imported(added, known, tuple(conflicts))


def _there(connection: sqlite3.Connection, kept: Kept) -> Kept:
    return find(connection, kept.key) or kept


def _answers(file: Path) -> Iterator[tuple[int, Kept]]:
    number = 0
    try:
        for number, line in enumerate(_lines(file), 1):
            if line.strip():
                yield number, Kept.from_json(json.loads(line))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{file}: the compressed file is damaged or cut short. Export it again.") from error
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror}). Name an export.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{file}, line {number}: no answer of an export ({error}). Nothing was imported."
        ) from error


def _lines(file: Path) -> Iterator[bytes]:
    with file.open("rb") as plain:
        packed = plain.read(len(_GZIP)) == _GZIP
        plain.seek(0)
        yield from gzip.GzipFile(fileobj=plain) if packed else plain
