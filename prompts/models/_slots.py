"""How many calls may be under way at once, over all processes of a run."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

_POLL_S = 0.05


class Slots:
    """A fixed number of places, each a lock on a file, so a process that dies gives its place back.

    Args:
        directory: Folder the processes of a run share; made if absent.
        name: What the places are for; the same name means the same places.
        count: How many, at least 1.
    """

    def __init__(self, directory: Path, name: str, count: int) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._places = [FileLock(directory / f"{name}-{number}.lock") for number in range(count)]

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Wait for a free place and keep it for the block."""
        place = self._take()
        try:
            yield
        finally:
            place.release()

    def _take(self) -> FileLock:
        while True:
            # In random order, so that processes do not all try the same place first.
            for place in random.sample(self._places, len(self._places)):
                try:
                    place.acquire(blocking=False)
                except Timeout:
                    continue
                return place
            time.sleep(random.uniform(0.5, 1.5) * _POLL_S)
