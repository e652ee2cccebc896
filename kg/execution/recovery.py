"""What the executors of one server share: a lock, verdicts of exclusive reruns, and the server's recovery.

Locks are ``flock`` locks on files, which the system releases when their process dies.
"""

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from msgspec import structs

from retrocypher.kg.execution.client import Client, ClientGone, ClientLate
from retrocypher.kg.execution.execution import Call, Execution, GraphUnavailable, Limits
from retrocypher.kg.server.control import restart, status
from retrocypher.kg.server.endpoint import Endpoint, ServerError

TAG = "retrocypher"
"""Key of the transaction metadata by which a session knows its own queries."""

_STOP_ALL = (
    "SHOW TRANSACTIONS YIELD transactionId AS id, metaData WHERE metaData.{tag} = $session "
    "TERMINATE TRANSACTIONS id YIELD message RETURN count(*) AS left"
)

_ANSWER_S = 15.0
"""A server that has just started, on a machine that is busy, may need some seconds for its first answer."""

_FORBIDDEN = "Neo.ClientError.Security.Forbidden"
_POLL_S = 0.1
_RESTARTS_TRIED = 2
_FOREIGN_PATIENCE_S = 20.0

_WAITS = "standstill.txt"


class ServerRecovery:
    """Terminates what is left of a session's queries and replaces a server that does not recover.

    Its methods expect that no other executor of the server has a query in flight. Restarts are counted in a
    folder that all who share the server have in common.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits, session: str, directory: Path) -> None:
        self._endpoint = endpoint
        self._limits = limits
        self._session = session
        self._restarts = directory / "restarts"
        self._restarts.touch()
        self._client = Client(endpoint, limits)
        self.notes: list[str] = []

    def restarts(self) -> int:
        """How often the server was replaced by its executors so far."""
        return self._restarts.stat().st_size

    def terminate_leftovers(self) -> None:
        """Return when the server answers and holds no query of this session any more.

        A server of ours that does not get there within ``release_s`` is replaced. A foreign one is waited for
        if it does not answer, and left with a note if it does but a stopped query still runs. Raise
        GraphUnavailable if the server cannot be had.
        """
        for _ in range(_RESTARTS_TRIED):
            seen = self._generation()
            left = self._stop_leftovers()
            if left == 0:
                return
            if not self._endpoint.owned:
                self._accept_foreign(left)
                return
            self._replace(seen)
        if self._stop_leftovers() != 0:
            raise GraphUnavailable(
                f"The server at {self._endpoint.uri} was replaced and still does not answer. "
                "See its log, and whether the machine has memory left."
            )

    def close(self) -> None:
        """Disconnect."""
        self._client.close()

    def _stop_leftovers(self) -> int | None:
        """Terminate and count what runs until nothing does or time is up; None where nobody answers."""
        statement = _STOP_ALL.format(tag=TAG)
        end = time.monotonic() + self._limits.release_s
        while True:
            try:
                deadline = time.monotonic() + _ANSWER_S
                answer = self._client.run(statement, {"session": self._session}, {}, deadline)
            except (ClientLate, ClientGone):
                return None
            if "error" in answer:
                return self._without_leave(answer["error"])
            left: int = answer["rows"][0][0]
            if left == 0 or time.monotonic() >= end:
                return left
            time.sleep(_POLL_S)

    def _without_leave(self, error: dict[str, Any]) -> int | None:
        """A foreign server may forbid its user to terminate transactions; all else is no answer."""
        if self._endpoint.owned or error["code"] != _FORBIDDEN:
            return None
        self._note(f"{self._endpoint.uri} does not let its user stop queries that ran too long.")
        return 0

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)

    def _accept_foreign(self, left: int | None) -> None:
        end = time.monotonic() + _FOREIGN_PATIENCE_S
        while left is None:
            if time.monotonic() >= end:
                raise GraphUnavailable(
                    f"The server at {self._endpoint.uri} does not answer. It was not started here, so it is "
                    "not replaced: see to it and run again."
                )
            time.sleep(1.0)
            left = self._stop_leftovers()
        if left:
            self._note(
                f"A stopped query still ran on {self._endpoint.uri} after {self._limits.release_s:g} s; "
                "later queries may be slower."
            )

    def _generation(self) -> int:
        if not self._endpoint.owned:
            return 0
        try:
            return status(self._endpoint).generation
        except ServerError as error:
            raise GraphUnavailable(str(error)) from error

    def _replace(self, seen: int) -> None:
        """Replace the server found wanting, unless somebody has: then the newer one is not to be lost too."""
        try:
            restart(self._endpoint, seen)
        except ServerError as error:
            raise GraphUnavailable(str(error)) from error
        self._client.reconnect()
        with self._restarts.open("ab") as counter:
            counter.write(b".")


@dataclass(frozen=True, slots=True)
class ExclusiveRerunStats:
    """The exclusive reruns of a session so far, and the seconds that all other queries waited for them."""

    queries: int
    seconds: float


def exclusive_rerun_stats(directory: Path) -> ExclusiveRerunStats:
    """Return the exclusive reruns of the session that shares a folder."""
    file = directory / _WAITS
    waits = [float(line) for line in file.read_text().splitlines()] if file.exists() else []
    return ExclusiveRerunStats(len(waits), sum(waits))


class Verdicts:
    """Keeps the time-limit and memory-limit verdicts of exclusive reruns, by query and limits.

    The graph is the same throughout a session, so the same text under the same limits has the same verdict.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory / "verdicts"
        self._directory.mkdir(exist_ok=True)
        self._waits = directory / _WAITS
        self._waits.touch()

    def find(self, call: Call) -> Execution | None:
        """Return the verdict on a query, None where no rerun was needed or it decided nothing."""
        try:
            return Execution(**json.loads(self._path(call).read_bytes()))
        except FileNotFoundError:
            # A complete result takes no less than its first rows.
            return self.find(replace(call, values=None)) if call.values else None

    def keep(self, call: Call, verdict: Execution) -> None:
        """Keep a verdict for the rest of the session."""
        path = self._path(call)
        # Only one executor runs alone, so only one writes; those that read never see half a file.
        unfinished = path.with_suffix(".part")
        unfinished.write_text(json.dumps(structs.asdict(verdict)))
        unfinished.replace(path)

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count what happens inside as one exclusive rerun."""
        started = time.monotonic()
        try:
            yield
        finally:
            with self._waits.open("a") as waits:
                waits.write(f"{time.monotonic() - started:.3f}\n")

    def standstill(self) -> ExclusiveRerunStats:
        """Return the exclusive reruns of all executors of the session."""
        return exclusive_rerun_stats(self._waits.parent)

    def _path(self, call: Call) -> Path:
        asked = (
            json.dumps(asdict(call.limits))
            + ("\nplan" if call.plan_only else "")
            + ("\nhashed" if call.values else "")
        )
        name = hashlib.sha256(f"{asked}\n{call.text}".encode()).hexdigest()
        return self._directory / f"{name}.json"


class SharedExclusiveLock:
    """A lock of all executors of a server, held by several at once or by one exclusively.

    Who wants it exclusively closes the turnstile first: nobody else enters until then, so that a stream of
    ordinary queries cannot keep them waiting.
    """

    def __init__(self, directory: Path) -> None:
        self._turnstile = os.open(directory / "turnstile.lock", os.O_RDWR | os.O_CREAT, 0o600)
        self._room = os.open(directory / "room.lock", os.O_RDWR | os.O_CREAT, 0o600)

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Hold the lock together with others."""
        fcntl.flock(self._turnstile, fcntl.LOCK_SH)
        try:
            fcntl.flock(self._room, fcntl.LOCK_SH)
        finally:
            fcntl.flock(self._turnstile, fcntl.LOCK_UN)
        try:
            yield
        finally:
            fcntl.flock(self._room, fcntl.LOCK_UN)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the lock alone."""
        fcntl.flock(self._turnstile, fcntl.LOCK_EX)
        try:
            fcntl.flock(self._room, fcntl.LOCK_EX)
            try:
                yield
            finally:
                fcntl.flock(self._room, fcntl.LOCK_UN)
        finally:
            fcntl.flock(self._turnstile, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the lock files."""
        os.close(self._turnstile)
        os.close(self._room)
