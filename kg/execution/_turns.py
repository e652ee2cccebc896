"""Who may query now: many at once, or one alone, across processes.

Locks are ``flock`` locks on files, which the system releases when their process dies.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Turns:
    """A lock shared by all executors of a server.

    Whoever wants to be alone closes the turnstile first: nobody enters until they are done, so a stream of
    ordinary queries cannot keep them waiting.

    Args:
        directory: Where the lock files are; the same for all who share the server.
    """

    def __init__(self, directory: Path) -> None:
        self._turnstile = os.open(directory / "turnstile.lock", os.O_RDWR | os.O_CREAT, 0o600)
        self._room = os.open(directory / "room.lock", os.O_RDWR | os.O_CREAT, 0o600)

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Run beside others."""
        fcntl.flock(self._turnstile, fcntl.LOCK_SH)
        try:
            fcntl.flock(self._room, fcntl.LOCK_SH)
        finally:
            fcntl.flock(self._turnstile, fcntl.LOCK_UN)
        try:
            yield
        finally:
            fcntl.flock(self._room, fcntl.LOCK_UN)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Run with nobody beside."""
        fcntl.flock(self._turnstile, fcntl.LOCK_EX)
        try:
            fcntl.flock(self._room, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(self._room, fcntl.LOCK_UN)
        finally:
            fcntl.flock(self._turnstile, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the lock files."""
        os.close(self._turnstile)
        os.close(self._room)
