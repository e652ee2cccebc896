"""The server as a Docker container, on an image that has Neo4j."""

import contextlib
import logging
import os
import socket
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import docker  # type: ignore[import-untyped]
from docker.errors import DockerException, ImageNotFound  # type: ignore[import-untyped]
from testcontainers.community.neo4j import Neo4jContainer
from testcontainers.core.config import testcontainers_config
from testcontainers.core.docker_client import get_docker_host
from testcontainers.core.exceptions import ContainerStartException

from retrocypher.kg.errors import first_line
from retrocypher.kg.offline import is_offline
from retrocypher.kg.server.control import LAST_LINES, STARTED, Kind, Plan, StartError, abandoned
from retrocypher.kg.server.endpoint import DockerUnavailableError, ServerError
from retrocypher.kg.server.release import HEAP_MIB, PAGE_CACHE_MIB, as_environment, settings

_logger = logging.getLogger(__name__)

DIRECTORY_LABEL = "retrocypher.directory"
PLACE_LABEL = "retrocypher.place"

BOLT = 7687
STOP_TIMEOUT_S = 60

MEMORY = f"{HEAP_MIB + PAGE_CACHE_MIB + 860}m"
"""Memory of the container: 1.5 GB, of which heap and page cache are the larger part."""

REACH_S = 5.0
"""How long a server that has started may stay out of reach."""

LOCAL_INSTEAD = "choose local (--graph local in a run, --server local in a command)"

OUT_OF_REACH = (
    "its port cannot be reached on this machine's loopback address. If this is itself a container that "
    f"shares its host's daemon, {LOCAL_INSTEAD}."
)

IMAGE = "neo4j:5.26-community"
IMAGE_VARIABLE = "RETROCYPHER_NEO4J_IMAGE"
DAEMON_TIMEOUT_S = 10

LOCAL_DAEMONS = ("http+docker://localhost", "http+docker://localnpipe")
"""How docker-py writes the address of a socket or pipe of this machine."""


def labels(directory: str) -> dict[str, str]:
    """Return the labels of a container: its supervisor's folder, and the machine or container that has it."""
    return {DIRECTORY_LABEL: directory, PLACE_LABEL: _place()}


def remove_stray_containers(client: docker.DockerClient) -> None:
    """Remove the containers of this place whose supervisor no longer holds its folder."""
    try:
        for container in client.containers.list(all=True, filters={"label": f"{PLACE_LABEL}={_place()}"}):
            directory = Path(container.labels[DIRECTORY_LABEL])
            if not directory.exists() or abandoned(directory):
                container.remove(force=True, v=True)
    except DockerException:
        # Another session may be removing the same container; a stray one does no harm to this session.
        return


def _place() -> str:
    """Name this view of the file system: one daemon may serve several machines' worth of them."""
    namespace = Path("/proc/self/ns/mnt")
    return f"{socket.gethostname()}/{namespace.readlink() if namespace.is_symlink() else ''}"


class DockerServer:
    """One container, started again and again on the same loopback port and store."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._starts = 0
        # The supervisor is the reaper here. testcontainers' own publishes a port on every address of the
        # machine and is one more image to be had; who sets the variable chooses.
        if "TESTCONTAINERS_RYUK_DISABLED" not in os.environ:
            testcontainers_config.ryuk_disabled = True
        self._made: _Box | None = None
        self._started_at = 0.0

    @property
    def _box(self) -> "_Box":
        if self._made is None:
            self._made = _Box(self._plan)
        return self._made

    @property
    def pid(self) -> int | None:
        """None: the process is the daemon's."""
        return None

    def start(self) -> None:
        """Create the container and start it, or start it again; raise StartError if the daemon refuses."""
        self._starts += 1
        self._started_at = 0.0
        try:
            if self._made is None:
                self._box.start()
            else:
                self._box.get_wrapped_container().start()
        except (DockerException, OSError) as error:
            taken = "port is already allocated" in str(error) or "address already in use" in str(error)
            raise StartError("port" if taken else "docker", str(error)) from None

    def ready(self) -> bool:
        """Return whether the server answers; raise StartError if the container has ended."""
        if not self.alive():
            raise StartError("crash", self.evidence())
        # A restart does not clear the log.
        if self._log().count(STARTED) < self._starts:
            return False
        self._started_at = self._started_at or time.monotonic()
        if self._answers():
            return True
        if time.monotonic() - self._started_at > REACH_S:
            raise StartError("docker", OUT_OF_REACH)
        return False

    def alive(self) -> bool:
        """Return whether the container runs."""
        try:
            self._box.reload()
        except (DockerException, OSError):
            return False
        return self._box.status in ("created", "running", "restarting")

    def evidence(self) -> str:
        """Return the last lines that the container printed."""
        return "\n".join(self._log().decode(errors="replace").splitlines()[-LAST_LINES:])

    def kill(self) -> None:
        """End the container at once; its store stays."""
        # An error means that it has ended by itself or is gone, which the next start reports.
        with contextlib.suppress(DockerException, OSError):
            self._box.get_wrapped_container().kill()
        # A killed server printed no more "Started." than it had.
        self._starts = self._log().count(STARTED)

    def stop(self) -> None:
        """Ask the server to close its store and end; write the store to the plan's export."""
        container = self._box.get_wrapped_container()
        container.stop(timeout=STOP_TIMEOUT_S)
        if self._plan.export:
            stream, _ = container.get_archive("/data")
            with Path(self._plan.export).open("wb") as file:
                for chunk in stream:
                    file.write(chunk)

    def remove(self) -> None:
        """Remove the container with its volumes; where the daemon is gone, the next start here does."""
        if self._made:
            with contextlib.suppress(DockerException, OSError):
                self._made.stop()

    def _log(self) -> bytes:
        try:
            out, errors = self._box.get_logs()
        except (DockerException, OSError, ContainerStartException):
            # Someone removed the container, or the daemon is gone.
            return b""
        return out + errors

    def _answers(self) -> bool:
        try:
            socket.create_connection(("127.0.0.1", self._plan.port), timeout=1).close()
        except OSError:
            return False
        return True


