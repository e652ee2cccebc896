"""How tests are given to workers, which may run their coming cases ahead and may be killed."""

from contextlib import suppress
from typing import Any

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScheduling
from xdist.workermanage import WorkerController


class AheadScheduling(LoadScheduling):  # type: ignore[misc]  # pytest-xdist has no types
    """Schedules as ``--dist load`` does, but each worker knows the next ``least`` of its tests.

    Otherwise the queues of the workers run down to two tests, and so does the number of calls in flight. A
    worker that was killed does not end the session.
    """

    def __init__(self, config: pytest.Config, log: Producer | None, least: int) -> None:
        super().__init__(config, log)
        self._least = least

    def schedule(self) -> None:
        """Give tests to all workers."""
        super().schedule()
        for node in self.nodes:
            self.check_schedule(node)

    def check_schedule(self, node: WorkerController, duration: float = 0) -> None:
        """Give a worker more tests if it has too few."""
        fair = -(-len(self.collection or ()) // len(self.nodes))
        lacking = min(self._least, fair) - len(self.node2pending[node])
        if self.pending and lacking > 0 and not node.shutting_down:
            self._send_tests(node, lacking)
        super().check_schedule(node, duration)

    def _send_tests(self, node: WorkerController, num: int) -> None:
        # pytest-xdist learns that a worker was killed a moment later, and then gives its tests to others.
        with suppress(OSError):
            super()._send_tests(node, num)


def scheduler_for(config: pytest.Config, log: Any, cases_at_once: int) -> AheadScheduling | None:
    """Return the scheduler of a run with ``--dist load``; None for pytest-xdist's own."""
    if config.getoption("dist") != "load":
        return None
    return AheadScheduling(config, log, cases_at_once)
