"""How long an API is waited for and how often it is asked again."""

import email.utils
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Patience:
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
        """Return the seconds to wait after a failed attempt.

        Args:
            attempt: Number of the attempt that failed, from 1.
            asked_s: What the API asked for by ``Retry-After``; it lengthens the wait, never shortens it.
        """
        # Spread out, so that workers refused together do not come back together.
        ours = min(self.first_wait_s * 2.0 ** (attempt - 1), self.longest_wait_s) * random.uniform(0.75, 1.25)
        return ours if asked_s is None else max(asked_s + 0.1 * ours, ours)


PATIENCE = Patience()


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
