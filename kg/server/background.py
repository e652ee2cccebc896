"""The server that outlives its session: ``retrocypher graph up`` and ``graph down``."""

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from filelock import FileLock

from retrocypher.kg.paths import cache_dir
from retrocypher.kg.server.control import ask, restart, status
from retrocypher.kg.server.endpoint import Endpoint, ServerError
from retrocypher.kg.server.engine import RunningServer

SCHEMA_VERSION = 1

STATUS_TIMEOUT_S = 10.0
Announce = Callable[[str], None]
Outcome = Literal["started", "restarted", "running"]


@dataclass(frozen=True, slots=True)
class Background:
    """A server left running.

    Attributes:
        graph_fingerprint: Of the graph that was loaded into it.
        graph: Where that graph came from, for the user.
    """

    endpoint: Endpoint
    graph_fingerprint: str
    graph: str

    @property
    def control(self) -> Path:
        """The supervisor's control socket."""
        return Path(self.endpoint.control or "")

    def to_json(self) -> dict[str, Any]:
        """Return plain values, the password among them: for the state file alone."""
        return {
            "schema_version": SCHEMA_VERSION,
            "endpoint": self.endpoint.to_json(),
            "graph_fingerprint": self.graph_fingerprint,
            "graph": self.graph,
        }


def state_file() -> Path:
    """Return where a server left running is described; readable by its owner only."""
    return cache_dir() / "up.json"


def read_state(announce: Callable[[str], None]) -> Background | None:
    """Return what the state file says; one that cannot be read is removed, and a line says so."""
    try:
        return _parsed(state_file().read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        forget_state()
        announce(
            f"{state_file()} is damaged or of another version and was removed. If the server that it "
            "described still runs, end its process (retrocypher.kg.server.supervisor)."
        )
        return None


def write_state(made: Background) -> None:
    """Write the state file, whole or not at all."""
    pending = state_file().with_suffix(".new")
    pending.unlink(missing_ok=True)
    with os.fdopen(os.open(pending, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        json.dump(made.to_json(), file)
    pending.replace(state_file())


def forget_state() -> None:
    """Remove the state file if it is there."""
    with contextlib.suppress(OSError):
        state_file().unlink()


def _parsed(text: bytes) -> Background:
    value = json.loads(text)
    if value["schema_version"] != SCHEMA_VERSION:
        raise ValueError("another version")
    endpoint = Endpoint.from_json(value["endpoint"])
    if not all(isinstance(part, str) for part in (endpoint.uri, endpoint.password, endpoint.control)):
        raise ValueError("not an endpoint of ours")
    return Background(endpoint, str(value["graph_fingerprint"]), str(value["graph"]))


def background_server(announce: Announce) -> Background | None:
    """Return the server left running, if its supervisor answers; the server itself may have fallen."""
    found = read_state(announce)
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
        graph: Where the graph comes from, for the user.
        kind: Of the wanted server: ``auto``, ``docker`` or ``local``.
        port: Of the wanted server; None for any.

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
    """End the server left running; returns which it was, or None."""
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
