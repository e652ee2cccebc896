"""Connections to the file of a cache."""

import sqlite3
import time
from pathlib import Path

from prompts.answers._faults import fault
from prompts.answers._kept import SCHEMA_VERSION

_APPLICATION = 0x52435941
"""Tells a cache from other programs' databases: RCYA."""

_BUSY_S = 60.0
_SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE IF NOT EXISTS answers (
    key TEXT PRIMARY KEY,
    model TEXT NOT NULL,
    api TEXT NOT NULL,
    parameters TEXT NOT NULL,
    served TEXT,
    made TEXT NOT NULL,
    answer TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS opened (only INTEGER PRIMARY KEY CHECK (only = 1), last TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS answers_by_model ON answers (model, made);
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {SCHEMA_VERSION};
COMMIT;
"""


def connect(path: Path) -> sqlite3.Connection:
    """Return a connection for reading and writing; the file is made if absent.

    Every statement is a transaction of its own, so no process holds the others up for long.

    Raises:
        AnswerCacheError: If the file is another program's, or of a newer version.
        sqlite3.Error: If SQLite cannot use it.
        OSError: If its folder cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None)
    try:
        if not _is_ours(connection, path):
            _use_wal(connection)
            connection.executescript(_SCHEMA)
        # Safe against a process that is killed; a machine that fails may lose the last answers, no more.
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_to_read(path: Path) -> sqlite3.Connection:
    """Return a connection that only reads, also of a file on a medium that cannot be written to.

    Raises:
        AnswerCacheError: If there is no such file, it is another program's, or of a newer version.
        sqlite3.Error: If SQLite cannot use it.
    """
    if not path.is_file():
        raise fault(
            path, "is not there", "Fill it with a run that asks a model, or by `retrocypher cache import`"
        )
    uri = path.absolute().as_uri()
    try:
        return _reading(f"{uri}?mode=ro", path)
    except sqlite3.OperationalError as error:
        # It wants to write beside the file. Where nobody else does, the file alone is the whole truth.
        log = path.with_name(path.name + "-wal")
        if _is_busy(error) or (log.exists() and log.stat().st_size):
            raise
        return _reading(f"{uri}?immutable=1", path)


def _reading(uri: str, path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(uri, timeout=_BUSY_S, isolation_level=None, uri=True)
    try:
        if not _is_ours(connection, path):
            raise fault(path, "holds nothing", "Fill it with a run that asks a model")
    except BaseException:
        connection.close()
        raise
    return connection


def _is_ours(connection: sqlite3.Connection, path: Path) -> bool:
    """Return whether the file is a cache already; False for one without anything in it."""
    # As one look: another process may be making the file.
    connection.execute("BEGIN")
    try:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    if application == _APPLICATION:
        if version > SCHEMA_VERSION:
            raise fault(
                path,
                f"was written by a newer version (schema {version}, this one reads {SCHEMA_VERSION})",
                "Use that version",
            )
        return bool(tables)
    if tables or application:
        raise fault(path, "is the database of another program", "Move it away")
    return False


def _use_wal(connection: sqlite3.Connection) -> None:
    """Turn to write-ahead logging, in which readers never wait and writers hardly; the file remembers it."""
    deadline = time.monotonic() + _BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            # SQLite does not wait here by itself when several processes make the file at once.
            if not _is_busy(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _is_busy(error: sqlite3.Error) -> bool:
    return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
