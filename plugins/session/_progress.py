"""The running mean, shown while a run goes on, whatever the verbosity."""

from collections.abc import Callable

from plugins.summary import RunningMean

_STEPS = 20
_FEWEST = 50


class Progress:
    """Writes a line each twentieth of the way, but none for fewer than 50 cases.

    Args:
        write: Writes one line to the terminal.
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._mean = RunningMean()
        self._errors = 0
        self._shown = 0

    def add(self, f1: float | None, total: int) -> None:
        """Count a case.

        Args:
            f1: Its F1; None for an infrastructure error.
            total: How many cases there are.
        """
        if f1 is None:
            self._errors += 1
        else:
            self._mean.add(f1)
        done = self._mean.count + self._errors
        if done - self._shown >= max(total / _STEPS, _FEWEST) or done == total:
            self._shown = done
            self._write(self._line(done, total))

    def _line(self, done: int, total: int) -> str:
        mean = "n/a" if self._mean.count == 0 else f"{self._mean.mean:.3f}"
        errors = f", {self._errors:,} infrastructure errors" if self._errors else ""
        return f"{done:,} of {total:,} cases, mean F1 {mean}{errors}"
