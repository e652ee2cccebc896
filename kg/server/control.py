"""Starting the supervisor of a server, and talking to it."""

import contextlib
import json
import socket
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from retrocypher.kg.server.endpoint import Endpoint, ServerError
from retrocypher.kg.server.folders import LOG

Kind = Literal["local", "docker"]
Fault = Literal["port", "crash", "timeout", "docker"]

REPLY_TIMEOUT_S = 300.0
"""A restart takes a few seconds; several requests are served in turn."""

LAST_LINES = 15
STARTED = b"Started."
"""What Neo4j prints once it answers."""

END_TIMEOUT_S = 30.0


@dataclass(frozen=True, slots=True)
class Plan:
    """How to run a server.

    Attributes:
        directory: The supervisor's private folder (0700): control socket, logs; removed at the end.
        owner: Process whose end is the server's end.
        startup_timeout_s: Seconds the server may take until it answers.
        command: The local server's command line; empty for a container.
        image: The container's image; empty for a local process.
        environment: The container's environment.
        restore: Archive of a store put into the container before its first start; empty for none.
        export: Where an archive of the container's store is written when it stops; empty for nowhere.
    """

    kind: Kind
    directory: str
    port: int
    owner: int
    startup_timeout_s: float
    command: list[str] = field(default_factory=list)
    image: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    restore: str = ""
    export: str = ""

    def to_line(self) -> str:
        """Return the plan as one line of JSON."""
        return json.dumps(asdict(self)) + "\n"

    @classmethod
    def from_line(cls, line: str) -> "Plan":
        """Read what `to_line` wrote."""
        return cls(**json.loads(line))


class StartError(Exception):
    """The server did not start.

    Attributes:
        fault: What kind of failure it was.
        message: The evidence, for the user.
    """

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault: Fault = fault
        self.message = message


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """The state of a server of ours.

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
    """Return the state of a server of ours.

    Raises:
        ServerError: It is not ours, or its supervisor does not answer.
    """
    return ServerStatus(**_ask(endpoint, {"command": "status"}))


def restart(endpoint: Endpoint, generation: int) -> int:
    """Replace a server of ours by a new one with the same address, password and store.

    Only a server of this generation is replaced, not a newer one. Returns the generation that runs now.

    Raises:
        ServerError: It is not ours, its supervisor does not answer, or it does not start again.
    """
    generation_now: int = _ask(endpoint, {"command": "restart", "generation": generation})["generation"]
    return generation_now


def ask(control: Path, request: dict[str, Any], timeout_s: float = REPLY_TIMEOUT_S) -> dict[str, Any]:
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


@dataclass(slots=True)
class Supervised:
    """A supervisor that this process owns.

    Attributes:
        process: The supervisor; its input is held open for as long as the server is wanted.
    """

    process: subprocess.Popen[str]
    directory: Path

    @property
    def control(self) -> Path:
        """The control socket."""
        return socket_path(self.directory)

    def end(self) -> None:
        """End the server and its supervisor."""
        if self.process.stdin:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        try:
            self.process.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            # Its server ends with it.
            self.process.kill()
            self.process.wait()

    def stop(self) -> None:
        """End the server in good order, with its store closed, and the supervisor."""
        with contextlib.suppress(OSError):
            ask(self.control, {"command": "stop"})
        self.end()

    def detach(self) -> None:
        """Let the server run on after this process."""
        ask(self.control, {"command": "detach"})
        # Not waited for any more; left to the system when this process ends.
        self.process.returncode = 0


def launch(plan: Plan) -> Supervised:
    """Start a supervisor and wait until its server answers.

    Raises:
        StartError: The server did not start.
    """
    directory = Path(plan.directory)
    with (directory / LOG).open("w") as log:
        process = subprocess.Popen(
            # -P: the current folder's files are no modules of ours.
            [sys.executable, "-P", "-m", "retrocypher.kg.server.supervisor"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            # Out of reach of the terminal's Ctrl-C, which must not end the server before the session.
            start_new_session=True,
        )
    supervised = Supervised(process, directory)
    try:
        assert process.stdin
        assert process.stdout
        process.stdin.write(plan.to_line())
        process.stdin.flush()
        line = process.stdout.readline()
        process.stdout.close()
        if not line:
            said = (directory / LOG).read_text() if directory.exists() else ""
            raise StartError("crash", said or "The supervisor ended without a message.")
        event = json.loads(line)
        if event["event"] == "failed":
            raise StartError(event["fault"], event["message"])
    except BaseException:
        supervised.end()
        raise
    return supervised
