"""A process that holds its turn, in a module that a spawned process can import."""

import multiprocessing.synchronize
import time
from pathlib import Path

from retrocypher.kg.execution.recovery import SharedExclusiveLock


def hold_alone(directory: Path, held: multiprocessing.synchronize.Event) -> None:
    """Take the turn alone, say so, and keep it."""
    with SharedExclusiveLock(directory).exclusive():
        held.set()
        time.sleep(60)
