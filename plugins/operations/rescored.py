"""One record scored and labelled again."""

import heapq
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.analysis.group import RunningMean
from retrocypher.plugins.runs.graph_calls import Call, calls_of
from retrocypher.plugins.runs.record import METRICS
from retrocypher.plugins.scoring.assessor import Assessor

_RESULT = "result"


class Again(NamedTuple):
    """A record that was scored again.

    Attributes:
        record: The record.
        left: How many ``result``s of its rounds could not be made again, for their rows are not on record.
    """

    record: dict[str, Any]
    left: int = 0


def scored_again(record: dict[str, Any], question: Question, assessor: Assessor) -> Again:
    """Return a record with scores, labels and ``passed`` as they are made now.

    What a loop did, what came of queries and what answers cost stays. A record without scores, that of an
    infrastructure error, is returned as it is.

    Args:
        record: A record as in ``records.jsonl``; it is not changed.
        question: Its question, in any wording.
        assessor: Makes the scores.

    Raises:
        GraphError: The tables of Cypher's grammar cannot be had.
    """
    execution = record["execution"]
    if record["scores"] is None or execution is None:
        return Again(record)
    found = assessor.case(question, record["cypher"], execution)
    again = {**record, "scores": found.scores, "errors": found.labels, "passed": found.passed}
    if execution.get("fallback") is not None:
        again["execution"] = {**execution, "fallback": assessor.fallback(question, execution["fallback"])}
    rounds, left = _rounds(record, question, assessor)
    return Again({**again, "rounds": rounds}, left)


def _rounds(
    record: Mapping[str, Any], question: Question, assessor: Assessor
) -> tuple[list[dict[str, Any]], int]:
    """The rounds with their queries' ``result``s, and how many of those stay as they are."""
    findings_of_all = (each for turn in record["rounds"] for each in turn["findings"])
    if not any(_tells_result(each) for each in findings_of_all):
        return record["rounds"], 0
    executions: dict[Call, Execution] = dict(calls_of(record))
    rounds, left = [], 0
    for turn in record["rounds"]:
        cypher, findings = turn["cypher"], []
        for each in turn["findings"]:
            if _tells_result(each):
                execution = _execution(cypher, executions)
                left += execution is None
                if execution is not None:
                    each = {_RESULT: assessor.query(question, cypher, execution.to_json())}
            findings.append(each)
        rounds.append({**turn, "findings": findings})
    return rounds, left


def _tells_result(finding: Any) -> bool:
    return isinstance(finding, dict) and _RESULT in finding


def _execution(cypher: str | None, executions: Mapping[Call, Execution]) -> Execution | None:
    if cypher is None or not cypher.strip():
        return Execution("no_query")
    return executions.get(Call("run", cypher))


Values = tuple[float | None, ...]
"""The scores of a case, in the order of ``METRICS``; None where one is not defined."""


@dataclass(frozen=True, slots=True)
class Side:
    """What a record says.

    Attributes:
        values: Its scores; empty where it has none.
        labels: Its ``errors``.
        passed: Whether the case passed.
    """

    values: Values
    labels: tuple[str, ...]
    passed: bool


@dataclass(frozen=True, slots=True)
class Comparison:
    """A record before and after it was scored again.

    Attributes:
        case_id: Its case.
        before: What it said.
        after: What it says now.
        parts: What differs: ``scores``, ``errors``, ``passed``, ``fallback``, ``rounds``.
        left: How many ``result``s of its rounds could not be made again.
    """

    case_id: str
    before: Side
    after: Side
    parts: tuple[str, ...]
    left: int

    @property
    def scored(self) -> bool:
        """Whether the case has scores at all."""
        return bool(self.before.values)

    def differences(self) -> dict[str, tuple[float | None, float | None]]:
        """Return the scores that differ, before and after, by metric."""
        sides = zip(METRICS, self.before.values, self.after.values, strict=True)
        return {name: (before, after) for name, before, after in sides if before != after}


def compared(record: Mapping[str, Any], again: Again) -> Comparison:
    """Return what became of a record.

    Args:
        record: The record.
        again: The same, scored again.
    """
    now = again.record
    parts = [name for name in ("scores", "errors", "passed") if record[name] != now[name]]
    if _fallback(record) != _fallback(now):
        parts.append("fallback")
    if record["rounds"] != now["rounds"]:
        parts.append("rounds")
    before = _side(record)
    return Comparison(record["case_id"], before, _side(now) if parts else before, tuple(parts), again.left)


def _fallback(record: Mapping[str, Any]) -> Any:
    return (record["execution"] or {}).get("fallback")


def _side(record: Mapping[str, Any]) -> Side:
    scores = record["scores"]
    values = () if scores is None else tuple(scores.get(name) for name in METRICS)
    return Side(values, tuple(record["errors"]), record["passed"])


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
