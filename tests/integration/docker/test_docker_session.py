"""``--graph docker`` and ``retrocypher graph up --server docker``, as a user runs them."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.containers import FindContainer, Place
from support.suite import CHECKOUT
from support.waiting import becomes_true

from retrocypher.kg.server.control import restart, status
from retrocypher.kg.server.engine import RunningServer
from retrocypher.kg.server.open import background_server, end_background
from retrocypher.plugins.cli.graph import down_command, status_command, up_command

pytestmark = pytest.mark.docker


def run_suite(place: Place, run_dir: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # `running` has left the store of the default graph in the cache.
    command = [sys.executable, "-m", "pytest", "benchmarks", "-q", f"--run-dir={run_dir}", *arguments]
    return subprocess.run(
        command,
        cwd=CHECKOUT,
        env=place.environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def outcomes(run_dir: Path) -> list[tuple[bool, float]]:
    records = [json.loads(line) for line in (run_dir / "records.jsonl").read_text().splitlines()]
    return [(record["passed"], record["scores"]["f1"]) for record in records]


@pytest.mark.usefixtures("running")
def test_a_run_of_the_oracle_in_a_container(place: Place, tmp_path: Path) -> None:
    arguments = ("-n2", "--graph=docker", "--model=oracle", "--sample=20", "--shot=1S-S")
    done = run_suite(place, tmp_path / "run", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert outcomes(tmp_path / "run") == [(True, 1.0)] * 20
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["graph"]["kind"] == "docker"
    assert place.containers() == []


@pytest.fixture
def _ended(running: RunningServer) -> Iterator[None]:
    yield
    end_background(print)


@pytest.mark.usefixtures("_ended")
def test_a_container_left_running_serves_runs_until_it_is_ended(
    find_container: FindContainer, place: Place, tmp_path: Path
) -> None:
    runner = CliRunner()
    up = runner.invoke(up_command, ["--server", "docker"], catch_exceptions=False)
    assert "Started." in up.output
    assert "docker)" in up.output
    found = background_server(print)
    assert found
    assert find_container(found.endpoint.control)

    for where in ("docker", "auto"):
        arguments = ("-n0", f"--graph={where}", "--model=oracle", "--sample=4", "--shot=ZS")
        done = run_suite(place, tmp_path / where, *arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        assert f"Using the server that runs at {found.endpoint.uri}" in done.stdout + done.stderr
        assert status(found.endpoint).running

    assert restart(found.endpoint, 0) == 1
    assert "replaced     1 times" in runner.invoke(status_command, catch_exceptions=False).output
    down = runner.invoke(down_command, catch_exceptions=False)
    assert found.endpoint.uri in down.output
    assert becomes_true(lambda: find_container(found.endpoint.control) is None)
    assert background_server(print) is None
