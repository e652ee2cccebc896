"""Neo4j as a container."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import docker  # type: ignore[import-untyped]
from docker.errors import DockerException, ImageNotFound  # type: ignore[import-untyped]
from testcontainers.core.docker_client import get_docker_host

from kg.offline import is_offline
from kg.server._errors import DockerUnavailableError, ServerError
from kg.server._plan import Kind, Plan
from kg.server._settings import as_environment, settings
from kg.server._stray import remove_stray_containers

IMAGE = "neo4j:5.26-community"
IMAGE_VARIABLE = "RETROCYPHER_NEO4J_IMAGE"
DAEMON_TIMEOUT_S = 10
LOCAL_DAEMONS = ("http+docker://localhost", "http+docker://localnpipe")
"""How docker-py writes the address of a socket or pipe of this machine."""


class DockerEngine:
    """Containers of the official image, or of the one that ``RETROCYPHER_NEO4J_IMAGE`` names.

    Args:
        announce: Is told when the image has to be pulled.

    Raises:
        DockerUnavailableError: No daemon of this machine answers, or the image cannot be had.
    """

    kind: Kind = "docker"

    def __init__(self, announce: Callable[[str], None]) -> None:
        self._image = os.environ.get(IMAGE_VARIABLE) or IMAGE
        client = _client()
        try:
            self.store_key = "docker-" + _image_id(client, self._image, announce)
            remove_stray_containers(client)
        finally:
            client.close()

    def plan_for_new(self, plan: Plan, staging: Path) -> Plan:
        """See `Engine`."""
        return replace(self._in_container(plan), export=str(staging / "data.tar"))

    def keep(self, staging: Path) -> None:
        """See `Engine`."""
        if not (staging / "data.tar").exists():
            raise self.failure("The container did not give its store back when it stopped.")

    def plan_for_copy(self, plan: Plan, store: Path) -> Plan:
        """See `Engine`."""
        return replace(self._in_container(plan), restore=str(store / "data.tar"))

    def failure(self, message: str) -> ServerError:
        """See `Engine`."""
        return DockerUnavailableError(f"Docker image {self._image}: {message}")

    def _in_container(self, plan: Plan) -> Plan:
        values = {
            **settings(),
            # Inside the container; what reaches it is the loopback port of this machine alone.
            "server.default_listen_address": "0.0.0.0",
            "server.bolt.advertised_address": f"127.0.0.1:{plan.port}",
            "server.jvm.additional": "-XX:+ExitOnOutOfMemoryError",
        }
        return replace(plan, image=self._image, environment=as_environment(values))


def _client() -> docker.DockerClient:
    try:
        # The daemon that testcontainers will use: that of a `docker context`, for instance.
        host = get_docker_host()
        if host and host.startswith("ssh:"):
            raise _out_of_reach()
        environment = {**os.environ, "DOCKER_HOST": host} if host else os.environ
        client = docker.from_env(timeout=DAEMON_TIMEOUT_S, environment=environment)
        client.ping()
    except (DockerException, OSError) as error:
        if "Permission denied" in str(error):
            raise DockerUnavailableError(
                "this user may not use the Docker daemon. Join its group (`docker`), or use --graph local."
            ) from None
        raise DockerUnavailableError(
            "no Docker daemon answers here. Start one, name it in DOCKER_HOST, or use --graph local."
        ) from None
    if not client.api.base_url.startswith(LOCAL_DAEMONS):
        client.close()
        raise _out_of_reach()
    return client


def _out_of_reach() -> DockerUnavailableError:
    return DockerUnavailableError(
        "the Docker daemon is reached over a network, and its loopback address may not be this machine's. "
        "Unset DOCKER_HOST (or `docker context use default`), or use --graph local."
    )


def _image_id(client: docker.DockerClient, image: str, announce: Callable[[str], None]) -> str:
    try:
        try:
            found = client.images.get(image)
        except ImageNotFound:
            if is_offline():
                raise DockerException("--offline pulls none") from None
            announce(f"Pulling the Docker image {image}")
            client.images.pull(image)
            found = client.images.get(image)
    except (DockerException, OSError) as error:
        raise DockerUnavailableError(
            f"the Docker image {image} is not here and cannot be pulled ({_first_line(error)}). "
            f"Pull it where there is a network, name another one in {IMAGE_VARIABLE}, or use --graph local."
        ) from None
    return str(found.id).rpartition(":")[2][:12]


def _first_line(error: Exception) -> str:
    said = str(getattr(error, "explanation", None) or error)
    return (said.splitlines() or [type(error).__name__])[0][:200]
