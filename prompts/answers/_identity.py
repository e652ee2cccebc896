"""Who is asked: all that decides an answer besides the messages."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Identity:
    """What is asked, and how.

    Attributes:
        model: The name it is asked for by; of weights on this machine ``sha256:`` and the hash of their file.
        api: Host, port and path of its API, without user, password and query; empty on this machine.
        parameters: What is sent along that changes the answer, JSON values only.
    """

    model: str
    api: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
