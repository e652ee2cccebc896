"""A cache written out as lines of JSON."""

import gzip
import io
import json
import math
import sqlite3
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from retrocypher.kg.errors import InputError
from retrocypher.kg.paths import cache_dir
from retrocypher.prompts.models.response_cache import (
    COLUMNS,
    SCHEMA_VERSION,
    Kept,
    connect,
    connect_to_read,
    fault,
    find,
    from_row,
    insert,
    stamp,
    told,
)

_FILE = "answers.sqlite"


def default_file() -> Path:
    """Return where answers are kept unless told otherwise.

    Raises:
        AnswerCacheError: If there can be no folder for it.
    """
    try:
        return cache_dir() / _FILE
    except OSError as error:
        raise fault(
            Path(error.filename or "", _FILE),
            f"cannot be made ({error.strerror})",
            "Name a folder that can be written to with RETROCYPHER_CACHE",
        ) from error


def prepare(path: Path, *, read_only: bool = False) -> int:
    """Make sure that a cache can be used, and return how many answers it holds.

    It is read through once, and written to: what is wrong with it is to be known before a model is asked.

    Args:
        path: Its file; made if absent, unless it is only read.
        read_only: Whether nothing is to be kept.

    Raises:
        AnswerCacheError: If it cannot be used, with the reason and a remedy.
    """
    with told(path), closing(connect_to_read(path) if read_only else connect(path)) as connection:
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
    """Write answers as JSON lines, each as `Kept.to_json` has it, the oldest first; return how many.

    The same answers give the same bytes.

    Args:
        path: File of the cache.
        to: File to write, compressed where its name ends in ``.gz``; it must not exist.
        models: Of these models only; empty for all.

    Raises:
        AnswerCacheError: If the cache cannot be read.
        InputError: If the file is there already or cannot be written.
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


def _read(path: Path) -> Iterator[Kept]:
    with told(path), closing(connect_to_read(path)) as connection:
        for row in connection.execute(f"SELECT {COLUMNS} FROM answers ORDER BY made, key"):
            yield from_row(row)


@contextmanager
def _writing(to: Path) -> Iterator[IO[bytes]]:
    """Open a file that is there whole or not at all."""
    partial = to.with_name(to.name + ".partial")
    try:
        with partial.open("wb") as plain:
            buffered = io.BufferedWriter(_compressed(plain)) if to.suffix == ".gz" else plain
            yield buffered
            if buffered is not plain:
                buffered.close()
        partial.replace(to)
    except OSError as error:
        raise InputError(
            f"{to}: cannot be written ({error.strerror}). Name a file in a folder with room."
        ) from error
    finally:
        partial.unlink(missing_ok=True)


def _compressed(file: IO[bytes]) -> gzip.GzipFile:
    # Neither name nor time, so that the same answers give the same bytes.
    return gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)


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


_BY_MODEL = """
SELECT model, api, count(*),
    coalesce(sum(json_extract(answer, '$.tokens.prompt')), 0),
    coalesce(sum(json_extract(answer, '$.tokens.completion')), 0),
    sum(json_extract(answer, '$.time_s')), min(made), max(made)
FROM answers GROUP BY model, api ORDER BY count(*) DESC, model, api
"""


@dataclass(frozen=True, slots=True)
class ModelStats:
    """The answers of one model in a cache.

    Attributes:
        model: As in `Identity`.
        api: As in `Identity`.
        answers: How many there are.
        prompt_tokens: Tokens that were sent for them, as far as told.
        completion_tokens: Tokens that came back, as far as told.
        seconds: Time that their calls took.
        oldest: When the first was made, UTC.
        newest: When the last was made, UTC.
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
    """What a cache holds.

    Attributes:
        file: Its file.
        bytes: Size of the file and what SQLite writes beside it.
        models: Its models, the one with most answers first.
    """

    file: Path
    bytes: int
    models: tuple[ModelStats, ...]

    @property
    def answers(self) -> int:
        """How many answers there are."""
        return sum(model.answers for model in self.models)

    def to_json(self) -> dict[str, Any]:
        """Return the figures as one JSON object."""
        models = [asdict(model) for model in self.models]
        dates = [date for model in self.models for date in (model.oldest, model.newest)]
        return {
            "file": str(self.file),
            "schema_version": SCHEMA_VERSION,
            "bytes": self.bytes,
            "answers": self.answers,
            "oldest": min(dates, default=None),
            "newest": max(dates, default=None),
            "models": models,
        }


def stats(path: Path) -> Stats:
    """Return what a cache holds; changes nothing.

    Raises:
        AnswerCacheError: If it cannot be read.
    """
    prepare(path, read_only=True)
    with told(path), closing(connect_to_read(path)) as connection:
        models = tuple(ModelStats(*row) for row in connection.execute(_BY_MODEL))
    return Stats(path, size_of(path), models)


def size_of(path: Path) -> int:
    """Return the bytes of a cache: its file, and the log of what is not in it yet."""
    log = path.with_name(path.name + "-wal")
    return path.stat().st_size + (log.stat().st_size if log.exists() else 0)


_OLDEST = "DELETE FROM answers WHERE key IN (SELECT key FROM answers ORDER BY made, key LIMIT ?)"


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was removed from a cache.

    Attributes:
        removed: How many answers.
        left: How many answers there are now.
        bytes_before: Size of the cache before.
        bytes_after: Size of the cache now.
    """

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
    """Remove answers for good, and give the room back to the disk.

    Args:
        path: File of the cache.
        before: Remove those that were made before this moment, which must be UTC; None for any age.
        models: Remove those of these models only; empty for all models.
        to_bytes: Remove the oldest, whatever their model, until the file is no larger.

    Raises:
        AnswerCacheError: If the cache cannot be used.
    """
    prepare(path, read_only=True)
    count = prepare(path)
    with told(path), closing(connect(path)) as connection:
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
