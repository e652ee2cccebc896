"""A daemon, an image, a cache of their own, and a container that holds the default graph."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import docker
import pytest
from docker.errors import DockerException
from docker.models.containers import Container
from filelock import FileLock
from support.neo4j_image import NoImageError, neo4j_image
from support.server_tests import server_with

from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.paths import cache_dir
from retrocypher.kg.server.container import DIRECTORY_LABEL, IMAGE, IMAGE_VARIABLE
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.kg.server.engine import RunningServer

FindContainer = Callable[[str | None], Container | None]


@pytest.fixture(scope="session")
def client() -> Iterator[docker.DockerClient]:
    """The daemon, with time for an image to be pulled or made."""
    try:
        client = docker.from_env(timeout=600)
        client.ping()
    except DockerException:
        pytest.skip("no Docker daemon answers")
    with contextlib.closing(client):
        yield client


@pytest.fixture(scope="session")
def image(client: docker.DockerClient) -> str:
    """The image that the user names, else the official one, else one made here."""
    named = os.environ.get(IMAGE_VARIABLE) or IMAGE
    with FileLock(cache_dir() / "test-image-pull.lock"), contextlib.suppress(DockerException):
        if not client.images.list(named):
            client.images.pull(named)
        return named
    if named != IMAGE:
        pytest.skip(f"no image: {named}, named in {IMAGE_VARIABLE}, is not here and cannot be pulled")
    try:
        return neo4j_image(client, print)
    except NoImageError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def docker_cache(image: str) -> Iterator[Path]:
    """A cache without stores, and the image named in the environment, for as long as the session."""
    shared = cache_dir()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, pytest.MonkeyPatch.context() as patch:
        for name in ("jars", "classes"):
            if (shared / name).exists():
                Path(folder, name).symlink_to(shared / name)
        patch.setenv("RETROCYPHER_CACHE", folder)
        patch.setenv(IMAGE_VARIABLE, image)
        yield Path(folder)


@pytest.fixture(scope="session")
def running(docker_cache: Path) -> Iterator[RunningServer]:
    """A container with the default graph, whose store stays in the cache."""
    with server_with(read_graph(), "docker") as running:
        yield running


@pytest.fixture(scope="session")
def endpoint(running: RunningServer) -> Endpoint:
    """In place of the local server that other integration tests use."""
    return running.endpoint


@pytest.fixture(scope="session")
def find_container(client: docker.DockerClient) -> FindContainer:
    """Return the container of a server, by its control socket."""

    def found(control: str | None) -> Container | None:
        assert control
        label = f"{DIRECTORY_LABEL}={Path(control).parent}"
        containers = client.containers.list(all=True, filters={"label": label})
        assert len(containers) <= 1
        return containers[0] if containers else None

    return found
