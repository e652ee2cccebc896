"""Opening the server that ``--graph`` asks for: a given address, one left running, or a new one."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit

from retrocypher.kg.errors import InputError
from retrocypher.kg.server.background import reuse
from retrocypher.kg.server.endpoint import (
    USER,
    DockerUnavailableError,
    Endpoint,
    ServerError,
    cause_of,
    port_is_free,
    port_taken,
    server_version,
)
from retrocypher.kg.server.engine import Engine, Opener, RunningServer
from retrocypher.kg.server.process import LocalEngine

if TYPE_CHECKING:
    import neo4j

SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")

ANSWER_TIMEOUT_S = 12.0
"""A server that accepts a connection and says nothing is given up after that."""

NOTES = (
    "Memory limits, allowed procedures and file or network access of LOAD CSV are those of the given server.",
    "A query that the given server cannot end keeps it busy; the server is not replaced.",
)

_FORM = f"Give SCHEME://HOST:PORT with one of the schemes {', '.join(SCHEMES)}."

STARTUP_TIMEOUT_S = 120.0


@dataclass(frozen=True, slots=True)
class Address:
    """A server's address and the credentials for it, apart from each other."""

    uri: str
    user: str
    password: str = field(repr=False)


def is_uri(spec: str) -> bool:
    """Return whether a ``--graph`` value is an address."""
    return "://" in spec


def parse_address(spec: str) -> Address:
    """Read an address; the user and password in it win over ``NEO4J_USER`` and ``NEO4J_PASSWORD``.

    Raises:
        InputError: It is no Bolt address. The message does not repeat a password.
    """
    try:
        parts = urlsplit(spec)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise InputError(f"--graph: the address cannot be read ({error}). {_FORM}") from None
    if parts.scheme not in SCHEMES:
        raise InputError(f"--graph: '{parts.scheme}://' is no scheme of Neo4j's. {_FORM}")
    if not host or parts.path.strip("/"):
        raise InputError(f"--graph: the address needs a host and takes no path. {_FORM}")
    name = f"[{host}]" if ":" in host else host
    uri = urlunsplit((parts.scheme, f"{name}:{port or 7687}", "", parts.query, ""))
    user = unquote(parts.username) if parts.username else os.environ.get("NEO4J_USER", USER)
    password = unquote(parts.password) if parts.password else os.environ.get("NEO4J_PASSWORD", "")
    return Address(uri, user, password)


def open_uri(spec: str) -> Endpoint:
    """Return a given server, once it has answered and shown its version.

    Raises:
        InputError: The address cannot be read.
        ServerError: The server does not answer, refuses the credentials, or is no Neo4j 5.
    """
    from neo4j.exceptions import AuthError, ClientError, ConfigurationError, DriverError, Neo4jError

    address = parse_address(spec)
    try:
        version = server_version(address.uri, address.user, address.password, ANSWER_TIMEOUT_S)
    except AuthError:
        raise _refused(address) from None
    except ClientError as error:
        # After some wrong passwords Neo4j refuses the right one too, for a while.
        if error.code and ".Security." in error.code:
            raise _refused(address) from None
        raise _unreachable(address, error) from None
    except (ConfigurationError, DriverError, Neo4jError, OSError, ValueError) as error:
        raise _unreachable(address, error) from None
    return Endpoint(
        uri=address.uri,
        user=address.user,
        password=address.password,
        kind="uri",
        version=version,
        notes=NOTES,
    )


def _refused(address: Address) -> ServerError:
    return ServerError(
        f"The server at {address.uri} refuses the user '{address.user}' with the password given. "
        "Set NEO4J_USER and NEO4J_PASSWORD, or write both into the address."
    )


def _unreachable(address: Address, error: Exception) -> ServerError:
    return ServerError(
        f"No Neo4j answers at {address.uri}: {cause_of(error)}. Check host, port and scheme "
        "(bolt+s or neo4j+s where the server wants TLS), and that the server runs."
    )


def open_server(
    spec: str,
    *,
    graph_fingerprint: str,
    load_graph: "Callable[[neo4j.Driver], object]",
    announce: Callable[[str], None],
    before_load: Callable[[], object] = lambda: None,
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
        load_graph: Loads the graph through a driver into an empty server.
        announce: Is told, a line at a time, what takes long and what was passed over.
        before_load: Called before a store is built; what it raises ends the opening.
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
        load_graph=load_graph,
        announce=announce,
        before_load=before_load,
        startup_timeout_s=startup_timeout_s,
    )


def start_server(
    spec: str,
    *,
    graph_fingerprint: str,
    load_graph: "Callable[[neo4j.Driver], object]",
    announce: Callable[[str], None],
    before_load: Callable[[], object] = lambda: None,
    startup_timeout_s: float = STARTUP_TIMEOUT_S,
    port: int | None = None,
) -> RunningServer:
    """Start a server of our own on a port of the loopback address, any free one where None.

    Arguments and errors are those of `open_server`; a port that is taken is a `ServerError`.
    """
    if port and not port_is_free(port):
        raise port_taken(port)

    def opened(engine: Engine) -> RunningServer:
        return Opener(engine, announce, startup_timeout_s, port).open(
            graph_fingerprint, load_graph, before_load
        )

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
    from retrocypher.kg.server.container import DockerEngine

    return DockerEngine(announce)
