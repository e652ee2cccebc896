"""Upkeep of the response cache: where its file is, checks, export, import, statistics, pruning."""

import gzip
import io
import json
import math
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

from retrocypher.kg.errors import InputError
from retrocypher.kg.paths import cache_dir
from retrocypher.prompts.models.response_cache import (
    COLUMNS,
    SCHEMA_VERSION,
    CacheEntry,
    connect,
    connect_to_read,
    fault,
    find,
    from_row,
    insert,
    sqlite_errors,
    stamp,
)

NO_CACHE = "none"
"""The value of ``--cache`` that stores nothing."""

_FILE = "answers.sqlite"
_GZIP = b"\x1f\x8b"
_BY_MODEL = """
SELECT model, api, count(*),
    coalesce(sum(json_extract(answer, '$.tokens.prompt')), 0),
    coalesce(sum(json_extract(answer, '$.tokens.completion')), 0),
    sum(json_extract(answer, '$.time_s')), min(made), max(made)
FROM answers GROUP BY model, api ORDER BY count(*) DESC, model, api
"""
_OLDEST = "DELETE FROM answers WHERE key IN (SELECT key FROM answers ORDER BY made, key LIMIT ?)"


def default_file() -> Path:
    """Return the file of the cache unless another is named."""
    try:
        return cache_dir() / _FILE
    except OSError as error:
        raise fault(
            Path(error.filename or "", _FILE),
            f"cannot be made ({error.strerror})",
            "Name a folder that can be written to with RETROCYPHER_CACHE",
        ) from error


def cache_file(cache: str | None, *, offline: bool) -> Path | None:
    """Return the file that ``--cache`` names, or the default one; None for `NO_CACHE`.

    Raises InputError if there is no cache where only it may answer.
    """
    if cache != NO_CACHE:
        return Path(cache).expanduser().absolute() if cache else default_file()
    if offline:
        raise InputError("--offline --cache none: then there are no answers. Leave out one of the two.")
    return None


def prepare(path: Path, *, read_only: bool = False) -> int:
    """Make sure that a cache can be used, and return how many responses it holds.

    It is read through and written to once, so that faults are known before a model is asked. The file is made
    if absent, unless `read_only`. Raises ResponseCacheError with the reason and a remedy.
    """
    with sqlite_errors(path), closing(connect_to_read(path) if read_only else connect(path)) as connection:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            reason = " ".join(str(found).split())[:200]
            raise fault(path, f"is damaged ({reason})", "Move it away and import an export of it")
        if not read_only:
            now = stamp(datetime.now(UTC))
            connection.execute("INSERT OR REPLACE INTO opened VALUES (1, ?)", (now,))
        (count,) = connection.execute("SELECT count(*) FROM answers").fetchone()
        return int(count)


def export(path: Path, to: Path, *, models: Sequence[str] = ()) -> int:
    """Write responses as JSON lines (`CacheEntry.to_json`), the oldest first, and return how many.

    The same responses give the same bytes, compressed where the name of the new file ends in ``.gz``. Without
    `models`, all are written. Raises InputError if the file exists or cannot be written.
    """
    prepare(path, read_only=True)
    if to.exists():
        raise InputError(f"{to}: is there already. Name a new file, or remove this one.")
    count = 0
    with _writing(to) as file:
        for kept in _read(path):
            if not models or kept.model in models:
                file.write(json.dumps(kept.to_json()).encode() + b"\n")
                count += 1
    return count


def _read(path: Path) -> Iterator[CacheEntry]:
    with sqlite_errors(path), closing(connect_to_read(path)) as connection:
        for row in connection.execute(f"SELECT {COLUMNS} FROM answers ORDER BY made, key"):
            yield from_row(row)


@contextmanager
def _writing(to: Path) -> Iterator[IO[bytes]]:
    """Open a file that appears under its name only when it is complete."""
    partial = to.with_name(to.name + ".partial")
    try:
        with partial.open("wb") as plain:
            if to.suffix == ".gz":
                # Neither name nor time, so that the same responses give the same bytes.
                packed = gzip.GzipFile(filename="", mode="wb", fileobj=plain, mtime=0)
                with io.BufferedWriter(packed) as buffered:
                    yield buffered
            else:
                yield plain
        partial.replace(to)
    except OSError as error:
        raise InputError(
            f"{to}: cannot be written ({error.strerror}). Name a file in a folder with room."
        ) from error
    finally:
        partial.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two responses to one request: the one that stays in the cache, and the one of a line (from 1)."""

    key: str
    model: str
    kept_made: str
    refused_made: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: responses added, known already with the same text, and known with another."""

    added: int
    known: int
    conflicts: tuple[Conflict, ...]


