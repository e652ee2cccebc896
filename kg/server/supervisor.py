"""The process between an owner and its server, which ends the server when the owner ends, however it ends.

Run as ``python -m retrocypher.kg.server.supervisor``. The first line on its input is the plan; the input's
end is the owner's end. It reports once on its output, and then takes requests on a Unix socket, one
line of JSON each. It has one thread: requests are served in turn, so that two workers who ask for a restart
get one.
"""

import contextlib
import json
import os
import selectors
import shutil
import signal
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrocypher.kg.offline import refuse_as_parent
from retrocypher.kg.server.control import Plan, StartError, hold, socket_path
from retrocypher.kg.server.process import LocalServer

if TYPE_CHECKING:
    from retrocypher.kg.server.container import DockerServer

TICK_S = 0.5


class ParentExited(Exception):  # noqa: N818 - not an error: the usual end
    """The owner ended."""


class Supervisor:
    """Keeps one server for one owner."""

    def __init__(self, plan: Plan, server: "LocalServer | DockerServer") -> None:
        self._plan = plan
        self._server = server
        self._generation = 0
        self._detached = False
        self._stopping = False

    def run(self) -> None:
        """Start the server, report, and serve requests until the owner ends or asks for the end."""
        directory = Path(self._plan.directory)
        lock = hold(directory)
        try:
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(str(socket_path(directory)))
                listener.listen(64)
                self._bring_up()
                _report({"event": "ready", "generation": self._generation, "pid": self._server.pid})
                self._serve(listener)
        except StartError as error:
            _report({"event": "failed", "fault": error.fault, "message": error.message})
        except ParentExited:
            pass
        finally:
            self._server.remove()
            shutil.rmtree(directory, ignore_errors=True)
            os.close(lock)

    def _bring_up(self) -> None:
        deadline = time.monotonic() + self._plan.startup_timeout_s
        self._server.start()
        while not self._server.ready():
            if self._parent_exited():
                raise ParentExited
            if time.monotonic() > deadline:
                raise StartError("timeout", self._server.evidence())
            time.sleep(0.05)

    def _parent_exited(self) -> bool:
        if self._detached:
            return False
        # The pipe may be held open by a child of the owner; then the parent's id tells.
        with selectors.DefaultSelector() as selector:
            selector.register(0, selectors.EVENT_READ)
            return bool(selector.select(0)) or os.getppid() != self._plan.owner

    def _serve(self, listener: socket.socket) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(listener, selectors.EVENT_READ)
            selector.register(0, selectors.EVENT_READ)
            while not self._stopping:
                ready = {key.fileobj for key, _ in selector.select(TICK_S)}
                if self._detached and 0 in selector.get_map():
                    selector.unregister(0)
                elif self._parent_exited():
                    raise ParentExited
                if listener in ready:
                    self._answer(listener)

    def _answer(self, listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection, contextlib.suppress(OSError, ValueError):
            connection.settimeout(5)
            with connection.makefile("rw") as lines:
                reply = self._handle(json.loads(lines.readline()))
                lines.write(json.dumps(reply) + "\n")

    def _handle(self, request: dict[str, Any]) -> dict[str, Any]:
        match request.get("command"):
            case "status":
                pass
            case "restart" if request["generation"] >= self._generation:
                try:
                    self._server.kill()
                    self._bring_up()
                except StartError as error:
                    return {"error": error.message, "fault": error.fault}
                self._generation += 1
            case "restart":
                pass
            case "detach":
                self._detached = True
            case "stop":
                self._server.stop()
                self._stopping = True
            case _:
                return {"error": "unknown request", "fault": "crash"}
        return {"generation": self._generation, "running": self._server.alive(), "pid": self._server.pid}


def _report(event: dict[str, Any]) -> None:
    """Print the one line that the owner waits for, and close the output."""
    # An owner that ended meanwhile has nobody to read it.
    with contextlib.suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)


def _server(plan: Plan) -> "LocalServer | DockerServer":
    if plan.kind == "docker":
        from retrocypher.kg.server.container import DockerServer

        return DockerServer(plan)
    return LocalServer(plan)


def main() -> None:
    """Read the plan and supervise."""
    refuse_as_parent()
    # A Ctrl-C in the owner's terminal is the owner's business: the session may want its server to the end.
    for ignored in (signal.SIGINT, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    line = sys.stdin.readline()
    if line:
        plan = Plan.from_line(line)
        Supervisor(plan, _server(plan)).run()


if __name__ == "__main__":
    main()
