"""Rescores one record, and counts what changes over many."""

import heapq
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Question, paraphrase
from retrocypher.plugins.analysis.group import RunningMean
from retrocypher.plugins.runs.log import RecordLine
from retrocypher.plugins.runs.record import SCORE_METRICS, Fallback, JsonValue, Record, Round, fields_of
from retrocypher.plugins.runs.replay import Call, calls_of
from retrocypher.plugins.scoring.abstention import CaseAssessor

_RESULT = "result"


class Rescored(NamedTuple):
    """A record that was rescored."""

    record: Record
    parts: tuple[str, ...] = ()
    """What differs: ``scores``, ``errors``, ``passed``, ``fallback``, ``rounds``."""
    left: int = 0
    """Number of results of rounds that could not be rescored, because their rows are not on record."""


def rescored(record: Record, question: Question, assessor: CaseAssessor) -> Rescored:
    """Return a record with scores, labels, ``passed`` and explanation computed again.

    What a loop did, the results of queries, and costs stay. A record without scores, that of an
    infrastructure error, is returned as it is.

    Args:
        question: Its question, in any paraphrase.
    """
    execution = record.execution
    if record.scores is None or execution is None:
        return Rescored(record)
    found = assessor.case(question, record.cypher, execution)
    # These need the graph.
    found.scores.ex, found.scores.psjs = record.scores.ex, record.scores.psjs
    if execution.fallback is not UNSET:
        fallback = assessor.fallback(question, fields_of(execution.fallback))
        execution = replace(execution, fallback=fallback)
    rounds, left = _rounds(record, question, assessor)
    again = replace(
        record,
        scores=found.scores,
        errors=found.labels,
        passed=found.passed,
        execution=execution,
        rounds=rounds,
    )
    parts = [name for name in ("scores", "errors", "passed") if getattr(record, name) != getattr(again, name)]
    parts += ["fallback"] if _fallback(record) != _fallback(again) else []
    parts += ["rounds"] if record.rounds != rounds else []
    if parts or record.explanation is not UNSET:
        again.explanation = assessor.explain(again, paraphrase(question, record.phrasing), found.finding)
    return Rescored(again, tuple(parts), left)


def rewritten(line: RecordLine, again: Rescored) -> dict[str, JsonValue]:
    """Return the JSON object of a rescored record; fields that this version does not know stay."""
    record, value = again.record, dict(line.value)
    for name in ("scores", "errors", "passed"):
        if name in again.parts:
            value[name] = getattr(record, name)
    if "fallback" in again.parts:
        value["execution"] = {**value["execution"], "fallback": _fallback(record)}
    if "rounds" in again.parts:
        value["rounds"] = [
            {**old, "findings": new.findings} for old, new in zip(value["rounds"], record.rounds, strict=True)
        ]
    value.pop("explanation", None)
    if record.explanation is not UNSET:
        value["explanation"] = record.explanation
    return value


def _fallback(record: Record) -> Fallback | UnsetType:
    return record.execution.fallback if record.execution else UNSET


def _rounds(record: Record, question: Question, assessor: CaseAssessor) -> tuple[list[Round], int]:
    """Return the rounds with their ``result``s rescored, and how many of those could not be."""
    if not any(_has_result(each) for turn in record.rounds for each in turn.findings):
        return record.rounds, 0
    executions: dict[Call, Execution] = dict(calls_of(record))
    rounds, left = [], 0
    for turn in record.rounds:
        findings = []
        for each in turn.findings:
            if _has_result(each):
                execution = _execution(turn.cypher, executions)
                left += execution is None
                if execution is not None:
                    each = {_RESULT: fields_of(assessor.query(question, turn.cypher, execution))}
            findings.append(each)
        rounds.append(replace(turn, findings=findings))
    return rounds, left


def _has_result(finding: JsonValue) -> bool:
    return isinstance(finding, dict) and _RESULT in finding


def _execution(cypher: str | None, executions: Mapping[Call, Execution]) -> Execution | None:
    if cypher is None or not cypher.strip():
        return Execution("no_query")
    return executions.get(Call("run", cypher))


class CaseState(Struct, frozen=True):
    """Scores, labels and outcome of a case."""

    values: tuple[float | None, ...]
    """The scores in the order of `SCORE_METRICS`; empty if the case has none."""
    labels: tuple[str, ...]
    passed: bool


