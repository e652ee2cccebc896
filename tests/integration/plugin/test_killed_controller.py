"""The workers of a session whose controller is killed end, whatever they wait for."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import neo4j
import psutil
import pytest
from support.roles_api import RolesApi, Said
from support.suite import Session, workers_of
from support.waiting import becomes_true

from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server.endpoint import Endpoint

LONG = "UNWIND range(1, 1000000) AS a UNWIND range(1, 1000000) AS b RETURN sum(a * b) AS of_the_test"


@pytest.fixture
def started(endpoint: Endpoint, tmp_path: Path) -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Sessions to be killed; what is left of them is ended."""
    processes: list[subprocess.Popen[bytes]] = []
    yield processes
    for each in processes:
        each.kill()
        each.wait()


def session(endpoint: Endpoint, run: Path, *arguments: str) -> Session:
    plain = ("-n2", "--cache=none", "-p", "no:allure_pytest", f"--graph={endpoint.uri}")
    return Session((*plain, "--task=precursors", "--prompt=P5", "--shot=ZS", *arguments), run)


def assert_workers_end(process: "subprocess.Popen[bytes]") -> None:
    workers = workers_of(process)
    children = [child for worker in workers for child in worker.children(recursive=True)]
    process.kill()
    process.wait()
    _, alive = psutil.wait_procs([*workers, *children], timeout=60)
    assert len(workers) == 2
    assert not alive


def test_while_they_wait_for_a_model(
    api: RolesApi,
    endpoint: Endpoint,
    started: list["subprocess.Popen[bytes]"],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api.roles["generator"] = lambda text: Said("", 600)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any-0123456789abcdef")
    monkeypatch.setenv("OPENAI_BASE_URL", api.address)

    started.append(session(endpoint, tmp_path / "run", "--model=gpt-4.1-mini", "--concurrency=2").start())

    assert becomes_true(lambda: len(api.asked) == 2)
    assert_workers_end(started[0])


def test_while_they_wait_for_a_query(
    driver: neo4j.Driver, endpoint: Endpoint, started: list["subprocess.Popen[bytes]"], tmp_path: Path
) -> None:
    predictions = tmp_path / "predictions.jsonl"
    questions = [each for each in load_questions().questions if each.task == "precursors"]
    predictions.write_text(
        "".join(json.dumps({"question_id": each.id, "cypher": LONG}) + "\n" for each in questions)
    )

    def running() -> int:
        found, _, _ = driver.execute_query("SHOW TRANSACTIONS YIELD currentQuery RETURN currentQuery AS text")
        return sum("of_the_test" in row["text"] for row in found)

    arguments = (f"--model=file:{predictions}", "--query-timeout=600")
    started.append(session(endpoint, tmp_path / "run", *arguments).start())

    assert becomes_true(lambda: running() == 2)
    assert_workers_end(started[0])
    # The server ends a query whose client is gone by its own time limit at the latest.
    driver.execute_query(
        "SHOW TRANSACTIONS YIELD transactionId, currentQuery WHERE currentQuery CONTAINS 'of_the_test' "
        "AND NOT currentQuery STARTS WITH 'SHOW' "
        "TERMINATE TRANSACTIONS transactionId YIELD message RETURN message"
    )
