"""Writes a run, and ends it cleanly where there is no room."""

from collections.abc import Callable, Mapping
from typing import Any

from plugins.records import RunDirectory


class RunWriter:
    """Writes what a run is made of; the first failure ends the session, and nothing is written after it.

    Args:
        run: The run directory.
        end_early: Ends the session after the cases that are under way, for a reason.

    Attributes:
        failure: Why it cannot be written to; empty where it can.
    """

    def __init__(self, run: RunDirectory, end_early: Callable[[str], None]) -> None:
        self._run = run
        self._end_early = end_early
        self.failure = ""

    def record(self, line: str, messages: Mapping[str, Any]) -> bool:
        """Append a record and its messages; tell whether it is there."""
        return not self.failure and self._written(lambda: self._run.write_record(line, messages))

    def summary(self, summary: Mapping[str, Any]) -> None:
        """Write or replace the summary."""
        self._written(lambda: self._run.write_summary(summary))

    def manifest(self, manifest: Mapping[str, Any]) -> None:
        """Write or replace the manifest."""
        self._written(lambda: self._run.write_manifest(manifest))

    def attempt(self, write: Callable[[], None]) -> None:
        """Write something else into the run directory."""
        self._written(write)

    def _written(self, write: Callable[[], None]) -> bool:
        try:
            write()
        except OSError as error:
            if not self.failure:
                self.failure = f"the run cannot be written to ({error.strerror or error})"
                self._end_early(self.failure)
            return False
        return True
