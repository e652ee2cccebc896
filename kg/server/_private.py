"""Private folders of running servers, and clearing those whose supervisor was killed."""

import fcntl
import os
import shutil
import tempfile
from pathlib import Path

PREFIX = "retrocypher-"
SOCKET_PATH_MAX = 100
"""Characters of a Unix socket's path that every system takes."""


def private_directory() -> Path:
    """Make a folder (0700) for one server: its store, its logs, its control socket."""
    parent = Path(tempfile.gettempdir())
    if len(str(parent)) > SOCKET_PATH_MAX - 40:
        parent = Path("/tmp")
    _sweep(parent)
    return Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))


def hold(directory: Path) -> int:
    """Lock a folder for as long as this process lives; returns the lock's descriptor."""
    pending = directory / "lock.new"
    descriptor = os.open(pending, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    # Renamed only when locked, so that nobody sees a lock that is not held yet.
    pending.rename(directory / "lock")
    return descriptor


def abandoned(directory: Path) -> bool:
    """Return whether a folder was held by a process that is gone."""
    try:
        descriptor = os.open(directory / "lock", os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _sweep(parent: Path) -> None:
    for directory in parent.glob(f"{PREFIX}*"):
        if directory.is_dir() and directory.stat().st_uid == os.getuid() and abandoned(directory):
            shutil.rmtree(directory, ignore_errors=True)
