"""Workers that run coming cases ahead know enough of them until the end."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.plugins.session.scheduler import AheadScheduling


class Worker:
    """A worker of pytest-xdist, as a scheduler sees it."""

    shutting_down = False
    gateway = SimpleNamespace(id="gw")

    def __init__(self) -> None:
        self.queue: list[int] = []

    def send_runtest_some(self, numbers: list[int]) -> None:
        self.queue += numbers

    def shutdown(self) -> None:
        self.shutting_down = True


class KilledWorker(Worker):
    """A worker that was killed; the scheduler does not know it yet."""

    def send_runtest_some(self, numbers: list[int]) -> None:
        raise OSError("cannot send (already closed?)")


class Options:
    """A configuration with so many workers."""

    def __init__(self, workers: int) -> None:
        self._tx = [f"{workers}*popen"]

    def getoption(self, name: str) -> None:
        assert name == "maxschedchunk"

    def getvalue(self, name: str) -> object:
        return {"tx": self._tx, "px": [], "numprocesses": None}[name]


@pytest.mark.hypothesis
@given(st.integers(1, 4), st.integers(1, 200), st.integers(1, 60), st.data())
def test_each_worker_knows_so_many_of_the_tests_as_long_as_there_are_any(
    workers: int, tests: int, least: int, data: st.DataObject
) -> None:
    scheduler = AheadScheduling(Options(workers), None, least)  # type: ignore[arg-type]
    nodes = [Worker() for _ in range(workers)]
    for node in nodes:
        scheduler.add_node(node)
        scheduler.add_node_collection(node, [f"t{number}" for number in range(tests)])
    scheduler.schedule()

    run: list[int] = []
    while any(node.queue for node in nodes):
        if scheduler.pending:
            known = min(least, -(-tests // workers))
            assert all(len(node.queue) >= known for node in nodes)
        node = data.draw(st.sampled_from([node for node in nodes if node.queue]))
        run.append(node.queue.pop(0))
        scheduler.mark_test_complete(node, run[-1], duration=0.5)

    assert sorted(run) == list(range(tests))
    assert all(node.shutting_down for node in nodes)


@pytest.mark.parametrize("least", [1, 4])
def test_tests_of_a_worker_that_was_killed_go_to_another(least: int) -> None:
    scheduler = AheadScheduling(Options(2), None, least)  # type: ignore[arg-type]
    alive, killed = Worker(), KilledWorker()
    for node in (alive, killed):
        scheduler.add_node(node)
        scheduler.add_node_collection(node, [f"t{number}" for number in range(12)])
    scheduler.schedule()

    lost = scheduler.remove_node(killed)
    while alive.queue:
        scheduler.mark_test_complete(alive, alive.queue.pop(0), duration=0.5)

    # pytest-xdist takes the first test in its queue to be the one that ended it.
    assert lost is not None
    assert not scheduler.has_pending
    assert alive.shutting_down
