"""A client process and its side of the pipe: `Client` starts it, asks it and stops it."""

import json
import os
import subprocess
import sys
import time
from dataclasses import asdict
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from retrocypher.kg.execution.execution import Limits
from retrocypher.kg.execution.hashing import Values
from retrocypher.kg.server.endpoint import Endpoint

START_S = 30.0
_PROGRAM = """
import sys
# The driver loads these where they are installed; without them the process needs half the memory.
sys.modules.update(numpy=None, pandas=None, pyarrow=None)
from retrocypher.kg.execution.client_process import main
main()
"""

SERVER_GRACE_S = 1.0
"""The server's own timeout comes this much later than ours, so that ours is the one that counts."""


class ClientLate(Exception):  # noqa: N818 - a signal, not an error
    """No answer before the deadline; the process was stopped."""


class ClientGone(Exception):  # noqa: N818 - a signal, not an error
    """The process ended instead of answering."""


class Client:
    """A process with one connection to the server, started when first needed and after it was stopped."""

    def __init__(self, endpoint: Endpoint, limits: Limits) -> None:
        self._endpoint = endpoint
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._opened = False

    def start(self) -> None:
        """Start the process without waiting for it."""
        if self._process:
            return
        self._connection, theirs = Pipe()
        fd = theirs.fileno()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(fd), str(os.getpid())],
                pass_fds=[fd],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # Ctrl-C is for the session, which ends this process in its own time.
                start_new_session=True,
            )
        self._opened = False
        self._open()

    def ready(self) -> None:
        """Start the process where it does not run, and wait; raise ClientGone if it does not start."""
        self.start()
        if not self._opened:
            try:
                self._receive(time.monotonic() + START_S)
            except ClientLate as late:
                raise ClientGone from late
            self._opened = True

    def reconnect(self) -> None:
        """Drop the connection to a server that was replaced."""
        if self._process and self._opened:
            self._opened = False
            try:
                self._open()
            except ClientGone:
                self.close()

    def explain(
        self, text: str, parameters: dict[str, str], tag: dict[str, str], deadline: float
    ) -> dict[str, Any]:
        """Return query type and operators of the plan of a query, or the server's error.

        The deadline is on the clock of `time.monotonic`. Raise ClientLate if there was no answer before it,
        ClientGone if the process ended.
        """
        return self._ask({"op": "explain", "text": text, "parameters": parameters}, tag, deadline)

    def run(
        self,
        text: str,
        parameters: dict[str, str],
        tag: dict[str, str],
        deadline: float,
        values: Values | None = None,
    ) -> dict[str, Any]:
        """Return columns and rows of a query, or the server's error; raises as `explain` does.

        With ``values`` return the number of columns and rows, and the hashes of the values.
        """
        request = {
            "op": "run",
            "text": text,
            "parameters": parameters,
            "row_cap": self._limits.row_cap,
            "byte_cap": self._limits.byte_cap,
            "values": values,
        }
        return self._ask(request, tag, deadline)

    def close(self) -> None:
        """End the process at once, and with it the connection."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None
        if self._connection:
            self._connection.close()
            self._connection = None

    def _open(self) -> None:
        self._send({"op": "open", "endpoint": asdict(self._endpoint)})

    def _ask(self, request: dict[str, Any], tag: dict[str, str], deadline: float) -> dict[str, Any]:
        self.ready()
        left = max(deadline - time.monotonic(), 0.0)
        self._send({**request, "metadata": tag, "server_timeout_s": left + SERVER_GRACE_S})
        return self._receive(deadline)

    def _send(self, request: dict[str, Any]) -> None:
        assert self._connection is not None
        try:
            self._connection.send_bytes(json.dumps(request).encode())
        except OSError as error:
            self.close()
            raise ClientGone from error

    def _receive(self, deadline: float) -> dict[str, Any]:
        assert self._connection is not None
        try:
            if not self._connection.poll(max(deadline - time.monotonic(), 0.0)):
                self.close()
                raise ClientLate
            head, _, hashes = self._connection.recv_bytes().partition(b"\n")
        except (EOFError, OSError) as error:
            self.close()
            raise ClientGone from error
        answer: dict[str, Any] = json.loads(head)
        return {**answer, "hashes": hashes} if "width" in answer else answer
