"""Private folders of running servers, and clearing those whose supervisor was killed."""

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from pathlib import Path

PREFIX = "retrocypher-server-"
LOG = "supervisor.log"
SOCKET_PATH_MAX = 100
"""Characters of a Unix socket's path that every system takes."""

UNHELD_S = 3600.0
"""Age at which a folder that no supervisor has taken is no longer waited for."""


def private_directory() -> Path:
    """Make a folder (0700) for one server: its store, its logs, its control socket."""
    parent = Path(tempfile.gettempdir())
    if len(str(parent)) > SOCKET_PATH_MAX - 40:
        parent = Path("/tmp")
    _sweep(parent)
    directory = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    (directory / LOG).touch()
    return directory


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
        with contextlib.suppress(OSError):
            about = directory.stat()
            ours = about.st_uid == os.getuid()
            # Without a lock its supervisor is about to start, or never did.
            unheld = not (directory / "lock").exists() and time.time() - about.st_mtime > UNHELD_S
            if ours and (directory / LOG).exists() and (unheld or abandoned(directory)):
                shutil.rmtree(directory, ignore_errors=True)
