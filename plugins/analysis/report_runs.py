"""Reads runs for a report, in one pass over their records, without keeping the records."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import name_of
from retrocypher.kg.questions.question import task_place
from retrocypher.plugins.analysis.ledger import Ledger, LoopEntry
from retrocypher.plugins.analysis.model_results import ModelResult, ModelResults
from retrocypher.plugins.analysis.scores import ScoreTable
from retrocypher.plugins.analysis.summary import Series, Summary
from retrocypher.plugins.formatting.text import shortened
from retrocypher.plugins.judge.agreement import Rating, ratings_of
from retrocypher.plugins.runs.files import QUESTIONS
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import KEY_METRICS, SCORE_METRICS, Record

_CHARACTERS = 180
_KEPT = 10


class CaseEntry(Struct, frozen=True):
    """A case in a list of cases."""

    id: str
    question_id: str
    text: str
    """The question as asked, cut if it is long."""
    task: str
    prompt: str
    shot: str
    loop: str
    model: str
    status: str
    """Status of the execution, or ``not run``."""
    label: str
    """The primary error label without its detail; empty if there is none."""
    f1: float | None
    """F1; None without scores."""
    failed: bool
    """Whether it was scored and did not pass."""
    error: str | None
    """Why it was not run, in words; None if it was."""
    reason: str
    """The message of that error, cut if it is long."""
    model_s: float
    """Seconds of the calls of models; for a cached completion, those of the original call."""
    query_s: float
    tokens: int
    cost: float | None
    """USD of all calls by list price; None if unknown."""

    @property
    def place(self) -> tuple[Any, ...]:
        """Its sort key in a list: by task, question, prompt, shot, loop and model."""
        rest = (self.question_id, self.prompt, self.shot, self.loop, self.model, self.id)
        return (task_place(self.task), *rest)


def case_entry(record: Record) -> CaseEntry:
    """Return the entry of a record."""
    costs = [turn.cost for turn in record.rounds if turn.cost is not None]
    execution = record.execution
    # The section on the judge covers cases whose judge could not be asked.
    error = record.fault
    return CaseEntry(
        id=record.case_id,
        question_id=record.question_id,
        text=shortened(record.question, _CHARACTERS),
        task=record.task,
        prompt=record.prompt,
        shot=record.shot,
        loop=record.loop,
        model=record.model,
        status=execution.status if execution else "not run",
        label=name_of(record.errors[0]) if record.errors else "",
        f1=record.scores.f1 if record.scores else None,
        failed=error is None and not record.passed,
        error=f"{error.stage} {error.kind}" if error else None,
        reason=shortened(error.message, _CHARACTERS) if error else "",
        model_s=sum(turn.time_s for turn in record.rounds if turn.messages_sha256),
        query_s=execution.time_s if execution else 0.0,
        tokens=sum(turn.token_count for turn in record.rounds),
        cost=sum(costs) if costs else None,
    )


_CASE_COSTS: dict[str, Callable[[CaseEntry], float]] = {
    "query_s": lambda case: case.query_s,
    "model_s": lambda case: case.model_s,
    "tokens": lambda case: case.tokens,
    "cost": lambda case: case.cost or 0.0,
}


class TopK:
    """Keeps, for each measure, the ten cases that took most seconds, tokens or money."""

    def __init__(self) -> None:
        self._kept: dict[str, list[tuple[float, str, CaseEntry]]] = {name: [] for name in _CASE_COSTS}

    def add(self, case: CaseEntry) -> None:
        """Take a case into account."""
        for name, measure in _CASE_COSTS.items():
            value = measure(case)
            if value <= 0:
                continue
            heapq.heappush(self._kept[name], (value, case.id, case))
            if len(self._kept[name]) > _KEPT:
                heapq.heappop(self._kept[name])

    def most(self, measure: str) -> list[CaseEntry]:
        """Return the cases that took most of ``query_s``, ``model_s``, ``tokens`` or ``cost``."""
        return [case for _, _, case in sorted(self._kept[measure], key=lambda each: (-each[0], each[1]))]

    def all(self) -> dict[str, CaseEntry]:
        """Return all these cases, by their id."""
        return {case.id: case for name in _CASE_COSTS for case in self.most(name)}


class ErrorGroup(Struct, frozen=True):
    """Cases that were not run because of the same kind of error."""

    error: str
    cases: int
    example: CaseEntry
    """The first of them."""


class ReportRun(Struct, frozen=True, kw_only=True):
    """One run of a report."""

    name: str
    log: RunLog
    lacks: str
    """What it lacks, in a few words; empty if it is complete."""
    summary: Summary
    table: ScoreTable
    ledger: Sequence[LoopEntry]
    """What loops repaired and broke."""
    failed: Sequence[CaseEntry]
    not_run: Sequence[CaseEntry]
    """The cases that were not run because of an infrastructure error."""
    costly: TopK
    ratings: Sequence[Rating]
    results: Sequence[ModelResult]
    """Models and loops with their costs."""
    cases: Sequence[str]
    """The ids of all cases, in the order of the records."""

    @property
    def series(self) -> list[Series]:
        """Models and loops, in the order of the run's options."""
        return self.summary.series(self.log.facts.models, self.log.facts.loops)

    @property
    def error_groups(self) -> list[ErrorGroup]:
        """The cases that were not run by kind of error, the most frequent first."""
        groups: dict[str, list[CaseEntry]] = {}
        for case in self.not_run:
            groups.setdefault(str(case.error), []).append(case)
        ordered = sorted(groups.items(), key=lambda each: (-len(each[1]), each[0]))
        return [ErrorGroup(error, len(cases), cases[0]) for error, cases in ordered]


