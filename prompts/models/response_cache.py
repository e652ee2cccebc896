"""The response cache: completions of models by request, in an SQLite file that processes share."""

import hashlib
import json
import re
import shutil
import sqlite3
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec

from retrocypher.kg.errors import InputError
from retrocypher.prompts.models.spec import seeded

SCHEMA_VERSION = 1
_MADE = "%Y-%m-%dT%H:%M:%S+00:00"
_MADE_TEXT = r"\A\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\+00:00\Z"
_WRONG_FIELD = re.compile(r"`\$\.(\w+)")


@dataclass(frozen=True, slots=True)
class CacheEntry:
    """A completion with where it came from.

    Attributes:
        key: As `request_key` gives.
        model: As in `Identity`, and so are `api` and `parameters`.
        served: The model as the server named it; None where it did not.
        made: When it was made, UTC, ISO 8601 to the second.
        tokens: ``prompt`` and ``completion`` counts, where known.
        details: Other facts about the completion, JSON values only.
    """

    key: Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{64}\Z")]
    model: Annotated[str, msgspec.Meta(min_length=1)]
    api: str
    parameters: Mapping[str, Any]
    served: str | None
    made: Annotated[str, msgspec.Meta(pattern=_MADE_TEXT)]
    text: str
    tokens: dict[str, int] | None
    time_s: Annotated[float, msgspec.Meta(ge=0, le=sys.float_info.max)]
    details: dict[str, Any]

    @property
    def said(self) -> tuple[str, Any]:
        """What the model said, without how long it took and when."""
        return self.text, self.details.get("no_answer")

    def to_json(self) -> dict[str, Any]:
        """Return the answer as one JSON object, ``schema_version`` first."""
        return {"schema_version": SCHEMA_VERSION, **asdict(self)}

    @classmethod
    def from_json(cls, value: object) -> "CacheEntry":
        """Read what `to_json` returned; raise ValueError with the reason if it is something else."""
        if not isinstance(value, dict):
            raise ValueError("no JSON object")
        if value.get("schema_version") != SCHEMA_VERSION:
            raise ValueError(f"schema_version must be {SCHEMA_VERSION}")
        if lacking := [field.name for field in fields(cls) if field.name not in value]:
            raise ValueError(f"{lacking[0]} is missing")
        try:
            entry = msgspec.convert(value, cls)
        except msgspec.ValidationError as error:
            wrong = _WRONG_FIELD.search(str(error))
            raise ValueError(f"{wrong[1] if wrong else 'a field'} has a value that no answer has") from error
        if entry.tokens is not None and entry.tokens.keys() != {"prompt", "completion"}:
            raise ValueError("tokens has a value that no answer has")
        return entry


def stamp(moment: datetime) -> str:
    """Return a moment, which must be UTC, as `CacheEntry.made` has it; such texts sort as the moments do."""
    return moment.strftime(_MADE)


@dataclass(frozen=True, slots=True)
class Identity:
    """What is asked, and how.

    Attributes:
        model: The name it is asked for by; of weights on this machine ``sha256:`` and the hash of their file.
        api: Host, port and path of its API, without user, password and query; empty on this machine.
        parameters: What is sent along that changes the completion, JSON values only.
    """

    model: str
    api: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def of_repeat(self, case_repeat: int) -> "Identity":
        """Return the identity with the seed of a repeat."""
        return replace(self, parameters=seeded(self.parameters, case_repeat))


_FORM = 1


