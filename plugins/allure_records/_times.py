"""When each case of a run was asked: records tell how long, not when."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from plugins.records import Record


@dataclass(frozen=True, slots=True)
class Times:
    """Spreads the ends of cases evenly, in the order of the records, from the start of a run to its end.

    Attributes:
        start: When the run began, in seconds of the epoch.
        end: When it ended.
        cases: How many records it has.
    """

    start: float
    end: float
    cases: int

    def of(self, number: int, record: Record) -> tuple[float, float]:
        """Return when a case began and ended; the time between is that of its rounds and its execution.

        Args:
            number: Its place among the records, from 0.
            record: The case's record.
        """
        stop = self.start + (self.end - self.start) * (number + 1) / self.cases
        took = sum(turn.time_s for turn in record.rounds) + (record.execution or {}).get("time_s", 0.0)
        return stop - took, stop


def times_of(records: Path, manifest: Mapping[str, Any]) -> Times:
    """Return the times of a run.

    Args:
        records: Its records.
        manifest: Its manifest. Of one without ``ended``, as of a run that was killed, the end is when the
            records were written last; so is the start of one without ``started``.
    """
    written = records.stat().st_mtime
    start, end = (_seconds(manifest.get(name), written) for name in ("started", "ended"))
    with records.open("rb") as lines:
        return Times(start, max(start, end), sum(1 for _ in lines))


def _seconds(when: str | None, otherwise: float) -> float:
    return otherwise if when is None else datetime.fromisoformat(when).timestamp()
