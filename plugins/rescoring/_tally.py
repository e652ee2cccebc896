"""What scoring a run again changed."""

import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from plugins.rescoring._comparison import Comparison, Side
from plugins.scoring import METRICS
from plugins.summary import RunningMean

LARGEST = 20


@dataclass(slots=True)
class _Metric:
    before: RunningMean = field(default_factory=RunningMean)
    after: RunningMean = field(default_factory=RunningMean)
    cases: int = 0


@dataclass(slots=True)
class Tally:
    """Counts what differs between records and the same records scored again.

    Attributes:
        records: How many there are.
        unscored: How many have no scores, for an infrastructure error.
        left: Results of rounds that could not be made again.
        changed: How many differ in anything.
        parts: How many differ in each part.
        flipped: Cases that passed and fail now, or the reverse, in the order of the records.
    """

    records: int = 0
    unscored: int = 0
    left: int = 0
    changed: int = 0
    parts: Counter[str] = field(default_factory=Counter)
    flipped: list[dict[str, Any]] = field(default_factory=list)
    _passed: Counter[str] = field(default_factory=Counter)
    _metrics: dict[str, _Metric] = field(default_factory=lambda: {name: _Metric() for name in METRICS})
    _labels: dict[str, Counter[str]] = field(
        default_factory=lambda: {side: Counter() for side in ("before", "after", "gained", "lost")}
    )
    _largest: list[tuple[float, str, str, float | None, float | None]] = field(default_factory=list)

    def add(self, case: Comparison) -> None:
        """Count a record in."""
        self.records += 1
        self.unscored += not case.scored
        self.left += case.left
        self._count_sides(case.before, case.after)
        if case.parts:
            self.changed += 1
            self.parts.update(case.parts)
            self._count_changes(case)

    def to_json(self) -> dict[str, Any]:
        """Return the counts, means and largest changes, as ``retrocypher rescore --json`` prints them."""
        names = sorted({*self._labels["before"], *self._labels["after"]})
        largest = sorted(self._largest, key=lambda each: (-each[0], each[1]))
        return {
            "records": self.records,
            "rescored": self.records - self.unscored,
            "without_scores": self.unscored,
            "results_left": self.left,
            "changed": self.changed,
            "parts": dict(sorted(self.parts.items())),
            "passed": {side: self._passed[side] for side in ("before", "after")},
            "metrics": {
                name: {"before": metric.before.mean, "after": metric.after.mean, "cases": metric.cases}
                for name, metric in self._metrics.items()
            },
            "labels": {name: {side: counts[name] for side, counts in self._labels.items()} for name in names},
            "flipped": self.flipped,
            "largest": [
                {"case_id": case_id, "metric": metric, "before": before, "after": after}
                for _, case_id, metric, before, after in largest
            ],
        }

    def _count_sides(self, before: Side, after: Side) -> None:
        for side, said in (("before", before), ("after", after)):
            self._passed[side] += said.passed
            self._labels[side].update(said.labels)
            for metric, value in zip(self._metrics.values(), said.values, strict=False):
                if value is not None:
                    (metric.before if side == "before" else metric.after).add(value)

    def _count_changes(self, case: Comparison) -> None:
        self._labels["gained"].update({*case.after.labels} - {*case.before.labels})
        self._labels["lost"].update({*case.before.labels} - {*case.after.labels})
        differences = case.differences()
        for name in differences:
            self._metrics[name].cases += 1
        if case.before.passed != case.after.passed:
            before, after = (side.values[METRICS.index("f1")] for side in (case.before, case.after))
            flip = {"case_id": case.case_id, "passed": case.after.passed}
            self.flipped.append({**flip, "f1_before": before, "f1_after": after})
        if differences:
            name = max(differences, key=lambda each: _size(*differences[each]))
            before, after = differences[name]
            heapq.heappush(self._largest, (_size(before, after), case.case_id, name, before, after))
            if len(self._largest) > LARGEST:
                heapq.heappop(self._largest)


def _size(before: float | None, after: float | None) -> float:
    """How large a change is; one from or to what is not defined counts as the largest."""
    return 1.0 if before is None or after is None else abs(after - before)