class _Box(Neo4jContainer):
    """The container of testcontainers, with our port, our settings and our store."""

    def __init__(self, plan: Plan) -> None:
        # A password must be named, or that of NEO4J_PASSWORD, meant for another server, would be taken.
        super().__init__(plan.image, port=BOLT, username="neo4j", password="neo4j")
        self._plan = plan
        self.with_envs(**plan.environment)
        self.with_kwargs(labels=labels(plan.directory), mem_limit=MEMORY)
        # docker-py takes a pair of address and port, which the annotation does not know.
        ports: dict[str, Any] = self.ports
        ports[str(BOLT)] = ("127.0.0.1", plan.port)
        if plan.restore:
            self.with_copy_into_container(Path(plan.restore), "/")

    def _configure(self) -> None:
        """Leave out NEO4J_AUTH: the first password is changed over Bolt, and shows nowhere."""

    def _connect(self) -> None:
        """Do not wait: the supervisor does, and our server has no HTTP connector to wait for."""

    def _transfer_into_container(self, transferable: Any, destination: str, mode: int = 0o644) -> None:
        """Unpack the archive of a store, between creation and start, with its owners as they were."""
        with Path(transferable).open("rb") as archive:
            if not self.get_wrapped_container().put_archive(destination, archive):
                raise OSError("the store could not be put into the container")


class DockerEngine:
    """Containers of the official image, or of the one that ``RETROCYPHER_NEO4J_IMAGE`` names.

    Raise DockerUnavailableError if no daemon of this machine answers, or the image cannot be had.
    """

    kind: Kind = "docker"

    def __init__(self) -> None:
        self._image = os.environ.get(IMAGE_VARIABLE) or IMAGE
        client = _client()
        try:
            self.store_key = "docker-" + _image_id(client, self._image)
            remove_stray_containers(client)
        finally:
            client.close()

    def plan_for_new(self, plan: Plan, staging: Path) -> Plan:
        """Complete the plan of a server with an empty store, which is in a folder when it has stopped."""
        return replace(self._in_container(plan), export=str(staging / "data.tar"))

    def keep(self, staging: Path) -> None:
        """Tidy the folder in which a server stopped, so that it holds what `plan_for_copy` needs."""
        if not (staging / "data.tar").exists():
            raise self.failure("The container did not give its store back when it stopped.")

    def plan_for_copy(self, plan: Plan, store: Path) -> Plan:
        """Complete the plan of a server with a copy of a store that was kept."""
        return replace(self._in_container(plan), restore=str(store / "data.tar"))

    def failure(self, message: str) -> ServerError:
        """Return the error for a server that did not start."""
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
                f"this user may not use the Docker daemon. Join its group (`docker`), or {LOCAL_INSTEAD}."
            ) from None
        raise DockerUnavailableError(
            f"no Docker daemon answers here. Start one, name it in DOCKER_HOST, or {LOCAL_INSTEAD}."
        ) from None
    if not client.api.base_url.startswith(LOCAL_DAEMONS):
        client.close()
        raise _out_of_reach()
    return client


def _out_of_reach() -> DockerUnavailableError:
    return DockerUnavailableError(
        "the Docker daemon is reached over a network, and its loopback address may not be this machine's. "
        f"Unset DOCKER_HOST (or `docker context use default`), or {LOCAL_INSTEAD}."
    )


def _image_id(client: docker.DockerClient, image: str) -> str:
    try:
        try:
            found = client.images.get(image)
        except ImageNotFound:
            if is_offline():
                raise DockerException("--offline pulls none") from None
            _logger.info(f"Pulling the Docker image {image}")
            client.images.pull(image)
            found = client.images.get(image)
    except (DockerException, OSError) as error:
        raise DockerUnavailableError(
            f"the Docker image {image} is not here and cannot be pulled ({_explanation(error)}). "
            f"Pull it where there is a network, name another one in {IMAGE_VARIABLE}, or {LOCAL_INSTEAD}."
        ) from None
    return str(found.id).rpartition(":")[2][:12]


def _explanation(error: Exception) -> str:
    return (str(getattr(error, "explanation", "") or "").splitlines() or [first_line(error)])[0][:200]
