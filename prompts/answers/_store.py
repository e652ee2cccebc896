"""Keeping answers and finding them again, from many processes at once."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from prompts.answers._connect import connect, connect_to_read
from prompts.answers._faults import told
from prompts.answers._kept import Kept

COLUMNS = "key, model, api, parameters, served, made, answer"
"""In the order in which `from_row` takes them."""


class AnswerStore:
    """The cache of a process: one connection, which no other thread may use.

    Args:
        path: Its file.
        connection: A connection to it.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    def get(self, key: str) -> Kept | None:
        """Return the answer of a key; None where there is none.

        Raises:
            AnswerCacheError: If the cache cannot be read.
        """
        with told(self.path):
            return find(self._connection, key)

    def put(self, kept: Kept) -> Kept:
        """Keep an answer unless there is one, and return the one that is kept now.

        Raises:
            AnswerCacheError: If the cache cannot be written to.
        """
        with told(self.path):
            added = insert(self._connection, kept)
        return kept if added else self.get(kept.key) or kept


def find(connection: sqlite3.Connection, key: str) -> Kept | None:
    """Return the answer of a key; None where there is none."""
    row = connection.execute(f"SELECT {COLUMNS} FROM answers WHERE key = ?", (key,)).fetchone()
    return None if row is None else from_row(row)


def insert(connection: sqlite3.Connection, kept: Kept) -> bool:
    """Add an answer unless its key has one; return whether it was added."""
    said = {"text": kept.text, "tokens": kept.tokens, "time_s": kept.time_s, "details": kept.details}
    # Plain ASCII: a model may say what is not text to SQLite, such as half a surrogate pair.
    values = (
        kept.key,
        kept.model,
        kept.api,
        json.dumps(dict(kept.parameters), sort_keys=True),
        kept.served,
        kept.made,
        json.dumps(said),
    )
    done = connection.execute(
        f"INSERT INTO answers ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING", values
    )
    return done.rowcount == 1


def from_row(row: tuple[str, ...]) -> Kept:
    """Read a row of the table."""
    key, model, api, parameters, served, made, answer = row
    return Kept(key, model, api, json.loads(parameters), served, made, **json.loads(answer))


@contextmanager
def open_answers(path: Path, *, read_only: bool = False) -> Iterator[AnswerStore]:
    """Open a cache for the block; the last to close it leaves one file that can be copied.

    Args:
        path: Its file; made if absent, unless it is only read.
        read_only: Whether nothing is to be kept.

    Raises:
        AnswerCacheError: If it cannot be opened.
    """
    with told(path):
        connection = connect_to_read(path) if read_only else connect(path)
    with closing(connection):
        yield AnswerStore(path, connection)
