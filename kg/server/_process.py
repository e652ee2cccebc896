"""The server as a process of this machine, seen from its supervisor."""

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

from kg.server._plan import Plan, StartError

LAST_LINES = 15
STARTED = b"Started."
PR_SET_PDEATHSIG = 1


class LocalServer:
    """One Java process after another, on the same port and store.

    Args:
        plan: The plan; its ``command`` is run.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._log = Path(plan.directory) / "console.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process's id while it runs."""
        return self._process.pid if self._process and self.alive() else None

    def start(self) -> None:
        """Start the process; `ready` tells when it answers.

        Must be called from the supervisor's main thread: Linux ends the process with the *thread* that
        started it.
        """
        supervisor = os.getpid()
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self._plan.command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._plan.directory,
                preexec_fn=lambda: _die_with(supervisor),
            )

    def ready(self) -> bool:
        """Return whether the server answers.

        Raises:
            StartError: It has ended.
        """
        if not self.alive():
            text = self._log.read_text(errors="replace")
            if "already in use" in text:
                raise StartError("port", f"Port {self._plan.port} is taken.")
            raise StartError("crash", self.evidence())
        return STARTED in self._log.read_bytes()

    def alive(self) -> bool:
        """Return whether the process runs."""
        return self._process is not None and self._process.poll() is None

    def evidence(self) -> str:
        """Return the last lines that the server printed."""
        return "\n".join(self._log.read_text(errors="replace").splitlines()[-LAST_LINES:])

    def kill(self) -> None:
        """End the process at once; Neo4j recovers its store at the next start."""
        if self._process:
            self._process.kill()
            self._process.wait()

    def stop(self) -> None:
        """Ask the server to close its store and end; after a minute it is killed."""
        if self._process and self.alive():
            self._process.terminate()
            try:
                self._process.wait(60)
            except subprocess.TimeoutExpired:
                self.kill()

    def remove(self) -> None:
        """End the process; its files go with the supervisor's folder."""
        self.kill()


def _die_with(parent: int) -> None:
    """Ask Linux to kill this process when its parent ends, however it ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
