"""What the speed benchmarks share: a server of our own, sessions of the suite, and a voice."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest

from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.loading import load
from retrocypher.kg.server.endpoint import Endpoint, connect
from retrocypher.kg.server.open import is_uri, open_server

CHECKOUT = Path(__file__).parents[2]

Ask = Callable[[str], list[list[Any]]]
Say = Callable[[str], None]
Suite = Callable[..., float]


def pytest_configure(config: pytest.Config) -> None:
    """Refuse what would make the figures mean something else."""
    if is_uri(asked_graph(config)):
        raise pytest.UsageError(
            "--graph: speed is measured on a server of our own, never on one given by its address; "
            "leave --graph out, or give auto, docker or local"
        )
    if config.getoption("dist", "no") != "no":
        raise pytest.UsageError("-n: speed is measured with nothing beside it; leave -n out")


def asked_graph(config: pytest.Config) -> str:
    return config.getoption("retrocypher_graph") or config.getini("graph") or "auto"


@pytest.fixture(scope="session")
def where(pytestconfig: pytest.Config) -> str:
    """Where servers are to run."""
    return asked_graph(pytestconfig)


@pytest.fixture(scope="session")
def endpoint(where: str) -> Iterator[Endpoint]:
    """A server of our own with the default graph."""
    reactions = read_graph()
    with open_server(
        where,
        graph_fingerprint=fingerprint_of(reactions),
        load_graph=lambda driver: load(driver, reactions),
    ) as running:
        yield running.endpoint


@pytest.fixture(scope="session")
def driver(endpoint: Endpoint) -> Iterator[neo4j.Driver]:
    """A driver to it."""
    with connect(endpoint) as opened:
        yield opened


@pytest.fixture(scope="session")
def bare(driver: neo4j.Driver, endpoint: Endpoint) -> Ask:
    """Plan a query and run it through the driver alone, and return its rows."""

    def ask(query: str) -> list[list[Any]]:
        with driver.session(database=endpoint.database, default_access_mode=neo4j.READ_ACCESS) as session:
            session.run(f"EXPLAIN {query}").consume()
            return [record.values() for record in session.run(query)]

    return ask


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    """Print a line whatever pytest captures."""

    def speak(line: str) -> None:
        with capsys.disabled():
            print(f"\n{line}", end="", flush=True)

    return speak


@pytest.fixture
def environment(endpoint: Endpoint) -> dict[str, str]:
    """The environment of a session of the suite that uses the server, compiled modules kept as usual."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTEST_") and name != "PYTHONDONTWRITEBYTECODE"
    }
    return {**kept, "NEO4J_USER": endpoint.user, "NEO4J_PASSWORD": endpoint.password}


@pytest.fixture
def suite(endpoint: Endpoint, environment: dict[str, str], tmp_path: Path) -> Suite:
    """Run every question past the oracle in a pytest of its own, and return its wall time in seconds."""
    numbers = iter(range(100))

    def run(*arguments: str) -> float:
        folder = tmp_path / f"run{next(numbers)}"
        command = [sys.executable, "-m", "pytest", "benchmarks", "-q", "--model=oracle"]
        places = [f"--graph={endpoint.uri}", f"--run-dir={folder}"]
        started = time.perf_counter()
        ended = subprocess.run(
            [*command, *places, *arguments], cwd=CHECKOUT, env=environment, capture_output=True, text=True
        )
        seconds = time.perf_counter() - started
        assert ended.returncode == 0, ended.stdout + ended.stderr
        summary = json.loads((folder / "summary.json").read_text())
        assert summary["passed"] == summary["cases"], ended.stdout
        return seconds

    return run


@pytest.fixture
def model_suite(endpoint: Endpoint, environment: dict[str, str], tmp_path: Path) -> Suite:
    """Run questions past a model behind an API at an address, and return the wall time in seconds."""
    numbers = iter(range(100))

    def run(address: str, *arguments: str) -> float:
        command = [sys.executable, "-m", "pytest", "benchmarks", "-q", "--model=slow", *arguments]
        places = [f"--graph={endpoint.uri}", f"--run-dir={tmp_path / f'model-run{next(numbers)}'}"]
        variables = {**environment, "OPENAI_BASE_URL": address, "OPENAI_API_KEY": "none"}
        started = time.perf_counter()
        ended = subprocess.run(
            [*command, *places], cwd=CHECKOUT, env=variables, capture_output=True, text=True
        )
        assert ended.returncode == 1, ended.stdout + ended.stderr
        return time.perf_counter() - started

    return run
