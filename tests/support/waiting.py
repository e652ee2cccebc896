"""Waiting for what happens in its own time."""

import time
from collections.abc import Callable

import psutil

END_S = 60.0


def becomes_true(condition: Callable[[], bool]) -> bool:
    """Return whether a condition comes to hold within a minute."""
    deadline = time.monotonic() + END_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True


def children(part: str) -> list[psutil.Process]:
    """Return the children of this process whose command line has a part, the newest first."""
    living = [each for each in psutil.Process().children() if each.status() != psutil.STATUS_ZOMBIE]
    found = [each for each in living if part in " ".join(each.cmdline())]
    return sorted(found, key=lambda each: each.create_time(), reverse=True)


def gone(pid: int) -> bool:
    """Return whether a process ends within a minute; a zombie has ended."""
    return becomes_true(lambda: _has_ended(pid))


def _has_ended(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True
