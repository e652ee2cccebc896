"""Opening the server that ``--graph`` asks for: a given address, one left running, or a new one."""

import contextlib
import json
import logging
import os
import shutil
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote, urlsplit, urlunsplit

import msgspec
from filelock import FileLock

from retrocypher.kg.errors import InputError
from retrocypher.kg.paths import cache_dir
from retrocypher.kg.server.control import ask, restart, status
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
from retrocypher.kg.server.engine import Opener, RunningServer
from retrocypher.kg.server.process import LocalEngine

if TYPE_CHECKING:
    import neo4j

    from retrocypher.kg.server.container import DockerEngine

_logger = logging.getLogger(__name__)

SCHEMA_VERSION = 1

STATUS_TIMEOUT_S = 10.0
Outcome = Literal["started", "restarted", "running"]

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
class Background:
    """A server left running, the fingerprint of its graph, and where that graph came from."""

    endpoint: Endpoint
    graph_fingerprint: str
    graph: str

    @property
    def control(self) -> Path:
        """The supervisor's control socket."""
        return Path(self.endpoint.control or "")


def state_file() -> Path:
    """Return where a server left running is described; readable by its owner only."""
    return cache_dir() / "up.json"


def read_state() -> Background | None:
    """Return what the state file says; one that cannot be read is removed, and this is logged."""
    try:
        value = json.loads(state_file().read_bytes())
        found = msgspec.convert(value, Background)
        if value["schema_version"] == SCHEMA_VERSION and found.endpoint.control:
            return found
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, msgspec.ValidationError):
        pass
    forget_state()
    _logger.warning(
        f"{state_file()} is damaged or of another version and was removed. If the server that it "
        "described still runs, end its process (retrocypher.kg.server.supervisor)."
    )
    return None


