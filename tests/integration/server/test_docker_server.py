"""The same server in a container."""

import os
from pathlib import Path

import docker
import psutil
import pytest
from docker.errors import DockerException

from kg.reactions import fingerprint_of, read_graph
from kg.server import NEO4J_VERSION, connect, restart, start_server, status
from kg.server._docker import IMAGE, IMAGE_VARIABLE
from kg.server._stray import DIRECTORY_LABEL
from kg.store import fingerprint, load

pytestmark = pytest.mark.docker


@pytest.fixture
def client() -> docker.DockerClient:
    try:
        client = docker.from_env(timeout=10)
        client.ping()
    except DockerException:
        pytest.skip("no Docker daemon answers here")
    return client


@pytest.fixture
def _image(client: docker.DockerClient) -> None:
    image = os.environ.get(IMAGE_VARIABLE) or IMAGE
    try:
        client.images.get(image)
    except DockerException:
        pytest.skip(
            f"the image {image} is not on this machine; `docker pull` it, or name one in {IMAGE_VARIABLE}"
        )


@pytest.mark.usefixtures("_image")
def test_a_container_holds_the_graph_and_goes_with_its_owner(
    client: docker.DockerClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))
    reactions = read_graph()
    said: list[str] = []
    # First on a store that is built, then on a copy of it.
    for _ in range(2):
        with start_server(
            "docker",
            graph_fingerprint=fingerprint_of(reactions),
            fill=lambda driver: load(driver, reactions),
            announce=said.append,
        ) as running:
            endpoint = running.endpoint
            assert (endpoint.kind, endpoint.owned) == ("docker", True)
            assert endpoint.version.startswith(NEO4J_VERSION.rpartition(".")[0])
            with connect(endpoint) as driver:
                assert fingerprint(driver) == fingerprint_of(reactions)
            port = int(endpoint.uri.rpartition(":")[2])
            connections = psutil.net_connections("inet")
            assert {c.laddr.ip for c in connections if c.laddr and c.laddr.port == port} <= {"127.0.0.1"}
            assert restart(endpoint, 0) == 1
            with connect(endpoint) as driver:
                assert fingerprint(driver) == fingerprint_of(reactions)
            assert status(endpoint).running
            assert endpoint.control
            label = f"{DIRECTORY_LABEL}={Path(endpoint.control).parent}"
            assert len(client.containers.list(filters={"label": label})) == 1
        assert client.containers.list(all=True, filters={"label": label}) == []
        assert len([line for line in said if "Loading the graph" in line]) == 1
