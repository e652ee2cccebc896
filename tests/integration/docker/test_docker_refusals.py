"""Where Docker cannot give a server: one clear message, and `auto` goes on without."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import docker
import pytest
from docker.context import ContextAPI
from support.containers import Place
from support.suite import CHECKOUT

from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.loading import load
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.server.container import IMAGE_VARIABLE
from retrocypher.kg.server.endpoint import ServerError
from retrocypher.kg.server.open import start_server

pytestmark = pytest.mark.docker

OWNER = CHECKOUT / "tests" / "support" / "server_owner.py"
NOWHERE = "retrocypher-test.invalid/neo4j:5.26"


def refused(port: int | None = None) -> str:
    with pytest.raises(ServerError) as caught:
        start_server("docker", graph_fingerprint="none", load_graph=pytest.fail, announce=print, port=port)
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


@pytest.mark.usefixtures("client")
def test_auto_goes_on_without_the_image(
    monkeypatch: pytest.MonkeyPatch, reactions: Sequence[Reaction]
) -> None:
    monkeypatch.setenv(IMAGE_VARIABLE, NOWHERE)
    said: list[str] = []
    with start_server(
        "auto",
        graph_fingerprint=fingerprint_of(reactions),
        load_graph=lambda driver: load(driver, reactions),
        announce=said.append,
    ) as running:
        assert running.endpoint.kind == "local"
    pulling, without, using = said
    assert pulling == f"Pulling the Docker image {NOWHERE}"
    assert without.startswith("Not with Docker: ")
    assert NOWHERE in without
    assert using == "Using Neo4j as a local process"


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


@pytest.mark.usefixtures("docker_cache")
def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert f"Port {port} is taken" in refused(port)


@pytest.mark.usefixtures("running")
def test_a_daemon_whose_loopback_address_is_another_is_found_out(place: Place) -> None:
    """As in a container that was given its host's socket: the daemon answers, its ports do not."""
    program = shutil.which("unshare")
    inside = [
        program or "",
        "--net",
        "sh",
        "-c",
        f"ip link set lo up && exec {sys.executable} {OWNER} docker wait",
    ]
    if not program or subprocess.run([program, "--net", "ip", "link"], capture_output=True).returncode:
        pytest.skip("no network namespace can be made here")
    done = subprocess.run(
        inside, env=place.environment, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 1
    assert "cannot be reached on this machine's loopback address" in done.stderr
    assert "--graph local" in done.stderr
    assert place.containers() == []
