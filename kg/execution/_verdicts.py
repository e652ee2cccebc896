"""What lone runs of a session showed, so that a query is run alone once and not once a case."""

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from kg.execution._call import Call
from kg.execution._model import Execution

_WAITS = "standstill.txt"


@dataclass(frozen=True, slots=True)
class Standstill:
    """What lone runs cost a session so far.

    Attributes:
        queries: How many queries were run alone.
        seconds: How long all others were kept waiting for them, in wall-clock seconds.
    """

    queries: int
    seconds: float


def standstill_in(directory: Path) -> Standstill:
    """Sum up the lone runs of a session.

    Args:
        directory: Shared folder of the session.
    """
    file = directory / _WAITS
    waits = [float(line) for line in file.read_text().splitlines()] if file.exists() else []
    return Standstill(len(waits), sum(waits))


class Verdicts:
    """Keeps the time-limit and memory-limit verdicts of lone runs, by what was asked and under which limits.

    The graph is the same throughout a session, so the same text under the same limits has the same verdict.

    Args:
        directory: Shared folder of the session.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory / "verdicts"
        self._directory.mkdir(exist_ok=True)
        self._waits = directory / _WAITS
        self._waits.touch()

    def find(self, call: Call) -> Execution | None:
        """Return the verdict on a query, None where no lone run was needed or it settled nothing."""
        try:
            return Execution(**json.loads(self._path(call).read_bytes()))
        except FileNotFoundError:
            return None

    def keep(self, call: Call, verdict: Execution) -> None:
        """Keep a verdict for the rest of the session."""
        path = self._path(call)
        # Only one executor runs alone, so only one writes; those that read never see half a file.
        unfinished = path.with_suffix(".part")
        unfinished.write_text(json.dumps(verdict.to_json()))
        unfinished.replace(path)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count what happens inside as one lone run."""
        started = time.monotonic()
        try:
            yield
        finally:
            with self._waits.open("a") as waits:
                waits.write(f"{time.monotonic() - started:.3f}\n")

    def standstill(self) -> Standstill:
        """Sum up the lone runs of all executors of the session."""
        return standstill_in(self._waits.parent)

    def _path(self, call: Call) -> Path:
        asked = json.dumps(asdict(call.limits)) + ("\nplan" if call.plan_only else "")
        name = hashlib.sha256(f"{asked}\n{call.text}".encode()).hexdigest()
        return self._directory / f"{name}.json"
