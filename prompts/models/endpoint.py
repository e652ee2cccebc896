"""How an endpoint is asked: calls in flight, pauses it asks for, retries, and when to stop asking."""

import asyncio
import email.utils
import random
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from retrocypher.prompts.models.interface import ModelError


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds on one completion of an API.

    Attributes:
        timeout_s: Longest attempt, from the request to the end of the reply, in seconds.
        connect_s: Longest wait for a connection, in seconds.
        attempts: Most attempts in all.
        unreached: Most attempts at connecting to an API that was not reached in this run.
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
        # Spread out, so that calls refused together do not come back together.
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


_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_UNITS_S = (3600.0, 60.0, 1.0, 0.001)


def exhausted_s(headers: Mapping[str, str]) -> float:
    """Return the seconds until a used-up limit is reset, by ``x-ratelimit-*``; 0 where none is used up.

    The headers are those of OpenAI's API: ``remaining`` is a number, ``reset`` a duration such as ``6m0s``.
    """
    waits = [0.0]
    for kind in ("requests", "tokens"):
        if headers.get(f"x-ratelimit-remaining-{kind}", "").strip() == "0":
            found = _DURATION.fullmatch(headers.get(f"x-ratelimit-reset-{kind}", "").strip())
            parts = found.groups(default="0") if found else ()
            waits.append(sum(float(part) * unit for part, unit in zip(parts, _UNITS_S, strict=False)))
    return max(waits)


class Ticket:
    """A place in the queue of an endpoint; an urgent one is served first."""

    __slots__ = ("admitted", "urgent")

    def __init__(self, urgent: bool) -> None:
        self.urgent = urgent
        self.admitted = asyncio.get_running_loop().create_future()


class Endpoint:
    """Calls in flight at one endpoint, in one event loop.

    At most ``most`` calls are in flight. When the endpoint throttles, the limit is halved, and it grows again
    by one for each limit's worth of completions (additive increase, multiplicative decrease: Chiu and Jain,
    Computer Networks and ISDN Systems 17, 1989). A pause it asks for holds for all its calls.

    With a limit on requests or tokens a minute, calls begin at even distances (a leaky bucket). The tokens of
    a call are known at its end, and delay those that begin later.
    """

    def __init__(
        self, most: int, requests_per_minute: float | None = None, tokens_per_minute: float | None = None
    ) -> None:
        self._most = most
        self._request_s = 60.0 / requests_per_minute if requests_per_minute else 0.0
        self._token_s = 60.0 / tokens_per_minute if tokens_per_minute else 0.0
        self._limit = float(most)
        self._waiting: deque[Ticket] = deque()
        self._closed_until = self._next = 0.0
        self._halved = 0.0
        self.in_flight = 0

    @property
    def limit(self) -> int:
        """How many calls may be in flight now; at least 1."""
        return int(self._limit)

    @property
    def is_throttled(self) -> bool:
        """Whether fewer calls may be in flight than was asked for, or none at the moment."""
        return self.limit < self._most or time.monotonic() < self._closed_until

    @asynccontextmanager
    async def call(self, ticket: Ticket) -> AsyncIterator[float]:
        """Wait for a place and keep it for the block; gives the time at which the call began."""
        self._waiting.append(ticket)
        self._admit()
        try:
            await ticket.admitted
        except asyncio.CancelledError:
            if ticket.admitted.done() and not ticket.admitted.cancelled():
                self._leave()
            raise
        try:
            yield time.monotonic()
        finally:
            self._leave()

    def throttled(self, began: float, wait_s: float) -> None:
        """Halve the limit, unless it was halved after the call began, and begin no call for some seconds."""
        now = time.monotonic()
        if began >= self._halved:
            self._limit, self._halved = max(1.0, self._limit / 2), now
        self.pause(wait_s)

    def pause(self, wait_s: float) -> None:
        """Begin no call for some seconds."""
        self._closed_until = max(self._closed_until, time.monotonic() + wait_s)

    def succeeded(self, tokens: int) -> None:
        """Let the limit grow, and delay later calls for the tokens that were used."""
        self._limit = min(float(self._most), self._limit + 1.0 / self._limit)
        self._delay(tokens * self._token_s)

    def _delay(self, seconds: float) -> None:
        self._next = max(self._next, time.monotonic()) + seconds

    def _leave(self) -> None:
        self.in_flight -= 1
        self._admit()

    def _admit(self) -> None:
        while self._waiting and self.in_flight < self.limit:
            wait_s = max(self._closed_until, self._next) - time.monotonic()
            if wait_s > 0:
                asyncio.get_running_loop().call_later(wait_s, self._admit)
                return
            ticket = next((each for each in self._waiting if each.urgent), self._waiting[0])
            self._waiting.remove(ticket)
            if not ticket.admitted.cancelled():
                self.in_flight += 1
                self._delay(self._request_s)
                ticket.admitted.set_result(None)


_FOR_GOOD = frozenset({"authentication", "unknown_model", "quota"})
_FOR_NOW = frozenset({"connection", "timeout", "server_error", "rate_limit"})
_IN_A_ROW = 3
_PROBE_EVERY_S = 60.0


class CircuitBreaker:
    """Stops asking a model that cannot be asked.

    What cannot pass (a refused key, an unknown model, no quota) ends the asking for the run. Three requests
    in a row that ran out of attempts end it until the API replies to one of the probes: an attempt that
    is let through once in 60 s.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._error: ModelError | None = None
        self._in_a_row = 0
        self._tried = 0.0
        self.was_reached = False
        """Whether the API was reached in this run, whatever it said."""
        self.has_completed = False
        """Whether the model has completed a request in this run."""

    @property
    def is_open(self) -> bool:
        """Whether requests are refused without a call."""
        return self.is_final or self._in_a_row >= _IN_A_ROW

    @property
    def is_final(self) -> bool:
        """Whether the model is not asked again in this run."""
        return self._error is not None and self._error.kind in _FOR_GOOD

    def check(self) -> None:
        """Return if the model may be asked once, else raise the ModelError that led to giving up."""
        if not self.is_open:
            return
        assert self._error is not None
        if self._error.kind in _FOR_GOOD:
            raise ModelError(
                self._error.kind,
                "Not asked: this run sends the model no more requests after a permanent failure. Fix its "
                f"cause and repeat the command. {self._error}",
            )
        if self._clock() - self._tried >= _PROBE_EVERY_S:
            self._tried = self._clock()
            return
        raise ModelError(
            self._error.kind,
            f"Not asked: {self._in_a_row} requests in a row failed, so the model is tried only once in "
            f"{_PROBE_EVERY_S:.0f} s. Repeat the command later. {self._error}",
        )

    def replied(self) -> None:
        """Note that the API replied, be it with a refusal of the request: failures that pass are over."""
        if self._error is not None and self._error.kind not in _FOR_GOOD:
            self._error, self._in_a_row = None, 0

    def failed(self, kind: str, message: str) -> ModelError:
        """Note that a request has failed for good or ran out of attempts, and return the error to raise."""
        error = ModelError(kind, message)
        known = self._error is not None and self._error.kind in _FOR_GOOD
        if kind in _FOR_GOOD | _FOR_NOW and not known:
            self._error, self._tried = error, self._clock()
            self._in_a_row += 1
        return error
