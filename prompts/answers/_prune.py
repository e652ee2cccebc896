"""Making a cache smaller."""

import math
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from prompts.answers._connect import connect
from prompts.answers._faults import told
from prompts.answers._kept import stamp
from prompts.answers._prepare import prepare
from prompts.answers._stats import size_of

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
