"""How a run goes, told while it goes on, whatever the verbosity."""

import time
from collections.abc import Callable, Iterator

from plugins.session._rate import Rate
from plugins.summary import RunningMean
from plugins.terminal import counted, duration, usd

_STEPS = 20
_FEWEST = 50
_LONGEST_S = 60.0


class Progress:
    """Writes a line each twentieth of the way (of 50 cases or more), each minute, and at the end.

    Lines are plain, one after another: workers and CI services garble anything that is written over.

    Args:
        write: Writes one line to the terminal.
        cost: Tells what the run has cost so far in USD; None where no price is known.
        clock: Seconds of a clock that does not go back.
    """

    def __init__(
        self,
        write: Callable[[str], None],
        cost: Callable[[], float | None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._write = write
        self._cost = cost
        self._clock = clock
        self._mean = RunningMean()
        self._rate = Rate()
        self._errors = 0
        self._shown = 0
        self._shown_at: float | None = None

    def take_over(self, f1: float | None) -> None:
        """Count a case that was run before this session: done, but no part of how fast it goes.

        Args:
            f1: Its F1; None for an infrastructure error.
        """
        self._count(f1)
        self._shown += 1

    def add(self, f1: float | None, total: int) -> None:
        """Count a case that ended now.

        Args:
            f1: Its F1; None for an infrastructure error.
            total: How many cases there are.
        """
        now = self._clock()
        self._count(f1)
        self._rate.add(now)
        if self._shown_at is None:
            self._shown_at = now
        done = self._mean.count + self._errors
        late = now - self._shown_at >= _LONGEST_S
        if late or done - self._shown >= max(total / _STEPS, _FEWEST) or done == total:
            self._shown, self._shown_at = done, now
            self._write(", ".join(self._told(done, total)))

    def _count(self, f1: float | None) -> None:
        if f1 is None:
            self._errors += 1
        else:
            self._mean.add(f1)

    def _told(self, done: int, total: int) -> Iterator[str]:
        yield f"{done:,} of {counted(total, 'case')}"
        yield "mean F1 n/a" if self._mean.count == 0 else f"mean F1 {self._mean.mean:.3f}"
        if self._errors:
            yield counted(self._errors, "infrastructure error")
        if (rate := self._rate.a_second) is not None:
            yield f"{rate:.1f} cases/s" if rate >= 1 else f"{60 * rate:.1f} cases/min"
            if done < total:
                yield f"{duration((total - done) / rate)} left"
        if (cost := self._cost()) is not None:
            yield f"{usd(cost)} so far"
