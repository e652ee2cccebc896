"""The cases that took most."""

import heapq
from collections.abc import Callable

from plugins.report._case import Case

SHOWN = 10
_MEASURES: dict[str, Callable[[Case], float]] = {
    "query_s": lambda case: case.query_s,
    "model_s": lambda case: case.model_s,
    "tokens": lambda case: case.tokens,
    "cost": lambda case: case.cost or 0.0,
}


class Costly:
    """Keeps the cases that took the most seconds, tokens and money of those added."""

    def __init__(self) -> None:
        self._kept: dict[str, list[tuple[float, str, Case]]] = {name: [] for name in _MEASURES}

    def add(self, case: Case) -> None:
        """Look at a case."""
        for name, measure in _MEASURES.items():
            value = measure(case)
            if value <= 0:
                continue
            heap = self._kept[name]
            heapq.heappush(heap, (value, case.id, case))
            if len(heap) > SHOWN:
                heapq.heappop(heap)

    def most(self, measure: str) -> list[Case]:
        """Return the cases that took most, the first most of all; empty where nothing was measured.

        Args:
            measure: ``query_s``, ``model_s``, ``tokens`` or ``cost``.
        """
        return [case for _, _, case in sorted(self._kept[measure], key=lambda each: (-each[0], each[1]))]

    def all(self) -> dict[str, Case]:
        """Return all that are kept, by their id."""
        return {case.id: case for name in _MEASURES for case in self.most(name)}
