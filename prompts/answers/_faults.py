"""What is wrong with a cache, for the user."""

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kg.errors import InputError

_ELSEWHERE = "name another file with --cache FILE, or keep no answers with --cache none"
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


class AnswerCacheError(InputError):
    """A cache of answers cannot be used."""


def fault(path: Path, wrong: str, remedy: str) -> AnswerCacheError:
    """Return the error to raise about a cache.

    Args:
        path: Its file.
        wrong: What is wrong with it.
        remedy: What to do, unless one does without it.
    """
    return AnswerCacheError(f"the answer cache {path} {wrong}. {remedy}, or {_ELSEWHERE}.")


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Turn what SQLite and the system raise within the block into one clear error.

    Raises:
        AnswerCacheError: With the file and a remedy.
    """
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