def request_key(
    identity: Identity, messages: Sequence[Mapping[str, str]], repeat: int = 0, case_repeat: int = 1
) -> str:
    """Return the SHA-256 of a request, in hexadecimal.

    Two requests have one key exactly if model, API, parameters and messages are equal, and both are asked
    for the same time within their case. The order of parameters does not count, that of messages does.

    Args:
        repeat: How often a case has asked the same before. A loop that asks again wants another completion,
            and gets the one it got the last time it asked as often.
        case_repeat: How many times the case has been asked with this one.
    """
    request = {
        "form": _FORM,
        "model": identity.model,
        "api": identity.api,
        "parameters": dict(identity.parameters),
        "messages": [dict(message) for message in messages],
        "repeat": repeat,
        **({"case_repeat": case_repeat} if case_repeat > 1 else {}),
    }
    text = json.dumps(request, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


_ELSEWHERE = "name another file with --cache FILE, or run without a cache with --cache none"
_SAID = {
    sqlite3.SQLITE_NOTADB: ("is no SQLite database, or its beginning is damaged", "Move it away"),
    sqlite3.SQLITE_CORRUPT: ("is damaged ({})", "Move it away and import an export of it"),
    sqlite3.SQLITE_READONLY: ("cannot be written to", "Make file and folder writable"),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened ({})", "Make its folder and see that you may write there"),
    sqlite3.SQLITE_PERM: ("may not be opened", "Look at its permissions"),
    sqlite3.SQLITE_FULL: ("cannot be written to: the disk is full", "Make room"),
    sqlite3.SQLITE_BUSY: ("is locked by another program for too long", "End that"),
}
_NO_ROOM = 65_536
_OTHER = ("cannot be used ({})", "See that it is on a local disk with room")


class ResponseCacheError(InputError):
    """A response cache cannot be used."""


def fault(path: Path, wrong: str, remedy: str) -> ResponseCacheError:
    """Return the error that says what is wrong with a cache, and the remedy unless one does without it."""
    return ResponseCacheError(f"the response cache {path} {wrong}. {remedy}, or {_ELSEWHERE}.")


@contextmanager
def sqlite_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite and the system within the block into one ResponseCacheError with a remedy."""
    try:
        yield
    except sqlite3.Error as error:
        wrong, remedy = _SAID.get(_kind(error, path), _OTHER)
        raise fault(path, wrong.format(error), remedy) from error
    except (ValueError, TypeError) as error:
        # A database that is whole, with something else in it than was written.
        wrong, remedy = _SAID[sqlite3.SQLITE_CORRUPT]
        raise fault(path, wrong.format(error), remedy) from error
    except OSError as error:
        wrong, remedy = _SAID[sqlite3.SQLITE_CANTOPEN]
        raise fault(path, wrong.format(error.strerror or error), remedy) from error


def _kind(error: sqlite3.Error, path: Path) -> int:
    """Return the kind of an error, which is the low byte of its code, as the user would name it."""
    kind: int = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if kind == sqlite3.SQLITE_CANTOPEN and path.is_file():
        # What cannot be opened is the log that SQLite writes beside the file.
        return sqlite3.SQLITE_READONLY
    if kind == sqlite3.SQLITE_IOERR and shutil.disk_usage(path.parent).free < _NO_ROOM:
        return sqlite3.SQLITE_FULL
    return kind


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

    Every statement is a transaction of its own, so no process holds the others up for long. Raises
    ResponseCacheError if the file is another program's or of a newer version, else what SQLite raises.
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

    Raises ResponseCacheError if there is no such file, and as `connect`.
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
    """Turn on write-ahead logging, in which readers never wait and writers hardly; the file remembers it."""
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


COLUMNS = "key, model, api, parameters, served, made, answer"
"""In the order in which `from_row` takes them."""


class ResponseCache:
    """The cache of a process: one connection, which no other thread may use."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection

    def get(self, key: str) -> CacheEntry | None:
        """Return the entry of a key; None where there is none."""
        with sqlite_errors(self.path):
            return find(self._connection, key)

    def has(self, key: str) -> bool:
        """Return whether a key has an entry."""
        with sqlite_errors(self.path):
            row = self._connection.execute("SELECT 1 FROM answers WHERE key = ?", (key,)).fetchone()
        return row is not None

    def put(self, kept: CacheEntry) -> CacheEntry:
        """Store an entry unless its key has one, and return the one that is stored now."""
        with sqlite_errors(self.path):
            added = insert(self._connection, kept)
        return kept if added else self.get(kept.key) or kept


def find(connection: sqlite3.Connection, key: str) -> CacheEntry | None:
    """Return the entry of a key; None where there is none."""
    row = connection.execute(f"SELECT {COLUMNS} FROM answers WHERE key = ?", (key,)).fetchone()
    return None if row is None else from_row(row)


def insert(connection: sqlite3.Connection, kept: CacheEntry) -> bool:
    """Add an entry unless its key has one; return whether it was added."""
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


def from_row(row: tuple[str, ...]) -> CacheEntry:
    """Read a row of the table."""
    key, model, api, parameters, served, made, answer = row
    return CacheEntry(key, model, api, json.loads(parameters), served, made, **json.loads(answer))


@contextmanager
def open_cache(path: Path, *, read_only: bool = False) -> Iterator[ResponseCache]:
    """Open a cache for the block; the last to close it leaves one file that can be copied.

    The file is made if absent, unless it is only read.
    """
    with sqlite_errors(path):
        connection = connect_to_read(path) if read_only else connect(path)
    with closing(connection):
        yield ResponseCache(path, connection)
