"""The server that ``--graph`` asks for."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from kg.errors import InputError
from kg.server._background import reuse
from kg.server._engine import Engine, Opener
from kg.server._errors import DockerUnavailableError, port_taken
from kg.server._local import LocalEngine
from kg.server._port import port_is_free
from kg.server._running import RunningServer
from kg.server._uri import is_uri, open_uri

if TYPE_CHECKING:
    import neo4j

STARTUP_TIMEOUT_S = 120.0


def open_server(
    spec: str,
    *,
    graph_fingerprint: str,
    fill: "Callable[[neo4j.Driver], object]",
    announce: Callable[[str], None],
    before_fill: Callable[[], object] = lambda: None,
    startup_timeout_s: float = STARTUP_TIMEOUT_S,
) -> RunningServer:
    """Return a server with a graph.

    A server of our own is started on a copy of a store that holds the graph already; the first time, the
    store is built. It ends with `RunningServer.stop`, and with this process however that ends. A server
    that ``retrocypher graph up`` left running with the same graph is used instead where it is of the kind
    asked for. A server given by its address is used as it is: whether it holds the graph is for the caller
    to see.

    Args:
        spec: ``auto`` (Docker, else local), ``docker``, ``local`` or an address such as ``bolt://host:7687``.
        graph_fingerprint: Of the graph.
        fill: Loads the graph through a driver into an empty server.
        announce: Is told, a line at a time, what takes long and what was passed over.
        before_fill: Called before a store is built; what it raises ends the opening.
        startup_timeout_s: Seconds a server of our own may take until it answers.

    Raises:
        InputError: The spec is none of these.
        ServerError: The server cannot be had; the message says why and what to do.
    """
    if is_uri(spec):
        return RunningServer(open_uri(spec))
    running = reuse(graph_fingerprint, ("docker", "local") if spec == "auto" else (spec,), announce)
    if running:
        announce(f"Using the server that runs at {running.endpoint.uri}")
        return running
    return start_server(
        spec,
        graph_fingerprint=graph_fingerprint,
        fill=fill,
        announce=announce,
        before_fill=before_fill,
        startup_timeout_s=startup_timeout_s,
    )


def start_server(
    spec: str,
    *,
    graph_fingerprint: str,
    fill: "Callable[[neo4j.Driver], object]",
    announce: Callable[[str], None],
    before_fill: Callable[[], object] = lambda: None,
    startup_timeout_s: float = STARTUP_TIMEOUT_S,
    port: int | None = None,
) -> RunningServer:
    """Start a server of our own, as `open_server` does where none can be used.

    Args:
        spec: ``auto``, ``docker`` or ``local``.
        graph_fingerprint: As for `open_server`.
        fill: As for `open_server`.
        announce: As for `open_server`.
        before_fill: As for `open_server`.
        startup_timeout_s: As for `open_server`.
        port: Where to listen on the loopback address; None for any free port.

    Raises:
        InputError: As for `open_server`.
        ServerError: As for `open_server`; or the port is taken.
    """
    if port and not port_is_free(port):
        raise port_taken(port)

    def opened(engine: Engine) -> RunningServer:
        return Opener(engine, announce, startup_timeout_s, port).open(graph_fingerprint, fill, before_fill)

    match spec:
        case "local":
            return opened(LocalEngine(announce))
        case "docker":
            return opened(_docker(announce))
        case "auto":
            try:
                return opened(_docker(announce))
            except DockerUnavailableError as error:
                announce(f"Not with Docker: {error}")
                announce("Using Neo4j as a local process")
            return opened(LocalEngine(announce))
        case _:
            raise InputError(
                f"--graph {spec}: expected auto, docker, local or an address such as bolt://localhost:7687."
            )


def _docker(announce: Callable[[str], None]) -> Engine:
    # Half a second of imports that the other ways do without.
    from kg.server._docker import DockerEngine

    return DockerEngine(announce)
