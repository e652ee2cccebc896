"""A run as the page needs it: read once, from its records, without keeping them."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retrocypher.kg.errors import InputError
from retrocypher.kg.labels.error_labels import name_of
from retrocypher.kg.questions.question import TASKS
from retrocypher.plugins.analysis.ledger import Ledger
from retrocypher.plugins.analysis.score_table import ScoreTable
from retrocypher.plugins.analysis.summary import Summary
from retrocypher.plugins.judge.agreement import Opinion, opinions_of
from retrocypher.plugins.reporting.run_tables import in_order
from retrocypher.plugins.runs.log import RunFacts, read_facts, read_manifest, read_records, read_targets
from retrocypher.plugins.runs.record import was_run

_TEXT = 180


@dataclass(frozen=True, slots=True)
class Case:
    """One case in a list.

    Attributes:
        id: The case id.
        question_id: The question that was asked.
        text: How it was asked, cut where it is long.
        task: Its task.
        prompt: The prompt.
        shot: The shot.
        loop: The loop.
        model: The model's label.
        status: What came of the query.
        labels: Error labels with their details, the primary one first.
        f1: The score; None where there is none.
        failed: Whether it was scored and did not pass.
        trouble: Why it was not run, in words; None where it was.
        reason: What was said of it, cut where it is long; empty where there is none.
        model_s: Seconds that the calls of models took, now or when their answers were first had.
        query_s: Seconds that the scored query took.
        tokens: Tokens of all calls.
        cost: USD of all calls by list price; None where not known.
    """

    id: str
    question_id: str
    text: str
    task: str
    prompt: str
    shot: str
    loop: str
    model: str
    status: str
    labels: tuple[str, ...]
    f1: float | None
    failed: bool
    trouble: str | None
    reason: str
    model_s: float
    query_s: float
    tokens: int
    cost: float | None

    @property
    def label(self) -> str:
        """The primary label without its detail; empty where there is none."""
        return name_of(self.labels[0]) if self.labels else ""

    @property
    def place(self) -> tuple[Any, ...]:
        """Where it stands in a list: by task, question, and what it was asked with."""
        return (
            task_place(self.task),
            self.question_id,
            self.prompt,
            self.shot,
            self.loop,
            self.model,
            self.id,
        )


def case_of(record: Mapping[str, Any]) -> Case:
    """Return what a list says of a record."""
    rounds = record.get("rounds") or []
    costs = [turn["cost"] for turn in rounds if turn.get("cost") is not None]
    execution = record.get("execution") or {}
    # Of a case whose judge could not be asked, the section on the judge tells.
    error = None if was_run(record) else record["infrastructure_error"]
    return Case(
        id=str(record["case_id"]),
        question_id=str(record["question_id"]),
        text=shortened(str(record["question"]), _TEXT),
        task=str(record["task"]),
        prompt=str(record["prompt"]),
        shot=str(record["shot"]),
        loop=str(record["loop"]),
        model=str(record["model"]),
        status=str(execution.get("status") or "not run"),
        labels=tuple(map(str, record.get("errors") or ())),
        f1=(record.get("scores") or {}).get("f1"),
        failed=error is None and not record.get("passed"),
        trouble=None if error is None else " ".join(str(error.get(key)) for key in ("stage", "kind")),
        reason=shortened(str((error or {}).get("message") or ""), _TEXT),
        model_s=sum(float(turn.get("time_s") or 0) for turn in rounds if turn.get("messages_sha256")),
        query_s=float(execution.get("time_s") or 0),
        tokens=sum(sum((turn.get("tokens") or {}).values()) for turn in rounds),
        cost=sum(costs) if costs else None,
    )


def task_place(task: str) -> int:
    """Return where a task stands among the tasks; one that is not known comes last."""
    return TASKS.index(task) if task in TASKS else len(TASKS)


def shortened(text: str, length: int) -> str:
    """Return a text, cut where it is longer than ``length`` characters."""
    return text if len(text) <= length else f"{text[: length - 1]}…"


SHOWN = 10
_MEASURES: dict[str, Callable[[Case], float]] = {
    "query_s": lambda case: case.query_s,
    "model_s": lambda case: case.model_s,
    "tokens": lambda case: case.tokens,
    "cost": lambda case: case.cost or 0.0,
}


class Costly:
    """Keeps the cases that took the most seconds, tokens and money of those added."""

    def __init__(self) -> None:
        self._kept: dict[str, list[tuple[float, str, Case]]] = {name: [] for name in _MEASURES}

    def add(self, case: Case) -> None:
        """Look at a case."""
        for name, measure in _MEASURES.items():
            value = measure(case)
            if value <= 0:
                continue
            heap = self._kept[name]
            heapq.heappush(heap, (value, case.id, case))
            if len(heap) > SHOWN:
                heapq.heappop(heap)

    def most(self, measure: str) -> list[Case]:
        """Return the cases that took most, the first most of all; empty where nothing was measured.

        Args:
            measure: ``query_s``, ``model_s``, ``tokens`` or ``cost``.
        """
        return [case for _, _, case in sorted(self._kept[measure], key=lambda each: (-each[0], each[1]))]

    def all(self) -> dict[str, Case]:
        """Return all that are kept, by their id."""
        return {case.id: case for name in _MEASURES for case in self.most(name)}


Series = tuple[str, str]
"""Model and loop."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run.

    Attributes:
        name: What the page calls it.
        path: Its folder.
        manifest: Its manifest; empty where there is none.
        facts: What it says of itself.
        lacks: What it lacks, in a few words; empty where it is whole.
        summary: What ``summary.json`` would hold, from the records.
        table: Its scores.
        targets: By question id, the molecule that it clusters by.
        ledger: What loops repaired and broke.
        failed: The cases that failed.
        not_run: The cases that a fault kept from being run.
        costly: The cases that took most.
        opinions: What a judge said of its cases.
        cases: The ids of all cases, in the order of the records.
    """

    name: str
    path: Path
    manifest: Mapping[str, Any]
    facts: RunFacts
    lacks: str
    summary: Mapping[str, Any]
    table: ScoreTable
    targets: Mapping[str, str]
    ledger: Sequence[Mapping[str, Any]]
    failed: Sequence[Case]
    not_run: Sequence[Case]
    costly: Costly
    opinions: Sequence[Opinion]
    cases: Sequence[str]

    @property
    def series(self) -> list[Series]:
        """Models and loops, in the order they were asked for."""
        cells = in_order(self.summary["cells"], self.facts.models, self.facts.loops)
        return list(dict.fromkeys((cell["model"], cell["loop"]) for cell in cells))


def read_run(path: Path, name: str) -> Run:
    """Read a run.

    Args:
        path: The run directory.
        name: What the page calls it.

    Raises:
        InputError: If the folder has no records, a line of it cannot be read, or a case comes twice.
    """
    targets = _targets(path)
    summary, ledger, costly = Summary(), Ledger(targets), Costly()
    failed: list[Case] = []
    not_run: list[Case] = []
    opinions: list[Opinion] = []
    seen: dict[str, None] = {}

    def passing() -> Iterator[dict[str, Any]]:
        for record in read_records(path):
            case = case_of(record)
            if case.id in seen:
                raise InputError(f"{path}: holds the case {case.id} twice; a report takes each case once")
            seen[case.id] = None
            summary.add(record)
            ledger.add(record)
            opinions.extend(opinions_of(record, targets))
            if case.trouble is not None:
                not_run.append(case)
            else:
                costly.add(case)
                if case.failed:
                    failed.append(case)
            yield record

    table = ScoreTable(passing(), targets)
    if not seen:
        raise InputError(f"{path}: no case on record; run some first")
    facts = read_facts(path)
    return Run(
        name=name,
        path=path,
        manifest=read_manifest(path),
        facts=facts,
        lacks=facts.lacks(len(seen)),
        summary=summary.to_json(),
        table=table,
        targets=targets,
        ledger=in_order(ledger.to_json(), facts.models, facts.loops),
        failed=sorted(failed, key=lambda case: case.place),
        not_run=sorted(not_run, key=lambda case: case.place),
        costly=costly,
        opinions=opinions,
        cases=tuple(seen),
    )


def names_of(paths: Sequence[Path]) -> list[str]:
    """Return a name for each run: its folder's, with as many folders above as tell them apart.

    Raises:
        InputError: If a run is named twice.
    """
    whole = [path.resolve() for path in paths]
    for path in whole:
        if whole.count(path) > 1:
            raise InputError(f"{path} is named twice; a report takes each run once")
    for depth in range(1, max(len(path.parts) for path in whole) + 1):
        names = ["/".join(path.parts[-depth:]) for path in whole]
        if len({*names}) == len(names):
            break
    return names


def read_runs(paths: Iterable[Path]) -> list[Run]:
    """Read runs, in the order given."""
    folders = list(paths)
    return [read_run(path, name) for path, name in zip(folders, names_of(folders), strict=True)]


def _targets(path: Path) -> dict[str, str]:
    """Without the questions, each question is a cluster of its own."""
    return read_targets(path) if (path / "questions.jsonl").is_file() else {}