def import_responses(path: Path, files: Sequence[Path]) -> Imported:
    """Import exports, compressed or not, into a cache: all of them or, if one is faulty, nothing.

    Raises InputError if a file cannot be read or a line is not a response.
    """
    prepare(path)
    added = known = 0
    conflicts: list[Conflict] = []
    with sqlite_errors(path), closing(connect(path)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        for file in files:
            for line, kept in _answers(file):
                if insert(connection, kept):
                    added += 1
                elif (there := find(connection, kept.key) or kept).said == kept.said:
                    known += 1
                else:
                    conflict = Conflict(kept.key, kept.model, there.made, kept.made, str(file), line)
                    conflicts.append(conflict)
        connection.execute("COMMIT")
    return Imported(added, known, tuple(conflicts))


def _answers(file: Path) -> Iterator[tuple[int, CacheEntry]]:
    number = 0
    try:
        for number, line in enumerate(_lines(file), 1):
            if line.strip():
                yield number, CacheEntry.from_json(json.loads(line))
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


@dataclass(frozen=True, slots=True)
class ModelStats:
    """The responses of one model in a cache.

    Tokens are counted as far as known; `seconds` is the duration of the calls; times are UTC.
    """

    model: str
    api: str
    answers: int
    prompt_tokens: int
    completion_tokens: int
    seconds: float
    oldest: str
    newest: str


@dataclass(frozen=True, slots=True)
class Stats:
    """What a cache holds; `bytes` includes what SQLite writes beside the file."""

    file: str
    schema_version: int
    bytes: int
    answers: int
    oldest: str | None
    newest: str | None
    models: tuple[ModelStats, ...]


def stats(path: Path) -> Stats:
    """Return what a cache holds, without changing it."""
    prepare(path, read_only=True)
    with sqlite_errors(path), closing(connect_to_read(path)) as connection:
        models = tuple(ModelStats(*row) for row in connection.execute(_BY_MODEL))
    oldest = min((each.oldest for each in models), default=None)
    newest = max((each.newest for each in models), default=None)
    answers = sum(each.answers for each in models)
    return Stats(str(path), SCHEMA_VERSION, size_of(path), answers, oldest, newest, models)


def size_of(path: Path) -> int:
    """Return the bytes of a cache: its file and its write-ahead log."""
    log = path.with_name(path.name + "-wal")
    return path.stat().st_size + (log.stat().st_size if log.exists() else 0)


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was removed from a cache: counts of responses, and its size in bytes."""

    removed: int
    left: int
    bytes_before: int
    bytes_after: int


def prune(
    path: Path,
    *,
    before: datetime | None = None,
    models: Sequence[str] = (),
    to_bytes: int | None = None,
) -> Pruned:
    """Remove responses for good, and free their space on disk.

    Args:
        before: Remove those that were made before this moment, in UTC; None for any age.
        models: Remove only those of these models; empty for all models.
        to_bytes: Remove the oldest, of any model, until the file is no larger.
    """
    prepare(path, read_only=True)
    count = prepare(path)
    with sqlite_errors(path), closing(connect(path)) as connection:
        bytes_before = size_of(path)
        if before is not None or models:
            _remove(connection, before, models)
        _give_back(connection)
        while to_bytes is not None and size_of(path) > to_bytes and (left := _count(connection)):
            too_much = 1 - to_bytes / size_of(path)
            connection.execute(_OLDEST, (max(1, math.floor(left * too_much)),))
            _give_back(connection)
        left = _count(connection)
        return Pruned(count - left, left, bytes_before, size_of(path))


def _remove(connection: sqlite3.Connection, before: datetime | None, models: Sequence[str]) -> None:
    where, values = ["TRUE"], []
    if before is not None:
        where.append("made < ?")
        values.append(stamp(before))
    if models:
        where.append(f"model IN ({', '.join('?' * len(models))})")
        values.extend(models)
    connection.execute(f"DELETE FROM answers WHERE {' AND '.join(where)}", values)


def _give_back(connection: sqlite3.Connection) -> None:
    connection.execute("VACUUM")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()


def _count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM answers").fetchone()[0])
