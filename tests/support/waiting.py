"""Waiting for what happens in its own time."""

import time
from collections.abc import Callable

END_S = 30.0


def becomes_true(condition: Callable[[], bool]) -> bool:
    """Return whether a condition comes to hold within half a minute."""
    deadline = time.monotonic() + END_S
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.1)
    return True
