"""When an API model is asked no more, known to all processes of a run."""

import hashlib
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock

from prompts.models._interface import ModelError

_FOR_GOOD = frozenset({"authentication", "unknown_model", "quota"})
_FOR_NOW = frozenset({"connection", "timeout", "server_error", "rate_limit"})
_IN_A_ROW = 3
_PROBE_EVERY_S = 60.0


@dataclass(frozen=True, slots=True)
class _Failing:
    """How a model has failed of late.

    Attributes:
        kind: As in `ModelError.kind`.
        message: Of the last failure.
        in_a_row: Requests that failed one after another, over all processes.
        at: When the last one failed, or a probe was let through; seconds since the epoch.
    """

    kind: str
    message: str
    in_a_row: int
    at: float

    @property
    def for_good(self) -> bool:
        return self.kind in _FOR_GOOD

    @property
    def probe_due(self) -> bool:
        # A clock put back must not close the door for longer.
        return not 0.0 <= time.time() - self.at < _PROBE_EVERY_S


class GivenUp:
    """Spares the requests of a run what one of them has found out: that the API cannot be asked.

    What cannot pass (a refused key, an unknown model, no quota) ends the asking for the run. Three requests
    in a row that ran out of attempts end it until the API replies to one of the probes: an attempt that
    is let through once in 60 s.

    Args:
        directory: Folder the processes of a run share; made if absent.
        name: The API's name of the model; the same name means the same state.
    """

    def __init__(self, directory: Path, name: str) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        stem = "given-up-" + hashlib.sha256(name.encode()).hexdigest()[:12]
        self._file = directory / f"{stem}.json"
        self._lock = FileLock(directory / f"{stem}.lock")
        self._reached = directory / f"{stem}.reached"
        self._was_reached = False

    @property
    def was_reached(self) -> bool:
        """Whether anyone has reached the API in this run."""
        return self._was_reached or self._reached.exists()

    def reached(self) -> None:
        """Note that the API was reached, whatever it said."""
        if not self._was_reached:
            self._reached.touch()
            self._was_reached = True

    def check(self) -> None:
        """Return if the model may be asked once; to be called before each attempt.

        Raises:
            ModelError: If it was given up on; of the kind of the failure that led to it.
        """
        failing = self._read()
        if failing is None:
            return
        if failing.for_good:
            raise ModelError(
                failing.kind,
                "Asked no more: the model was given up on for this run after a failure that cannot pass. "
                f"{failing.message}",
            )
        if failing.in_a_row >= _IN_A_ROW and not self._probe():
            raise ModelError(
                failing.kind,
                f"Asked no more: the model was given up on after {failing.in_a_row} requests in a row failed "
                f"and is tried once in {_PROBE_EVERY_S:.0f} s. {failing.message}",
            )

    def replied(self) -> None:
        """Note that the API replied, be it with a refusal of the request: failures that pass are over."""
        if self._read() is None:
            return
        with self._lock:
            failing = self._read()
            if failing is not None and not failing.for_good:
                self._file.unlink()

    def failed(self, kind: str, message: str) -> ModelError:
        """Note that a request has failed for good or ran out of attempts, and return the error to raise."""
        if kind in _FOR_GOOD | _FOR_NOW:
            with self._lock:
                before = self._read()
                if before is None or not before.for_good:
                    in_a_row = before.in_a_row + 1 if before else 1
                    self._write(_Failing(kind, message, in_a_row, time.time()))
        return ModelError(kind, message)

    def _probe(self) -> bool:
        """Return whether this process is the one to try again now."""
        with self._lock:
            failing = self._read()
            if failing is None:
                return True
            if failing.for_good or not failing.probe_due:
                return False
            self._write(_Failing(failing.kind, failing.message, failing.in_a_row, time.time()))
            return True

    def _read(self) -> _Failing | None:
        try:
            return _Failing(**json.loads(self._file.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None

    def _write(self, failing: _Failing) -> None:
        # Replaced in one step, since others read without the lock.
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps(asdict(failing)), encoding="utf-8")
        new.replace(self._file)
