"""The server that outlives its session: ``retrocypher graph up``."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from kg.paths import cache_dir
from kg.server._control import ask, restart, status
from kg.server._endpoint import Endpoint
from kg.server._errors import ServerError
from kg.server._running import RunningServer

ANSWER_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Background:
    """A server left running.

    Attributes:
        endpoint: How to reach it.
        graph_fingerprint: Of the graph that was loaded into it.
        graph: Where that graph came from, for the user.
    """

    endpoint: Endpoint
    graph_fingerprint: str
    graph: str

    def to_json(self) -> dict[str, Any]:
        """Return plain values, the password among them: for the state file alone."""
        return {
            "endpoint": self.endpoint.to_json(),
            "graph_fingerprint": self.graph_fingerprint,
            "graph": self.graph,
        }


def state_file() -> Path:
    """Return where a server left running is described; readable by its owner only."""
    return cache_dir() / "up.json"


def background_server() -> Background | None:
    """Return the server left running, if one answers."""
    try:
        value = json.loads(state_file().read_text())
    except FileNotFoundError:
        return None
    found = Background(Endpoint.from_json(value["endpoint"]), value["graph_fingerprint"], value["graph"])
    try:
        ask(_control(found), {"command": "status"}, ANSWER_TIMEOUT_S)
    except TimeoutError:
        # Busy, with a restart for instance, and so there.
        return found
    except OSError:
        state_file().unlink(missing_ok=True)
        return None
    return found


def reuse(graph_fingerprint: str, kinds: tuple[str, ...]) -> RunningServer | None:
    """Return the server left running if it has the graph and is of a wanted kind; a fallen one is started."""
    found = background_server()
    if not found or found.graph_fingerprint != graph_fingerprint or found.endpoint.kind not in kinds:
        return None
    state = status(found.endpoint)
    if not state.running:
        restart(found.endpoint, state.generation)
    return RunningServer(found.endpoint)


def leave_running(
    open_: Callable[[], RunningServer], graph_fingerprint: str, graph: str
) -> tuple[Background, bool]:
    """Start a server and leave it running, unless one runs already with the same graph.

    Args:
        open_: Starts the server.
        graph_fingerprint: Of its graph.
        graph: Where the graph comes from, for the user.

    Returns:
        The server, and whether it was started now.

    Raises:
        ServerError: One runs already with another graph, or it does not start.
    """
    with FileLock(cache_dir() / "up.lock"):
        found = background_server()
        if found and found.graph_fingerprint == graph_fingerprint:
            return found, False
        if found:
            raise ServerError(
                f"A server with another graph ({found.graph}) runs already at {found.endpoint.uri}. "
                "Replace its graph with `retrocypher graph load`, or end it with `retrocypher graph down`."
            )
        with open_() as running:
            made = Background(running.endpoint, graph_fingerprint, graph)
            _write(made)
            running.detach()
        return made, True


def end_background() -> Background | None:
    """End the server left running; returns which it was, or None."""
    with FileLock(cache_dir() / "up.lock"):
        found = background_server()
        if found:
            ask(_control(found), {"command": "stop"})
            state_file().unlink(missing_ok=True)
        return found


def _control(found: Background) -> Path:
    return Path(found.endpoint.control or "")


def _write(made: Background) -> None:
    pending = state_file().with_suffix(".new")
    pending.unlink(missing_ok=True)
    with os.fdopen(os.open(pending, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        json.dump(made.to_json(), file)
    pending.replace(state_file())
