"""A container goes with its owner, however that ends, and the next one starts from the store kept."""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import docker
import psutil
import pytest
from support.containers import FindContainer
from support.suite import CHECKOUT
from support.waiting import becomes_true

from retrocypher.kg.server.container import remove_stray_containers
from retrocypher.kg.server.engine import RunningServer

pytestmark = pytest.mark.docker

OWNER = CHECKOUT / "tests" / "support" / "server_owner.py"


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
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
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
