"""Starting a server of our own, process or container, on a copy of a store that holds the graph."""

import hashlib
import json
import logging
import os
import secrets
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from filelock import FileLock

from retrocypher.kg.paths import cache_dir
from retrocypher.kg.server.control import Plan, StartError, Supervised, launch, private_directory
from retrocypher.kg.server.endpoint import (
    FIRST_PASSWORD,
    USER,
    Endpoint,
    ServerError,
    change_password,
    connect,
    free_port,
    port_taken,
    server_version,
)

if TYPE_CHECKING:
    import neo4j

    from retrocypher.kg.server.container import DockerEngine
    from retrocypher.kg.server.process import LocalEngine

_logger = logging.getLogger(__name__)

PORT_TRIES = 5


class RunningServer:
    """A server that a session uses, and ends if it started it."""

    def __init__(self, endpoint: Endpoint, supervised: Supervised | None = None) -> None:
        self.endpoint = endpoint
        self._supervised = supervised

    def stop(self) -> None:
        """End the server if this process started it; may be called again."""
        if self._supervised:
            self._supervised.end()
            self._supervised = None

    def detach(self) -> None:
        """Let a server that this process started run on after it."""
        if self._supervised:
            self._supervised.detach()
            self._supervised = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


@dataclass(frozen=True, slots=True)
class LoadedStore:
    """A folder with a closed store to be copied and its description, readable by its owner only."""

    directory: Path

    @property
    def password(self) -> str:
        """The password in the store, to be changed in every copy."""
        value: str = json.loads((self.directory / "template.json").read_text())["password"]
        return value


def loaded_store(graph_fingerprint: str, engine: str, build: Callable[[Path], str]) -> LoadedStore:
    """Return the store for a graph, built if there is none yet.

    ``engine`` names the servers that can open it. ``build`` leaves a closed store in an empty folder and
    returns its password.
    """
    stores = cache_dir() / "stores"
    stores.mkdir(exist_ok=True)
    place = stores / f"{engine}-{_key(graph_fingerprint)}"
    if not place.exists():
        with FileLock(f"{place}.lock"):
            if not place.exists():
                _build(place, graph_fingerprint, build)
    return LoadedStore(place)


def _build(place: Path, graph_fingerprint: str, build: Callable[[Path], str]) -> None:
    # Renamed when complete: a store that is there is whole. What a killed session left is cleared away.
    staging = place.with_name(f"{place.name}.new")
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(mode=0o700)
    try:
        password = build(staging)
        description = staging / "template.json"
        description.touch(0o600)
        description.write_text(json.dumps({"fingerprint": graph_fingerprint, "password": password}))
        staging.rename(place)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _key(graph_fingerprint: str) -> str:
    """Name the graph and the code that loads it: a changed index is another store."""
    digest = hashlib.sha256(graph_fingerprint.encode())
    for package in ("graph", "suites"):
        digest.update((Path(__file__).parents[1] / package / "loading.py").read_bytes())
    return digest.hexdigest()[:16]


class Opener:
    """Opens servers."""

    def __init__(
        self,
        engine: "LocalEngine | DockerEngine",
        startup_timeout_s: float,
        port: int | None = None,
    ) -> None:
        self._engine = engine
        self._timeout_s = startup_timeout_s
        self._port = port

    def open(
        self,
        graph_fingerprint: str,
        load_graph: "Callable[[neo4j.Driver], object]",
        before_load: Callable[[], object],
    ) -> RunningServer:
        """Start a server with a graph."""
        from neo4j.exceptions import DriverError, Neo4jError

        def build(home: Path) -> str:
            before_load()
            return self._build(home, load_graph)

        try:
            store = loaded_store(graph_fingerprint, self._engine.store_key, build)
            supervised, endpoint = self._start(
                lambda plan: self._engine.plan_for_copy(plan, store.directory),
                store.password,
                self._port,
                f"\nIf it happens again, the store kept in {store.directory} may be damaged: remove it.",
            )
            return RunningServer(endpoint, supervised)
        except OSError as error:
            raise ServerError(
                f"The server's files cannot be written ({error}). Make room or give access; the stores are "
                f"kept under {cache_dir()} (or RETROCYPHER_CACHE), those in use in TMPDIR."
            ) from error
        except (DriverError, Neo4jError) as error:
            raise ServerError(f"The server started but does not answer as it should: {error}") from error

    def _build(self, staging: Path, load_graph: "Callable[[neo4j.Driver], object]") -> str:
        _logger.info("Loading the graph into a new store (once; later sessions copy it)")
        supervised, endpoint = self._start(
            lambda plan: self._engine.plan_for_new(plan, staging), FIRST_PASSWORD, None, ""
        )
        try:
            with connect(endpoint) as driver:
                load_graph(driver)
            supervised.stop()
        finally:
            supervised.end()
        self._engine.keep(staging)
        return endpoint.password

    def _start(
        self, complete: Callable[[Plan], Plan], password: str, port: int | None, on_crash: str
    ) -> tuple[Supervised, Endpoint]:
        """Launch, and replace the store's password by one of this server's own."""
        supervised, chosen = self._launch(complete, port, on_crash)
        uri = f"bolt://127.0.0.1:{chosen}"
        try:
            changed = secrets.token_urlsafe(24)
            change_password(uri, password, changed)
            return supervised, Endpoint(
                uri=uri,
                user=USER,
                password=changed,
                kind=self._engine.kind,
                owned=True,
                control=str(supervised.control),
                version=server_version(uri, USER, changed),
            )
        except BaseException:
            supervised.end()
            raise

    def _launch(
        self, complete: Callable[[Plan], Plan], port: int | None, on_crash: str
    ) -> tuple[Supervised, int]:
        tries = 1 if port else PORT_TRIES
        while True:
            tries -= 1
            chosen = port or free_port()
            directory = private_directory()
            plan = Plan(self._engine.kind, str(directory), chosen, os.getpid(), self._timeout_s)
            try:
                return launch(complete(plan)), chosen
            except StartError as error:
                # A port that was free a moment ago may be taken; one that was asked for is.
                if error.fault != "port" or not tries:
                    raise self._explained(error, chosen, on_crash) from None
            except BaseException:
                # No supervisor has taken the folder.
                shutil.rmtree(directory, ignore_errors=True)
                raise

    def _explained(self, error: StartError, port: int, on_crash: str) -> ServerError:
        match error.fault:
            case "port":
                return port_taken(port)
            case "timeout":
                return self._engine.failure(
                    f"Neo4j did not start within {self._timeout_s:.0f} s; is the machine overloaded? "
                    f"Its last lines:\n{error.message}"
                )
            case "docker":
                return self._engine.failure(error.message)
            case "crash":
                return self._engine.failure(
                    f"Neo4j ended while it started. Its last lines:\n{error.message}{on_crash}"
                )