def read_report_run(log: RunLog, name: str) -> ReportRun:
    """Read a run; raise InputError if it cannot be read, or a case occurs twice."""
    # Without the questions, each question is a cluster of its own.
    clusters = log.clusters if (log.path / QUESTIONS).is_file() else {}
    summary, ledger, costly = Summary(), Ledger(clusters), TopK()
    results = ModelResults()
    failed: list[CaseEntry] = []
    not_run: list[CaseEntry] = []
    ratings: list[Rating] = []
    seen: dict[str, None] = {}

    def counted_records() -> Iterator[Record]:
        for record in log.records():
            if record.case_id in seen:
                raise InputError(
                    f"{log}: the case {record.case_id} occurs twice; a report needs each case once"
                )
            seen[record.case_id] = None
            summary.add(record)
            ledger.add(record)
            ratings.extend(ratings_of(record, clusters))
            results.add(record, clusters.get(record.question_id, record.question_id), log.manifest)
            case = case_entry(record)
            if case.error is not None:
                not_run.append(case)
            else:
                costly.add(case)
                if case.failed:
                    failed.append(case)
            yield record

    table = ScoreTable(counted_records(), clusters, (*SCORE_METRICS, *KEY_METRICS))
    if not seen:
        raise InputError(f"{log}: no case on record; run some first")
    return ReportRun(
        name=name,
        log=log,
        lacks=log.facts.lacks(len(seen)),
        summary=summary,
        table=table,
        ledger=ledger.entries(log.facts.models, log.facts.loops),
        failed=sorted(failed, key=lambda case: case.place),
        not_run=sorted(not_run, key=lambda case: case.place),
        costly=costly,
        ratings=ratings,
        results=results.results(name),
        cases=tuple(seen),
    )


def read_report_runs(paths: Iterable[Path]) -> list[ReportRun]:
    """Read runs, in the order given. Raises as `read_report_run` and `names_of`."""
    folders = list(paths)
    return [
        read_report_run(RunLog(path), name) for path, name in zip(folders, names_of(folders), strict=True)
    ]


def names_of(paths: Sequence[Path]) -> list[str]:
    """Return the names of runs: the ends of their paths, as long as needed to differ.

    Raises InputError if a run is named twice.
    """
    full = [path.resolve() for path in paths]
    for path in full:
        if full.count(path) > 1:
            raise InputError(f"{path} is named twice; a report needs each run once")
    for depth in range(1, max(len(path.parts) for path in full) + 1):
        names = ["/".join(path.parts[-depth:]) for path in full]
        if len({*names}) == len(names):
            break
    return names