def state_of(record: Record) -> CaseState:
    """Return scores, labels and outcome of a record."""
    scores = record.scores
    values = () if scores is None else tuple(scores.value(name) for name in SCORE_METRICS)
    return CaseState(values, tuple(record.errors), record.passed)


class CaseChange(Struct, frozen=True):
    """A case before and after it was rescored."""

    case_id: str
    before: CaseState
    after: CaseState
    parts: tuple[str, ...]
    left: int

    def differences(self) -> dict[str, tuple[float | None, float | None]]:
        """Return the scores that differ, before and after, by metric."""
        pairs = zip(SCORE_METRICS, self.before.values, self.after.values, strict=True)
        return {name: (before, after) for name, before, after in pairs if before != after}


class Flip(Struct, frozen=True):
    """A case that passes or fails now, and did not before."""

    case_id: str
    passed: bool
    f1_before: float
    f1_after: float


class LargestChange(Struct, frozen=True):
    """The score of a case that changed most."""

    case_id: str
    metric: str
    before: float | None
    after: float | None


class MetricChange(Struct, frozen=True):
    """The mean of a score, before and after."""

    before: float | None
    after: float | None
    cases: int
    """Number of cases whose score differs."""


LARGEST = 20


@dataclass(slots=True)
class _Metric:
    before: RunningMean = field(default_factory=RunningMean)
    after: RunningMean = field(default_factory=RunningMean)
    cases: int = 0


class Tally:
    """Counts what differs between records and the same records rescored."""

    def __init__(self) -> None:
        self.records = 0
        self.unscored = 0
        self.left = 0
        """Number of results of rounds that could not be rescored."""
        self.changed = 0
        self.parts: Counter[str] = Counter()
        self.flipped: list[Flip] = []
        """Cases that pass or fail now and did not before, in the order of the records."""
        self.passed: dict[str, int] = {"before": 0, "after": 0}
        self._metrics = {name: _Metric() for name in SCORE_METRICS}
        self._labels: dict[str, Counter[str]] = {
            side: Counter() for side in ("before", "after", "gained", "lost")
        }
        self._largest: list[tuple[float, str, str, float | None, float | None]] = []

    def add(self, case: CaseChange) -> None:
        """Add a record."""
        self.records += 1
        self.unscored += not case.before.values
        self.left += case.left
        for side, state in (("before", case.before), ("after", case.after)):
            self.passed[side] += state.passed
            self._labels[side].update(state.labels)
            for metric, value in zip(self._metrics.values(), state.values, strict=False):
                if value is not None:
                    (metric.before if side == "before" else metric.after).add(value)
        if case.parts:
            self.changed += 1
            self.parts.update(case.parts)
            self._count_changes(case)

    @property
    def metrics(self) -> dict[str, MetricChange]:
        """The mean of each score, before and after."""
        return {
            name: MetricChange(each.before.mean, each.after.mean, each.cases)
            for name, each in self._metrics.items()
        }

    @property
    def labels(self) -> dict[str, dict[str, int]]:
        """Number of cases by label: with it ``before`` and ``after``, and that ``gained`` and ``lost`` it."""
        names = sorted({*self._labels["before"], *self._labels["after"]})
        return {name: {side: counts[name] for side, counts in self._labels.items()} for name in names}

    @property
    def largest(self) -> list[LargestChange]:
        """The largest changes of a score, largest first."""
        ordered = sorted(self._largest, key=lambda each: (-each[0], each[1]))
        return [LargestChange(case, metric, before, after) for _, case, metric, before, after in ordered]

    def _count_changes(self, case: CaseChange) -> None:
        self._labels["gained"].update({*case.after.labels} - {*case.before.labels})
        self._labels["lost"].update({*case.before.labels} - {*case.after.labels})
        differences = case.differences()
        for name in differences:
            self._metrics[name].cases += 1
        if case.before.passed != case.after.passed:
            before, after = (
                state.values[SCORE_METRICS.index("f1")] or 0.0 for state in (case.before, case.after)
            )
            self.flipped.append(Flip(case.case_id, case.after.passed, before, after))
        if differences:
            name = max(differences, key=lambda each: _size(*differences[each]))
            values = differences[name]
            heapq.heappush(self._largest, (_size(*values), case.case_id, name, *values))
            if len(self._largest) > LARGEST:
                heapq.heappop(self._largest)


def _size(before: float | None, after: float | None) -> float:
    """Return the size of a change; one from or to an undefined score counts as the largest."""
    return 1.0 if before is None or after is None else abs(after - before)
