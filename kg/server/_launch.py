"""Starting a supervisor and letting go of it."""

import contextlib
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from kg.server._control import ask, socket_path
from kg.server._plan import Plan, StartError
from kg.server._private import LOG

END_TIMEOUT_S = 30.0


@dataclass(slots=True)
class Supervised:
    """A supervisor that this process owns.

    Attributes:
        process: The supervisor; its input is held open for as long as the server is wanted.
        directory: Its private folder.
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
        self._wait()

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

    def _wait(self) -> None:
        try:
            self.process.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            # Its server ends with it.
            self.process.kill()
            self.process.wait()


def launch(plan: Plan) -> Supervised:
    """Start a supervisor and wait until its server answers.

    Raises:
        StartError: The server did not start.
    """
    directory = Path(plan.directory)
    with (directory / LOG).open("w") as log:
        process = subprocess.Popen(
            # -P: the current folder's files are no modules of ours.
            [sys.executable, "-P", "-m", "kg.server._supervisor"],
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
            raise StartError("crash", said or "The supervisor ended without a word.")
        event = json.loads(line)
        if event["event"] == "failed":
            raise StartError(event["fault"], event["message"])
    except BaseException:
        supervised.end()
        raise
    return supervised
