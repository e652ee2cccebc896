"""Asking a supervisor for something."""

import json
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.server._endpoint import Endpoint
from kg.server._errors import ServerError

ANSWER_TIMEOUT_S = 300.0
"""A restart takes a few seconds; many asked at once are served in turn."""


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """How a server of ours does.

    Attributes:
        generation: How often it was replaced; 0 for the first.
        running: Whether it runs.
        pid: Its process id; None for a container or where it does not run.
    """

    generation: int
    running: bool
    pid: int | None


def socket_path(directory: Path) -> Path:
    """Return where a supervisor listens."""
    return directory / "control"


def status(endpoint: Endpoint) -> ServerStatus:
    """Return how a server of ours does.

    Raises:
        ServerError: It is not ours, or its supervisor does not answer.
    """
    return _status(_ask(endpoint, {"command": "status"}))


def restart(endpoint: Endpoint, generation: int) -> int:
    """Replace a server of ours by a new one with the same address, password and store.

    Args:
        endpoint: The server.
        generation: The generation found wanting; where a newer one runs already, nothing is done.

    Returns:
        The generation that runs now.

    Raises:
        ServerError: It is not ours, its supervisor does not answer, or it does not start again.
    """
    return _status(_ask(endpoint, {"command": "restart", "generation": generation})).generation


def ask(control: Path, request: dict[str, Any], timeout_s: float = ANSWER_TIMEOUT_S) -> dict[str, Any]:
    """Send one request to a supervisor and return its answer.

    Raises:
        OSError: Nobody listens or answers.
    """
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(timeout_s)
        connection.connect(str(control))
        with connection.makefile("rw") as lines:
            lines.write(json.dumps(request) + "\n")
            lines.flush()
            line = lines.readline()
    if not line:
        raise ConnectionResetError("the supervisor ended without an answer")
    answer: dict[str, Any] = json.loads(line)
    return answer


def _ask(endpoint: Endpoint, request: dict[str, Any]) -> dict[str, Any]:
    if endpoint.control is None:
        raise ServerError(f"The server at {endpoint.uri} was not started here and cannot be replaced.")
    try:
        answer = ask(Path(endpoint.control), request)
    except OSError as error:
        raise ServerError(
            f"The supervisor of the server at {endpoint.uri} does not answer ({error}). Start the run again."
        ) from error
    if "error" in answer:
        raise ServerError(f"The server at {endpoint.uri} did not start again:\n{answer['error']}")
    return answer


def _status(answer: dict[str, Any]) -> ServerStatus:
    return ServerStatus(answer["generation"], answer["running"], answer["pid"])
