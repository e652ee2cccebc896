"""Rows that came from a fallback, counted apart from what queries returned."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plugins.summary._running import RunningMean

_METRICS = ("f1", "precision", "recall")


@dataclass(slots=True)
class Fallbacks:
    """Cases whose query brought nothing, and what the rows found instead are worth: in no other mean."""

    cases: int = 0
    with_rows: int = 0
    passed: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    means: dict[str, RunningMean] = field(default_factory=lambda: {name: RunningMean() for name in _METRICS})

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record in, where it has a fallback."""
        fallback = (record.get("execution") or {}).get("fallback")
        if fallback is None:
            return
        self.cases += 1
        self.with_rows += bool(fallback["row_count"])
        self.passed += bool(fallback["passed"])
        self.reasons[str(fallback["reason"])] += 1
        for name, mean in self.means.items():
            mean.add(fallback["scores"][name])

    def to_json(self) -> dict[str, Any]:
        """Return counts, reasons and the means over the rows of fallbacks alone."""
        return {
            "cases": self.cases,
            "with_rows": self.with_rows,
            "passed": self.passed,
            "reasons": dict(sorted(self.reasons.items())),
            "means": {name: mean.mean for name, mean in self.means.items()},
        }