def write_state(made: Background) -> None:
    """Write the state file, whole or not at all."""
    pending = state_file().with_suffix(".new")
    pending.unlink(missing_ok=True)
    with os.fdopen(os.open(pending, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        json.dump({"schema_version": SCHEMA_VERSION, **asdict(made)}, file)
    pending.replace(state_file())


def forget_state() -> None:
    """Remove the state file if it is there."""
    with contextlib.suppress(OSError):
        state_file().unlink()


def background_server() -> Background | None:
    """Return the server left running, if its supervisor answers; the server itself may have fallen."""
    found = read_state()
    if not found:
        return None
    try:
        ask(found.control, {"command": "status"}, STATUS_TIMEOUT_S)
    except TimeoutError:
        # Busy, with a restart for instance, and so there.
        return found
    except OSError:
        forget_state()
        return None
    return found


def reuse(graph_fingerprint: str, kinds: tuple[str, ...]) -> RunningServer | None:
    """Return the server left running if it has the graph and is of a wanted kind; a fallen one is started.

    One that is passed over for its graph is logged.
    """
    found = background_server()
    if not found or found.endpoint.kind not in kinds:
        return None
    if found.graph_fingerprint != graph_fingerprint:
        place = found.endpoint.uri
        _logger.info(f"Not with the server left running at {place}: it holds another graph ({found.graph})")
        return None
    _revive(found)
    return RunningServer(found.endpoint)


def leave_running(
    open_: Callable[[], RunningServer],
    graph_fingerprint: str,
    graph: str,
    *,
    kind: str = "auto",
    port: int | None = None,
) -> tuple[Background, Outcome]:
    """Start a server and leave it running, unless one runs already with the same graph.

    One that has fallen is started again; where that cannot be done, a new one takes its place. Raise
    ServerError if one runs already with another graph, kind or port, or it does not start.
    """
    with FileLock(cache_dir() / "up.lock"):
        found = background_server()
        if found:
            _require_same(found, graph_fingerprint, kind, port)
            try:
                return found, "restarted" if _revive(found) else "running"
            except ServerError as error:
                _logger.warning(f"{error}\nA new server takes its place.")
                _end(found)
        with open_() as running:
            made = Background(running.endpoint, graph_fingerprint, graph)
            write_state(made)
            running.detach()
        return made, "started"


def end_background() -> Background | None:
    """End the server left running; returns which it was, or None."""
    with FileLock(cache_dir() / "up.lock"):
        found = background_server()
        if found:
            _end(found)
        return found


def _revive(found: Background) -> bool:
    state = status(found.endpoint)
    if not state.running:
        restart(found.endpoint, state.generation)
    return not state.running


def _require_same(found: Background, graph_fingerprint: str, kind: str, port: int | None) -> None:
    endpoint = found.endpoint
    place = f"runs already at {endpoint.uri} ({endpoint.kind})"
    if found.graph_fingerprint != graph_fingerprint:
        raise ServerError(
            f"A server with another graph ({found.graph}) {place}. "
            "Replace its graph with `retrocypher graph load`, or end it with `retrocypher graph down`."
        )
    asked = []
    if kind not in ("auto", endpoint.kind):
        asked.append(f"--server {kind}")
    if port not in (None, urlsplit(endpoint.uri).port):
        asked.append(f"--port {port}")
    if asked:
        raise ServerError(
            f"{' and '.join(asked)} cannot be had: a server with this graph {place}. "
            "To move it, end it with `retrocypher graph down` and run this command again."
        )


def _end(found: Background) -> None:
    # A supervisor that is gone meanwhile has taken its server along.
    with contextlib.suppress(OSError):
        ask(found.control, {"command": "stop"})
    forget_state()


def is_uri(spec: str) -> bool:
    """Return whether a ``--graph`` or ``--server`` value is an address."""
    return "://" in spec


def graph_folder(spec: str) -> Path | None:
    """Return the folder of a graph that a ``--graph`` value names; None if it names a server."""
    if spec in ("auto", "docker", "local") or is_uri(spec):
        return None
    folder = Path(spec).expanduser()
    return folder if folder.is_dir() or os.sep in spec else None


def parse_address(spec: str) -> Endpoint:
    """Return the server at an address, whose credentials win over ``NEO4J_USER`` and ``NEO4J_PASSWORD``.

    Raise InputError, which does not repeat a password, if it is no Bolt address.
    """
    try:
        parts = urlsplit(spec)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise InputError(f"--graph or --server: the address cannot be read ({error}). {_FORM}") from None
    if parts.scheme not in SCHEMES:
        raise InputError(f"--graph or --server: '{parts.scheme}://' is no scheme of Neo4j's. {_FORM}")
    if not host or parts.path.strip("/"):
        raise InputError(f"--graph or --server: the address needs a host and takes no path. {_FORM}")
    name = f"[{host}]" if ":" in host else host
    uri = urlunsplit((parts.scheme, f"{name}:{port or 7687}", "", parts.query, ""))
    user = unquote(parts.username) if parts.username else os.environ.get("NEO4J_USER", USER)
    password = unquote(parts.password) if parts.password else os.environ.get("NEO4J_PASSWORD", "")
    return Endpoint(uri, user, password, kind="uri", notes=NOTES)


def open_uri(spec: str) -> Endpoint:
    """Return a given server, once it has answered and shown its version.

    Raise InputError if the address cannot be read, ServerError if the server does not answer, refuses the
    credentials, or is no Neo4j 5.
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
    return replace(address, version=version)


def _refused(address: Endpoint) -> ServerError:
    given = "with the password given" if address.password else "without a password"
    return ServerError(
        f"The server at {address.uri} refuses the user '{address.user}' {given}. "
        "Set NEO4J_USER and NEO4J_PASSWORD, or write both into the address."
    )


def _unreachable(address: Endpoint, error: Exception) -> ServerError:
    return ServerError(
        f"No Neo4j answers at {address.uri}: {cause_of(error)}. Check host, port and scheme "
        "(bolt+s or neo4j+s where the server wants TLS), and that the server runs."
    )


def open_server(
    spec: str,
    *,
    graph_fingerprint: str,
    load_graph: "Callable[[neo4j.Driver], object]",
    before_load: Callable[[], object] = lambda: None,
    startup_timeout_s: float = STARTUP_TIMEOUT_S,
) -> RunningServer:
    """Return a server with a graph: ``auto`` (Docker, else local), ``docker``, ``local`` or an address.

    A server of our own is started on a copy of a store that holds the graph already; the first time,
    ``load_graph`` builds the store, after ``before_load``. It ends with `RunningServer.stop`, and with this
    process however that ends. A server that ``retrocypher graph up`` left running with the same graph is used
    instead where it is of the kind asked for. A server given by its address is used as it is: whether it
    holds the graph is for the caller to see. Each step that takes long is logged.

    Raise InputError if the spec is none of these, ServerError if the server cannot be had.
    """
    if is_uri(spec):
        return RunningServer(open_uri(spec))
    running = reuse(graph_fingerprint, ("docker", "local") if spec == "auto" else (spec,))
    if running:
        _logger.info(f"Using the server that runs at {running.endpoint.uri}")
        return running
    return start_server(
        spec,
        graph_fingerprint=graph_fingerprint,
        load_graph=load_graph,
        before_load=before_load,
        startup_timeout_s=startup_timeout_s,
    )


def start_server(
    spec: str,
    *,
    graph_fingerprint: str,
    load_graph: "Callable[[neo4j.Driver], object]",
    before_load: Callable[[], object] = lambda: None,
    startup_timeout_s: float = STARTUP_TIMEOUT_S,
    port: int | None = None,
) -> RunningServer:
    """Start a server of our own on a port of the loopback address, any free one where None.

    Arguments and errors are those of `open_server`; a port that is taken is a `ServerError`.
    """
    if port and not port_is_free(port):
        raise port_taken(port)

    def opened(engine: "LocalEngine | DockerEngine") -> RunningServer:
        return Opener(engine, startup_timeout_s, port).open(graph_fingerprint, load_graph, before_load)

    match spec:
        case "local":
            return opened(LocalEngine())
        case "docker":
            return opened(_docker())
        case "auto":
            try:
                return opened(_docker())
            except DockerUnavailableError as error:
                # Who has no Docker need not read about it.
                if os.environ.get("DOCKER_HOST") or shutil.which("docker"):
                    _logger.info(f"Using Neo4j as a local process, without Docker: {error}")
            return opened(LocalEngine())
        case _:
            raise InputError(
                f"--graph or --server {spec}: expected auto, docker, local, "
                "an address such as bolt://localhost:7687, or (in a run) the folder of a graph."
            )


def _docker() -> "DockerEngine":
    # Half a second of imports that the other ways do without.
    from retrocypher.kg.server.container import DockerEngine

    return DockerEngine()
