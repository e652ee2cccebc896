"""The server that outlives its session: ``retrocypher graph up``."""

import contextlib
from collections.abc import Callable
from typing import Literal
from urllib.parse import urlsplit

from filelock import FileLock

from kg.paths import cache_dir
from kg.server._control import ask, restart, status
from kg.server._errors import ServerError
from kg.server._running import RunningServer
from kg.server._state_file import Background, forget_state, read_state, write_state

ANSWER_TIMEOUT_S = 10.0

Announce = Callable[[str], None]
Outcome = Literal["started", "restarted", "running"]


def background_server(announce: Announce) -> Background | None:
    """Return the server left running, if its supervisor answers; the server itself may have fallen.

    Args:
        announce: Is told when the file that describes it cannot be read.
    """
    found = read_state(announce)
    if not found:
        return None
    try:
        ask(found.control, {"command": "status"}, ANSWER_TIMEOUT_S)
    except TimeoutError:
        # Busy, with a restart for instance, and so there.
        return found
    except OSError:
        forget_state()
        return None
    return found


def reuse(graph_fingerprint: str, kinds: tuple[str, ...], announce: Announce) -> RunningServer | None:
    """Return the server left running if it has the graph and is of a wanted kind; a fallen one is started.

    One that is passed over for its graph is announced.
    """
    found = background_server(announce)
    if not found or found.endpoint.kind not in kinds:
        return None
    if found.graph_fingerprint != graph_fingerprint:
        place = found.endpoint.uri
        announce(f"Not with the server left running at {place}: it holds another graph ({found.graph})")
        return None
    _revive(found)
    return RunningServer(found.endpoint)


def leave_running(
    open_: Callable[[], RunningServer],
    graph_fingerprint: str,
    graph: str,
    *,
    announce: Announce,
    kind: str = "auto",
    port: int | None = None,
) -> tuple[Background, Outcome]:
    """Start a server and leave it running, unless one runs already with the same graph.

    One that has fallen is started again; where that cannot be done, a new one takes its place.

    Args:
        open_: Starts the server.
        graph_fingerprint: Of its graph.
        graph: Where the graph comes from, for the user.
        announce: Is told when the file that describes a server left running cannot be read.
        kind: Of the wanted server: ``auto``, ``docker`` or ``local``.
        port: Of the wanted server; None for any.

    Returns:
        The server, and what was done for it.

    Raises:
        ServerError: One runs already with another graph, kind or port, or it does not start.
    """
    with FileLock(cache_dir() / "up.lock"):
        found = background_server(announce)
        if found:
            _require_same(found, graph_fingerprint, kind, port)
            try:
                return found, "restarted" if _revive(found) else "running"
            except ServerError as error:
                announce(f"{error}\nA new server takes its place.")
                _end(found)
        with open_() as running:
            made = Background(running.endpoint, graph_fingerprint, graph)
            write_state(made)
            running.detach()
        return made, "started"


def end_background(announce: Announce) -> Background | None:
    """End the server left running; returns which it was, or None.

    Args:
        announce: Is told when the file that describes it cannot be read.
    """
    with FileLock(cache_dir() / "up.lock"):
        found = background_server(announce)
        if found:
            _end(found)
        return found


def _revive(found: Background) -> bool:
    """Start a server that has fallen again; returns whether it had."""
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
