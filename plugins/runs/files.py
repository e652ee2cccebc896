"""The files of a run: names, JSON, lines, and the lock."""

import json
import os
import re
import socket
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from retrocypher.kg.errors import InputError
from retrocypher.plugins.runs.record import SCHEMA_VERSION, JsonValue, fields_of

RECORDS = "records.jsonl"
MESSAGES = "messages.jsonl"
QUESTIONS = "questions.jsonl"
MANIFEST = "manifest.json"
SUMMARY = "summary.json"
ALLURE = "allure-results"
LOCK = "run.lock"


def no_run(path: Path, lacking: str) -> InputError:
    """Return the error for a path that is no run, or lacks a file of one."""
    if not path.exists():
        why = "there is no such folder"
    elif not path.is_dir():
        why = "this is a file"
    else:
        why = f"no {lacking} here"
    return InputError(f"{path}: {why}; name the folder of a run")


def json_line(value: Any) -> str:
    """Return a value as one line of JSON, without the line's end; raise ValueError if a number is not finite.

    Structs and dataclasses become objects of their fields. Half a surrogate pair, which a model may return
    and UTF-8 cannot hold, becomes a JSON escape.
    """
    return _readable(json.dumps(value, ensure_ascii=False, allow_nan=False, default=fields_of))


def json_page(value: Any) -> str:
    """Return a value as lines of JSON for a person to read; else as `json_line`."""
    return (
        _readable(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2, default=fields_of)) + "\n"
    )


def _readable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


REMEDY = "restore it from a copy, or make the run again"


_NOT_FINITE = re.compile(rb'"([^"\\]*)"\s*:\s*(NaN|-?Infinity)')


class _NotFiniteError(ValueError):
    """What Python reads as a number, and JSON has no number for."""


def _not_finite(name: str) -> None:
    raise _NotFiniteError(f"{name} is no number")


_JSON = json.JSONDecoder(parse_constant=_not_finite)


def value_of(content: bytes) -> Any:
    """Read JSON; raise ValueError if it is none (NaN is not), is no UTF-8, or is nested too deep."""
    try:
        return _JSON.decode(content.decode())
    except RecursionError:
        raise ValueError("nested too deep") from None
    except _NotFiniteError as error:
        where = _NOT_FINITE.search(content)
        field = f"{where[1].decode(errors='replace')}: " if where else ""
        raise ValueError(f"{field}{error}") from None


def other_version(version: object) -> str:
    """Return what is said of a file of another schema version."""
    return (
        f"schema version {version!r}, and this RetroCypher reads {SCHEMA_VERSION}; "
        "use the RetroCypher that wrote the run (versions and git of its manifest.json), or run it again"
    )


class LineFile:
    """Appends lines. Each is on the disk, for other processes to read, when `append` returns."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
        self._size = os.fstat(self._file).st_size

    def append(self, line: str) -> None:
        """Append a line, given without its end; raise OSError, and leave nothing of it, if that fails."""
        content = memoryview((line + "\n").encode())
        try:
            written = 0
            while written < len(content):
                written += os.write(self._file, content[written:])
        except OSError:
            os.ftruncate(self._file, self._size)
            raise
        self._size += len(content)

    def close(self) -> None:
        """Close the file; harmless when repeated."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def truncate_partial_line(path: Path) -> int:
    """Cut off a last line that was not written whole; return how many bytes were cut off."""
    if not path.exists():
        return 0
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        end = _end_of_lines(path, size)
        file.seek(end)
        rest = file.read()
        if rest and _is_json(rest):
            file.write(b"\n")
            return 0
        file.truncate(end)
        return size - end


def _end_of_lines(path: Path, size: int) -> int:
    """Return where the last line that has an end ends, looking from the back."""
    step = 1 << 16
    with path.open("rb") as file:
        while size:
            start = max(0, size - step)
            file.seek(start)
            at = file.read(size - start).rfind(b"\n")
            if at >= 0:
                return start + at + 1
            size = start
    return 0


def _is_json(line: bytes) -> bool:
    """Whether a line is whole but for its end."""
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


class RunLock:
    """Holds a run directory until the process ends; raises InputError if another process holds it."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / LOCK
        self._lock = FileLock(self._file)
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            raise InputError(
                f"{folder}: {_named(_holder(self._file))} is writing this run; wait for it, or name another "
                "folder with --run-dir (without --run-dir, --fresh starts a new run beside it)"
            ) from None
        holder = {"pid": os.getpid(), "host": socket.gethostname(), "since": _now()}
        # On a full disk the lock holds all the same; it only cannot say whose it is.
        with suppress(OSError):
            self._file.write_text(json.dumps(holder) + "\n", encoding="utf-8")

    def release(self) -> None:
        """Let go, and take the lock's file away; harmless when repeated."""
        if self._lock.is_locked:
            # While it is still held: who waits for this file sees that it is gone, and takes a new one.
            self._file.unlink(missing_ok=True)
            self._lock.release()


def is_held(folder: Path) -> bool:
    """Return whether a process is writing a run directory now."""
    file = folder / LOCK
    if not file.exists():
        return False
    lock = FileLock(file)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        return True
    except OSError:
        return False
    lock.release()
    return False


def _holder(file: Path) -> dict[str, JsonValue]:
    with suppress(OSError, ValueError):
        holder = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(holder, dict):
            return holder
    return {}


def _named(holder: dict[str, JsonValue]) -> str:
    if not holder:
        return "another process"
    return f"process {holder.get('pid')} on {holder.get('host')} (since {holder.get('since')})"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
