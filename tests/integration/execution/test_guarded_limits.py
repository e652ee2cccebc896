"""Time, memory and lost servers."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest
from support.waiting import children, gone

from retrocypher.kg.execution import recovery as care
from retrocypher.kg.execution.execution import GraphUnavailable, Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.server.control import status
from retrocypher.kg.server.endpoint import Endpoint

TIMEOUT_S = 3.0
LIMITS = Limits(timeout_s=TIMEOUT_S, release_s=0.5)


@pytest.fixture
def executor(endpoint: Endpoint, tmp_path: Path) -> Iterator[GuardedExecutor]:
    with GuardedExecutor(endpoint, LIMITS, tmp_path) as executor:
        yield executor


def assert_usable(executor: GuardedExecutor) -> None:
    assert executor.run("MATCH (r:Reaction {id: 1}) RETURN r.id AS id").rows == [[1]]


def test_a_slow_query_ends_on_time_leaves_nothing_behind_and_is_decided_once(
    executor: GuardedExecutor, endpoint: Endpoint, driver: neo4j.Driver, tmp_path: Path
) -> None:
    slow = "MATCH (a), (b), (c) WHERE a.name < b.name AND b.name < c.name RETURN count(*)"
    execution = executor.run(slow)
    assert execution.status == "timeout"
    assert TIMEOUT_S <= execution.time_s <= TIMEOUT_S + 2
    left = driver.execute_query("SHOW TRANSACTIONS YIELD metaData WHERE metaData.retrocypher IS NOT NULL")
    assert left.records == []
    assert_usable(executor)
    with GuardedExecutor(endpoint, LIMITS, tmp_path) as other:
        assert other.run(slow) == execution
        assert other.standstill.queries == 1
        assert other.standstill.seconds >= TIMEOUT_S


def test_memory_limits_are_the_querys_own(executor: GuardedExecutor) -> None:
    execution = executor.run("UNWIND range(0, 1000000000) AS x RETURN collect(x) AS c")
    assert execution.status == "runtime_error"
    assert execution.code == "Neo.TransientError.General.MemoryPoolOutOfMemoryError"
    assert_usable(executor)


def test_values_that_would_break_the_reader_do_not(executor: GuardedExecutor) -> None:
    for cypher in (
        "RETURN range(0, 10000000) AS r",
        "RETURN reduce(s = {a: 1}, i IN range(1, 2000) | {a: s}) AS r",
    ):
        execution = executor.run(cypher)
        assert execution.status in ("ok", "runtime_error", "timeout"), execution
    assert_usable(executor)


def test_a_crashed_reader_is_replaced(executor: GuardedExecutor) -> None:
    assert_usable(executor)
    children("client_process")[0].send_signal(signal.SIGSEGV)
    assert_usable(executor)


def test_a_lost_server_is_brought_back(executor: GuardedExecutor, endpoint: Endpoint) -> None:
    assert_usable(executor)
    before = status(endpoint)
    assert before.pid
    os.kill(before.pid, signal.SIGKILL)
    assert_usable(executor)
    assert status(endpoint).generation > before.generation


def test_no_server_is_nobodys_answer(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(care, "_FOREIGN_PATIENCE_S", 0.5)
    nowhere = Endpoint("bolt://127.0.0.1:1", "neo4j", "x", kind="uri")
    with GuardedExecutor(nowhere, LIMITS, tmp_path) as executor, pytest.raises(GraphUnavailable):
        executor.run("RETURN 1")
    wrong = Endpoint(endpoint.uri, endpoint.user, "wrong", kind="uri")
    with (
        GuardedExecutor(wrong, LIMITS, tmp_path) as executor,
        pytest.raises(GraphUnavailable, match="NEO4J_USER"),
    ):
        executor.run("RETURN 1")


def test_the_client_process_ends_with_its_parent(endpoint: Endpoint, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    parent = os.fork()
    if parent == 0:
        executor = GuardedExecutor(endpoint, LIMITS, tmp_path)
        executor.run("RETURN 1")
        os.write(writer, str(children("client_process")[0].pid).encode())
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(parent, 0)
    child = int(os.read(reader, 20))
    assert gone(child)
