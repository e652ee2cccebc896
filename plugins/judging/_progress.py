"""Tells how judging gets on."""

import time
from collections.abc import Callable

from plugins.terminal import counted

_EVERY_S = 10.0


class Progress:
    """Says now and then how many judgements there are.

    Args:
        announce: Takes a line.
    """

    def __init__(self, announce: Callable[[str], None]) -> None:
        self._announce = announce
        self._count = 0
        self._told = time.monotonic()

    def add(self) -> None:
        """Count one more."""
        self._count += 1
        if time.monotonic() - self._told >= _EVERY_S:
            self._told = time.monotonic()
            self._announce(counted(self._count, "judgement"))
