"""``--graph docker`` and ``retrocypher graph up --server docker``, as a user runs them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.containers import FindContainer, Place
from support.suite import Session
from support.waiting import becomes_true

from retrocypher.kg.server.control import restart, status
from retrocypher.kg.server.engine import RunningServer
from retrocypher.kg.server.open import background_server, end_background
from retrocypher.plugins.cli.graph import down_command, status_command, up_command

pytestmark = pytest.mark.docker


@pytest.mark.usefixtures("running")  # It has left the store of the default graph in the cache.
def test_a_run_of_the_oracle_in_a_container(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", place.environment["TMPDIR"])
    arguments = ("-n2", "--graph=docker", "--model=oracle", "--sample=20", "--shot=1S-S")
    ran = Session(arguments, tmp_path / "run").whole()
    assert ran.status == 0, ran.output
    assert [record["scores"]["f1"] for record in ran.records.values()] == [1.0] * 20
    assert ran.manifest["graph"]["kind"] == "docker"
    assert place.containers() == []


@pytest.fixture
def _ended(running: RunningServer) -> Iterator[None]:
    yield
    end_background(print)


@pytest.mark.usefixtures("_ended")
def test_a_container_left_running_serves_runs_until_it_is_ended(
    find_container: FindContainer, tmp_path: Path
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
        ran = Session(arguments, tmp_path / where).whole()
        assert ran.status == 0, ran.output
        assert f"Using the server that runs at {found.endpoint.uri}" in ran.output
        assert status(found.endpoint).running

    assert restart(found.endpoint, 0) == 1
    assert "replaced     1 times" in runner.invoke(status_command, catch_exceptions=False).output
    down = runner.invoke(down_command, catch_exceptions=False)
    assert found.endpoint.uri in down.output
    assert becomes_true(lambda: find_container(found.endpoint.control) is None)
    assert background_server(print) is None
