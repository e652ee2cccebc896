"""One process at a time writes a run directory."""

import json
import os
import socket
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from kg.errors import InputError
from plugins.records._files import LOCK


class RunLock:
    """Holds a run directory; the operating system lets go of it when the process ends, however it ends.

    Args:
        folder: The run directory; it must be there.

    Raises:
        InputError: If another process holds it; says which.
        OSError: If the lock's file cannot be made.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / LOCK
        self._lock = FileLock(self._file)
        try:
            self._lock.acquire(blocking=False)
        except Timeout:
            raise InputError(
                f"{folder}: {_told(_holder(self._file))} is writing this run; wait for it, or name another "
                "folder with --run-dir (without --run-dir, --fresh starts anew beside it)"
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


def _holder(file: Path) -> dict[str, Any]:
    with suppress(OSError, ValueError):
        told = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(told, dict):
            return told
    return {}


def _told(holder: dict[str, Any]) -> str:
    if not holder:
        return "another process"
    return f"process {holder.get('pid')} on {holder.get('host')} (since {holder.get('since')})"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
