"""Starting the supervisor of a server, talking to it, and the private folders of servers and sessions."""

import contextlib
import fcntl
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from retrocypher.kg.server.endpoint import Endpoint, ServerError

PREFIX = "retrocypher-server-"
SESSION_PREFIX = "retrocypher-session-"
LOG = "supervisor.log"
LOCK = "lock"

SOCKET_PATH_MAX = 100
"""Characters of a Unix socket's path that every system takes."""

UNHELD_S = 3600.0
"""Age at which a folder that no supervisor has taken is no longer waited for."""

Kind = Literal["local", "docker"]
Fault = Literal["port", "crash", "timeout", "docker"]

REPLY_TIMEOUT_S = 300.0
"""A restart takes a few seconds; several requests are served in turn."""

LAST_LINES = 15
STARTED = b"Started."
"""What Neo4j prints once it answers."""

END_TIMEOUT_S = 30.0


def private_directory() -> Path:
    """Make a folder (0700) for one server: its store, its logs, its control socket."""
    parent = Path(tempfile.gettempdir())
    if len(str(parent)) > SOCKET_PATH_MAX - 40:
        parent = Path("/tmp")
    _sweep(parent, PREFIX, LOG)
    directory = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
    (directory / LOG).touch()
    return directory


@dataclass(slots=True)
class SessionFolder:
    """A folder that is its session's for as long as the process that made it lives."""

    path: Path
    _lock: int | None

    def remove(self) -> None:
        """Remove the folder; may be called again."""
        if self._lock is not None:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = None


def session_folder() -> SessionFolder:
    """Make a private folder for what the processes of one session share.

    Those of sessions that were killed are cleared away first: a lock tells whether the owner lives, so that
    neither a process id that is used again nor a clock can mislead.
    """
    parent = Path(tempfile.gettempdir())
    _sweep(parent, SESSION_PREFIX, LOCK)
    path = Path(tempfile.mkdtemp(prefix=SESSION_PREFIX, dir=parent))
    return SessionFolder(path, hold(path))


def hold(directory: Path) -> int:
    """Lock a folder for as long as this process lives; returns the lock's descriptor."""
    pending = directory / "lock.new"
    descriptor = os.open(pending, os.O_CREAT | os.O_RDWR, 0o600)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    # Renamed only when locked, so that nobody sees a lock that is not held yet.
    pending.rename(directory / LOCK)
    return descriptor


def abandoned(directory: Path) -> bool:
    """Return whether a folder was held by a process that is gone."""
    try:
        descriptor = os.open(directory / LOCK, os.O_RDWR)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _sweep(parent: Path, prefix: str, mark: str) -> None:
    """Remove the folders of gone owners; ``mark`` is a file that shows that a folder is one of ours."""
    for directory in parent.glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            about = directory.stat()
            ours = about.st_uid == os.getuid()
            # Without a lock its supervisor is about to start, or never did.
            unheld = not (directory / LOCK).exists() and time.time() - about.st_mtime > UNHELD_S
            if ours and (directory / mark).exists() and (unheld or abandoned(directory)):
                shutil.rmtree(directory, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Plan:
    """How to run a server.

    Attributes:
        directory: The supervisor's private folder (0700): control socket, logs; removed at the end.
        owner: Process whose end is the server's end.
        command: The local server's command line; empty for a container.
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
    """The server did not start; the message is the evidence."""

    def __init__(self, fault: Fault, message: str) -> None:
        super().__init__(message)
        self.fault: Fault = fault
        self.message = message


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """Whether a server of ours runs, its process id (None for a container), and how often it was replaced."""

    generation: int
    running: bool
    pid: int | None


def socket_path(directory: Path) -> Path:
    """Return where a supervisor listens."""
    return directory / "control"


def status(endpoint: Endpoint) -> ServerStatus:
    """Return the state of a server of ours; raise ServerError if its supervisor does not answer."""
    return ServerStatus(**_ask(endpoint, {"command": "status"}))


def restart(endpoint: Endpoint, generation: int) -> int:
    """Replace a server of ours by a new one with the same address, password and store.

    Only a server of this generation is replaced, not a newer one. Return the generation that runs now; raise
    ServerError if the server is not ours or does not start again.
    """
    generation_now: int = _ask(endpoint, {"command": "restart", "generation": generation})["generation"]
    return generation_now


def ask(control: Path, request: dict[str, Any], timeout_s: float = REPLY_TIMEOUT_S) -> dict[str, Any]:
    """Send one request to a supervisor and return its answer; raise OSError if nobody listens or answers."""
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
    """A supervisor that this process owns, its input held open for as long as the server is wanted."""

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
    """Start a supervisor and wait until its server answers; raise StartError if it does not."""
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
