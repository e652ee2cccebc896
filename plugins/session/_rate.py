"""How fast a run goes."""

from collections import deque

_WINDOW_S = 120.0
_FEWEST = 20


class Rate:
    """The rate of the last two minutes, or of the last 20 cases where these took longer.

    A rate over all of a run would go on telling of its start, and one over a few cases of chance. It begins
    with the first case that ends: what was started before is no part of it.
    """

    def __init__(self) -> None:
        self._ends: deque[float] = deque()

    def add(self, now: float) -> None:
        """Count a case that ended.

        Args:
            now: Seconds of a clock that does not go back.
        """
        self._ends.append(now)
        while len(self._ends) > _FEWEST + 1 and now - self._ends[1] >= _WINDOW_S:
            self._ends.popleft()

    @property
    def a_second(self) -> float | None:
        """Cases that end in a second; None as long as there is nothing to tell it from."""
        if len(self._ends) < 2 or (span := self._ends[-1] - self._ends[0]) <= 0:
            return None
        return (len(self._ends) - 1) / span
