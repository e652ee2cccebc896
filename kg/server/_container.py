"""The server as a container, seen from its supervisor."""

import contextlib
import os
import socket
import time
from pathlib import Path
from typing import Any

from docker.errors import DockerException  # type: ignore[import-untyped]
from testcontainers.community.neo4j import Neo4jContainer
from testcontainers.core.config import testcontainers_config
from testcontainers.core.exceptions import ContainerStartException

from kg.server._plan import Plan, StartError
from kg.server._settings import HEAP_MIB, PAGE_CACHE_MIB
from kg.server._stray import labels

BOLT = 7687
LAST_LINES = 15
STARTED = b"Started."
STOP_TIMEOUT_S = 60
MEMORY = f"{HEAP_MIB + PAGE_CACHE_MIB + 860}m"
"""Of the container: 1.5 GB, of which heap and page cache are the larger part."""

REACH_S = 5.0
"""How long a server that has started may stay out of reach."""

OUT_OF_REACH = (
    "its port cannot be reached on this machine's loopback address. If this is itself a container that "
    "shares its host's daemon, use --graph local."
)


class DockerServer:
    """One container, started again and again on the same loopback port and store.

    Args:
        plan: The plan; its ``image`` is run.
    """

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
        """Create the container and start it, or start it again.

        Raises:
            StartError: The daemon refuses.
        """
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
        """Return whether the server answers.

        Raises:
            StartError: The container has ended.
        """
        if not self.alive():
            raise StartError("crash", self.evidence())
        # The log goes on over restarts.
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
        # An error: it has ended by itself, or is gone, which its next start tells.
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
