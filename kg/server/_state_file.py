"""The file that describes the server left running."""

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kg.paths import cache_dir
from kg.server._endpoint import Endpoint

SCHEMA_VERSION = 1


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

    @property
    def control(self) -> Path:
        """The supervisor's control socket."""
        return Path(self.endpoint.control or "")

    def to_json(self) -> dict[str, Any]:
        """Return plain values, the password among them: for the state file alone."""
        return {
            "schema_version": SCHEMA_VERSION,
            "endpoint": self.endpoint.to_json(),
            "graph_fingerprint": self.graph_fingerprint,
            "graph": self.graph,
        }


def state_file() -> Path:
    """Return where a server left running is described; readable by its owner only."""
    return cache_dir() / "up.json"


def read_state(announce: Callable[[str], None]) -> Background | None:
    """Return what the state file says; one that cannot be read is removed, and a line says so."""
    try:
        return _parsed(state_file().read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        forget_state()
        announce(
            f"{state_file()} is damaged or of another version and was removed. If the server that it "
            "described still runs, end its process (kg.server._supervisor)."
        )
        return None


def write_state(made: Background) -> None:
    """Write the state file, whole or not at all."""
    pending = state_file().with_suffix(".new")
    pending.unlink(missing_ok=True)
    with os.fdopen(os.open(pending, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        json.dump(made.to_json(), file)
    pending.replace(state_file())


def forget_state() -> None:
    """Remove the state file if it is there."""
    with contextlib.suppress(OSError):
        state_file().unlink()


def _parsed(text: bytes) -> Background:
    value = json.loads(text)
    if value["schema_version"] != SCHEMA_VERSION:
        raise ValueError("another version")
    endpoint = Endpoint.from_json(value["endpoint"])
    if not all(isinstance(part, str) for part in (endpoint.uri, endpoint.password, endpoint.control)):
        raise ValueError("not an endpoint of ours")
    return Background(endpoint, str(value["graph_fingerprint"]), str(value["graph"]))
