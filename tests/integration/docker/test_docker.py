"""Docker as users have it: a container's lifetime, runs in it, and where it cannot give a server."""

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import docker
import psutil
import pytest
from click.testing import CliRunner
from docker.context import ContextAPI
from docker.models.containers import Container
from support.interrupts import heed_interrupts
from support.suite import CHECKOUT, Session
from support.waiting import becomes_true

from retrocypher.kg.server.container import DIRECTORY_LABEL, IMAGE_VARIABLE, remove_stray_containers
from retrocypher.kg.server.control import restart, status
from retrocypher.kg.server.endpoint import ServerError
from retrocypher.kg.server.engine import RunningServer
from retrocypher.kg.server.open import background_server, end_background, open_server
from retrocypher.plugins.cli.graph import down_command, status_command, up_command

pytestmark = pytest.mark.docker

FindContainer = Callable[[str | None], Container | None]
OWNER = CHECKOUT / "tests" / "support" / "server_owner.py"
NOWHERE = "retrocypher-test.invalid/neo4j:5.26"


@dataclass
class Owner:
    """A program that has a container."""

    program: subprocess.Popen[str]
    control: str

    @property
    def supervisor(self) -> psutil.Process:
        (child,) = psutil.Process(self.program.pid).children()
        return child


@pytest.fixture
def owner(running: RunningServer) -> Iterator[Owner]:
    """A program of its own with a container of its own, on the store that `running` left."""
    command = [sys.executable, str(OWNER), "docker", "wait"]
    program = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=heed_interrupts
    )
    assert program.stdout
    yield Owner(program, json.loads(program.stdout.readline())["control"])
    program.kill()
    program.wait()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_container_goes_with_its_owner(
    owner: Owner, find_container: FindContainer, client: docker.DockerClient, end: signal.Signals
) -> None:
    container = find_container(owner.control)
    assert container
    volumes = {mount["Name"] for mount in container.attrs["Mounts"]}
    # As the terminal does it: to the whole process group.
    os.killpg(owner.program.pid, end)
    assert becomes_true(lambda: find_container(owner.control) is None)
    assert becomes_true(lambda: not Path(owner.control).parent.exists())
    assert not volumes & {volume.name for volume in client.volumes.list()}


def test_the_container_of_a_supervisor_that_was_killed_goes_at_the_next_start(
    owner: Owner, find_container: FindContainer, client: docker.DockerClient, running: RunningServer
) -> None:
    owner.supervisor.kill()
    assert find_container(owner.control)
    # What the next start does first.
    assert becomes_true(lambda: remove_stray_containers(client) or find_container(owner.control) is None)
    # One whose supervisor lives is left alone.
    assert find_container(running.endpoint.control)


def test_later_starts_copy_the_store_that_the_first_one_left(
    owner: Owner, running: RunningServer, docker_cache: Path
) -> None:
    # `owner` has ended with an error if it was asked to load the graph.
    assert owner.program.poll() is None
    assert owner.control != running.endpoint.control
    (store,) = (path for path in (docker_cache / "stores").iterdir() if path.is_dir())
    assert stat.S_IMODE(store.stat().st_mode) == 0o700
    assert running.endpoint.password not in (store / "template.json").read_text()


@pytest.fixture
def _own_place(client: docker.DockerClient, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A place of a test's own for programs that it starts: none of their containers is left there."""
    # The path of a control socket must be short.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("TMPDIR", folder)
        yield
        known = client.containers.list(all=True, filters={"label": DIRECTORY_LABEL})
        assert not [found for found in known if found.labels[DIRECTORY_LABEL].startswith(folder)]


@pytest.mark.usefixtures("running", "_own_place")
def test_a_run_of_the_oracle_in_a_container(tmp_path: Path) -> None:
    arguments = ("-n2", "--graph=docker", "--model=oracle", "--sample=20", "--shot=1S-S")
    ran = Session(arguments, tmp_path / "run").whole()
    assert ran.status == 0, ran.output
    assert [record["scores"]["f1"] for record in ran.records.values()] == [1.0] * 20
    assert ran.manifest["graph"]["kind"] == "docker"


@pytest.fixture
def _ended(running: RunningServer) -> Iterator[None]:
    yield
    end_background()


@pytest.mark.usefixtures("_ended")
def test_a_container_left_running_serves_runs_until_it_is_ended(
    find_container: FindContainer, tmp_path: Path
) -> None:
    runner = CliRunner()
    up = runner.invoke(up_command, ["--server", "docker"], catch_exceptions=False)
    assert "Started." in up.output
    assert "docker)" in up.output
    found = background_server()
    assert found
    assert find_container(found.endpoint.control)

    arguments = ("-n0", "--graph=auto", "--model=oracle", "--sample=4", "--shot=ZS")
    ran = Session(arguments, tmp_path / "run").whole()
    assert ran.status == 0, ran.output
    assert f"Using the server that runs at {found.endpoint.uri}" in ran.output
    assert status(found.endpoint).running

    assert restart(found.endpoint, 0) == 1
    assert "replaced     1 times" in runner.invoke(status_command, catch_exceptions=False).output
    down = runner.invoke(down_command, catch_exceptions=False)
    assert found.endpoint.uri in down.output
    assert becomes_true(lambda: find_container(found.endpoint.control) is None)
    assert background_server() is None


def refused() -> str:
    with pytest.raises(ServerError) as caught:
        open_server("docker", graph_fingerprint="none", load_graph=pytest.fail)
    return str(caught.value)


@pytest.mark.usefixtures("client")
def test_the_daemon_of_the_docker_context_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    address = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    monkeypatch.setenv(IMAGE_VARIABLE, NOWHERE)
    (tmp_path / "config.json").write_text(json.dumps({"currentContext": "elsewhere"}))
    ContextAPI.create_context("elsewhere", host=address)
    assert NOWHERE in refused()


def test_a_container_that_ends_is_shown_with_its_last_lines_and_removed(
    client: docker.DockerClient, docker_cache: Path, image: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = "retrocypher-test/broken:1"
    made = client.containers.create(image)
    made.commit(*broken.split(":"), changes='ENTRYPOINT ["/bin/sh", "-c", "echo no server here; exit 3"]')
    made.remove(v=True)
    monkeypatch.setenv(IMAGE_VARIABLE, broken)
    try:
        message = refused()
        assert message.startswith(f"Docker image {broken}: Neo4j ended while it started.")
        assert "no server here" in message
        assert not client.containers.list(all=True, filters={"ancestor": broken})
    finally:
        client.images.remove(broken)
    assert not list((docker_cache / "stores").glob("*.new"))


@pytest.mark.usefixtures("running", "_own_place")
def test_a_daemon_whose_loopback_address_is_another_is_found_out() -> None:
    """As in a container that was given its host's socket: the daemon answers, its ports do not."""
    program = shutil.which("unshare")
    if not program or subprocess.run([program, "--net", "ip", "link"], capture_output=True).returncode:
        pytest.skip("no network namespace can be made here")
    inside = f"ip link set lo up && exec {sys.executable} {OWNER} docker wait"
    done = subprocess.run(
        [program, "--net", "sh", "-c", inside], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 1
    assert "cannot be reached on this machine's loopback address" in done.stderr
    assert "--graph local" in done.stderr
