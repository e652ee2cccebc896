"""What an owner tells its supervisor, and what it hears back."""

import json
from dataclasses import asdict, dataclass, field
from typing import Literal

Kind = Literal["local", "docker"]
Fault = Literal["port", "crash", "timeout", "docker"]


@dataclass(frozen=True, slots=True)
class Plan:
    """How to run a server.

    Attributes:
        kind: A process of this machine or a container.
        directory: The supervisor's private folder (0700): control socket, logs; removed at the end.
        port: Bolt port on the loopback address.
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
