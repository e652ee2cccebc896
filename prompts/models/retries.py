"""Retries of API calls: waiting times, giving up on an API over all processes, calls in flight."""

import email.utils
import hashlib
import json
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from retrocypher.prompts.models.interface import ModelError


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds on one answer from an API.

    Attributes:
        timeout_s: Longest attempt, from the request to the end of the reply, in seconds.
        connect_s: Longest wait for a connection, in seconds.
        attempts: Most attempts in all.
        unreached: Most attempts at connecting to an API that nobody has reached in this run.
        timeouts: Most attempts that may time out.
        first_wait_s: Wait before the second attempt; it doubles from one to the next.
        longest_wait_s: Longest wait of ours; also the longest ``Retry-After`` that is waited for.
    """

    timeout_s: float = 180.0
    connect_s: float = 10.0
    attempts: int = 6
    unreached: int = 3
    timeouts: int = 2
    first_wait_s: float = 1.0
    longest_wait_s: float = 120.0

    def wait_s(self, attempt: int, asked_s: float | None) -> float:
        """Return the seconds to wait after a failed attempt, numbered from 1.

        What the API asked for by ``Retry-After`` (`asked_s`) lengthens the wait, never shortens it.
        """
        # Spread out, so that workers refused together do not come back together.
        ours = min(self.first_wait_s * 2.0 ** (attempt - 1), self.longest_wait_s) * random.uniform(0.75, 1.25)
        return ours if asked_s is None else max(asked_s + 0.1 * ours, ours)


RETRY_POLICY = RetryPolicy()


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds ``retry-after-ms`` or ``Retry-After`` (a number or a date, RFC 9110) asks for."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if 0.0 <= seconds < float("inf"):
            return seconds
    parsed = email.utils.parsedate_tz(headers.get("retry-after", ""))
    return None if parsed is None else max(0.0, email.utils.mktime_tz(parsed) - time.time())


_FOR_GOOD = frozenset({"authentication", "unknown_model", "quota"})
_FOR_NOW = frozenset({"connection", "timeout", "server_error", "rate_limit"})
_IN_A_ROW = 3
_PROBE_EVERY_S = 60.0


@dataclass(frozen=True, slots=True)
class _Failing:
    """How a model has failed of late; `at` is the last time or probe, in seconds since the epoch."""

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


class CircuitBreaker:
    """Spares the requests of a run what one of them has found out: that the API cannot be asked.

    What cannot pass (a refused key, an unknown model, no quota) ends the asking for the run. Three requests
    in a row that ran out of attempts end it until the API replies to one of the probes: an attempt that
    is let through once in 60 s. All processes with the same directory and name share its state.
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
        """Return if the model may be asked once, else raise the ModelError that led to giving up."""
        failing = self._read()
        if failing is None:
            return
        if failing.for_good:
            raise ModelError(
                failing.kind,
                "Not asked: this run sends the model no more requests after a permanent failure. Fix its "
                f"cause and repeat the command. {failing.message}",
            )
        if failing.in_a_row >= _IN_A_ROW and not self._probe():
            raise ModelError(
                failing.kind,
                f"Not asked: {failing.in_a_row} requests in a row failed, so the model is tried only once in "
                f"{_PROBE_EVERY_S:.0f} s. Repeat the command later. {failing.message}",
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


_POLL_S = 0.05


class Slots:
    """A fixed number of places, each a lock on a file, so a process that dies gives its place back.

    All processes with the same directory and name share the places.
    """

    def __init__(self, directory: Path, name: str, count: int) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._places = [FileLock(directory / f"{name}-{number}.lock") for number in range(count)]

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Wait for a free place and keep it for the block."""
        place = self._take()
        try:
            yield
        finally:
            place.release()

    def _take(self) -> FileLock:
        while True:
            # In random order, so that processes do not all try the same place first.
            for place in random.sample(self._places, len(self._places)):
                try:
                    place.acquire(blocking=False)
                except Timeout:
                    continue
                return place
            time.sleep(random.uniform(0.5, 1.5) * _POLL_S)
