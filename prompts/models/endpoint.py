"""How an endpoint is asked: calls in flight, pauses it asks for, retries, and when to stop asking."""

import asyncio
import email.utils
import random
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from retrocypher.prompts.models.interface import ModelError

NOT_ASKED = (
    "Not asked: this session sends the model no more requests. Repeat the command when the cause is gone. "
)
"""What comes before the error for which a model was given up."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Bounds on one completion of an API.

    Attributes:
        timeout_s: Longest attempt, from the request to the end of the reply, in seconds.
        connect_s: Longest wait for a connection, in seconds.
        attempts: Most attempts in all.
        first_attempts: Most attempts before the model has completed a request in this run.
        timeouts: Most attempts that may time out.
        first_wait_s: Wait before the second attempt; it doubles from one to the next.
        longest_wait_s: Longest wait of ours; also the longest ``Retry-After`` that is waited for.
    """

    timeout_s: float = 180.0
    connect_s: float = 10.0
    attempts: int = 7
    first_attempts: int = 4
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
    """A call of an endpoint: its place in the queue, and then among the calls in flight.

    Attributes:
        urgent: Whether it is served before those that are not.
        characters: Length of its messages, from which its tokens are estimated.
        admitted: Done while it is in flight.
        began: When it was admitted.
        reserved: Tokens that were estimated when it was admitted.
    """

    __slots__ = ("admitted", "began", "characters", "reserved", "urgent")

    def __init__(self, urgent: bool, characters: int = 0) -> None:
        self.urgent = urgent
        self.characters = characters
        self.admitted = asyncio.get_running_loop().create_future()
        self.began = self.reserved = 0.0


_CHARACTERS_PER_TOKEN = 4.0


class Endpoint:
    """Calls in flight at one endpoint, in one event loop.

    At most ``most`` calls are in flight. When the endpoint throttles, the limit is halved, and it grows again
    by one for each limit's worth of completions (additive increase, multiplicative decrease: Chiu and Jain,
    Computer Networks and ISDN Systems 17, 1989). A pause it asks for holds for all its calls.

    With a limit on requests or tokens a minute, calls begin at even distances (a leaky bucket). The tokens of
    a call are estimated when it begins, from its length and the tokens of the calls before it, and corrected
    when it has ended.
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
        self._tokens, self._characters = 1.0, _CHARACTERS_PER_TOKEN
        self._halved = 0.0
        self._refusals = 0
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
    async def call(self, ticket: Ticket) -> AsyncIterator[None]:
        """Wait for a place and keep it for the block."""
        try:
            await self._enter(ticket)
            yield
        finally:
            self._leave(ticket)

    async def call_again(self, ticket: Ticket) -> None:
        """Give the place of a call back and wait for another, before calls that nobody waits for."""
        self._leave(ticket)
        ticket.urgent, ticket.admitted = True, asyncio.get_running_loop().create_future()
        await self._enter(ticket)

    def throttled(self, ticket: Ticket) -> int:
        """Halve the limit, unless it was halved after the call began.

        Returns:
            How often it was halved since a call succeeded.
        """
        if ticket.began >= self._halved:
            self._limit, self._halved = max(1.0, self._limit / 2), time.monotonic()
            self._refusals += 1
        return self._refusals

    def pause(self, wait_s: float) -> None:
        """Begin no call for some seconds."""
        self._closed_until = max(self._closed_until, time.monotonic() + wait_s)

    def succeeded(self, ticket: Ticket, tokens: Mapping[str, int] | None) -> None:
        """Let the limit grow, and correct the estimate of the tokens of a call; None if they are unknown."""
        self._limit = min(float(self._most), self._limit + 1.0 / self._limit)
        self._refusals = 0
        if tokens is not None:
            used = sum(tokens.values())
            self._delay((used - ticket.reserved) * self._token_s)
            self._tokens, self._characters = self._tokens + used, self._characters + ticket.characters

    async def _enter(self, ticket: Ticket) -> None:
        self._waiting.append(ticket)
        self._admit()
        await ticket.admitted

    def _leave(self, ticket: Ticket) -> None:
        # A call that was cancelled in the queue has no place.
        if ticket.admitted.done() and not ticket.admitted.cancelled():
            self.in_flight -= 1
            self._admit()

    def _delay(self, seconds: float) -> None:
        self._next = max(self._next, time.monotonic()) + seconds

    def _admit(self) -> None:
        while self._waiting and self.in_flight < self.limit:
            now = time.monotonic()
            wait_s = max(self._closed_until, self._next) - now
            if wait_s > 0:
                asyncio.get_running_loop().call_later(wait_s, self._admit)
                return
            ticket = next((each for each in self._waiting if each.urgent), self._waiting[0])
            self._waiting.remove(ticket)
            if not ticket.admitted.cancelled():
                self.in_flight += 1
                ticket.began = now
                ticket.reserved = ticket.characters * self._tokens / self._characters
                self._delay(max(self._request_s, ticket.reserved * self._token_s))
                ticket.admitted.set_result(None)


_FOR_GOOD = frozenset({"authentication", "unknown_model", "quota"})
_FOR_NOW = frozenset({"connection", "timeout", "server_error", "rate_limit"})
_IN_A_ROW = 3


class CircuitBreaker:
    """Stops asking a model that cannot be asked, for the rest of the session.

    It opens after a failure that cannot pass (a refused key, an unknown model, no quota), and after three
    failures in a row to which the API did not reply.
    """

    def __init__(self) -> None:
        self._error: ModelError | None = None
        self._in_a_row = 0
        self._opened = asyncio.Event()
        self.has_completed = False
        """Whether the model has completed a request in this run."""

    @property
    def is_open(self) -> bool:
        """Whether requests are refused without a call."""
        return self._opened.is_set()

    def check(self) -> None:
        """Return if the model may be asked, else raise the ModelError that led to giving up."""
        if self._error is not None and self.is_open:
            raise ModelError(
                self._error.kind,
                f"{NOT_ASKED}{self._error}",
            )

    async def pause(self, seconds: float) -> None:
        """Wait, but no longer than until the model is not asked any more."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._opened.wait(), seconds)

    def replied(self) -> None:
        """Note that the API replied, be it with a refusal of the request: failures that pass are over."""
        self._in_a_row = 0

    def failed(self, kind: str, message: str, *, for_good: bool = False) -> ModelError:
        """Note a failure, and return the error to raise.

        Args:
            for_good: Whether the failure alone is enough to ask no more.
        """
        error = ModelError(kind, message)
        if self.is_open or kind not in _FOR_GOOD | _FOR_NOW:
            return error
        self._in_a_row += 1
        self._error = error
        if for_good or kind in _FOR_GOOD or self._in_a_row >= _IN_A_ROW:
            self._opened.set()
        return error
