"""Private folders of servers and sessions; those whose owner was killed are removed."""

import contextlib
import fcntl
import os
import shutil
import socket
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

PREFIX = "retrocypher-server-"
SESSION_PREFIX = "retrocypher-session-"
LOG = "supervisor.log"
LOCK = "lock"

SOCKET_PATH_MAX = 100
"""Characters of a Unix socket's path that every system takes."""

UNHELD_S = 3600.0
"""Age at which a folder that no supervisor has taken is no longer waited for."""


def private_directory() -> Path:
    """Make a folder (0700) for one server: its store, its logs, its control socket."""
    parent = Path(tempfile.gettempdir())
    if len(str(parent)) > SOCKET_PATH_MAX - 40:
        parent = Path("/tmp")
    _sweep(parent, PREFIX, LOG)
    directory = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    (directory / LOG).touch()
    return directory


@dataclass(slots=True)
class SessionFolder:
    """A folder that is its session's for as long as the process that made it lives."""

    path: Path
    _lock: int | None

    def remove(self) -> None:
        """Remove the folder, where it was joined only when nobody else holds it; may be called again."""
        if self._lock is not None:
            with contextlib.suppress(OSError):
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = None


def session_folder() -> SessionFolder:
    """Make a private folder for what the processes of one session share.

    Those of sessions that were killed are cleared away first: a lock tells whether the owner lives, so that
    neither a process id that is used again nor a clock can mislead.
    """
    parent = Path(tempfile.gettempdir())
    _sweep(parent, SESSION_PREFIX, LOCK)
    path = Path(tempfile.mkdtemp(prefix=SESSION_PREFIX, dir=parent))
    return SessionFolder(path, hold(path))


def joined_folder(name: str) -> SessionFolder:
    """Make, or join, the folder that the processes of a session share on a machine other than its own."""
    parent = Path(tempfile.gettempdir())
    # With the machine in it: it is by this path that a session knows its own queries on a server.
    path = parent / f"{name}-{socket.gethostname()}"
    path.mkdir(mode=0o700, exist_ok=True)
    descriptor = os.open(path / LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    _sweep(parent, SESSION_PREFIX, LOCK)
    return SessionFolder(path, descriptor)


def hold(directory: Path) -> int:
    """Lock a folder for as long as this process lives; returns the lock's descriptor."""
    pending = directory / "lock.new"
    descriptor = os.open(pending, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    # Renamed only when locked, so that nobody sees a lock that is not held yet.
    pending.rename(directory / LOCK)
    return descriptor


def abandoned(directory: Path) -> bool:
    """Return whether a folder was held by a process that is gone."""
    try:
        descriptor = os.open(directory / LOCK, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _sweep(parent: Path, prefix: str, mark: str) -> None:
    """Remove the folders of gone owners; ``mark`` is a file that shows that a folder is one of ours."""
    for directory in parent.glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            about = directory.stat()
            ours = about.st_uid == os.getuid()
            # Without a lock its supervisor is about to start, or never did.
            unheld = not (directory / LOCK).exists() and time.time() - about.st_mtime > UNHELD_S
            if ours and (directory / mark).exists() and (unheld or abandoned(directory)):
                shutil.rmtree(directory, ignore_errors=True)
