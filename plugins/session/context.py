"""What the controller sends to its workers, and what workers run cases with."""

import hashlib
import json
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock
from msgspec import convert, structs

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Setting
from retrocypher.kg.semantics.schema import Schema
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.judge.criteria import case_to_judge, fault_of
from retrocypher.plugins.judge.judge import Judge
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.manifest import MadeOnce
from retrocypher.plugins.runs.record import VARIANTS, JsonValue, Judgement, JudgeRatings, Record, Tokens
from retrocypher.plugins.runs.replay import RecordedGraphs
from retrocypher.plugins.scoring.answer_check import Checker
from retrocypher.plugins.session.resume import ResumedCase
from retrocypher.plugins.session.side_plans import JudgePlan
from retrocypher.prompts.loops.interface import Graph, Loop, OnceARun, ValidatorName
from retrocypher.prompts.models.gateway_client import GatewayAddress
from retrocypher.prompts.models.interface import Completion, Model
from retrocypher.prompts.templates.encoder import Encoder
from retrocypher.prompts.templates.exemplars import Bank
from retrocypher.prompts.templates.template import Prompt

if TYPE_CHECKING:
    from retrocypher.plugins.judge.metric import AnswerMetrics
    from retrocypher.plugins.scoring.abstention import CaseAssessor
    from retrocypher.plugins.scoring.graph_metrics import GraphMetrics
    from retrocypher.plugins.scoring.leak import LeakGuard
    from retrocypher.prompts.answering.writing import AnswerWriter


@dataclass(frozen=True, slots=True)
class WorkerContext:
    """What a worker needs besides the options; it travels as plain values."""

    endpoint: Endpoint | None
    """The server; None in a replay."""
    schema: str
    """Schema text of the graph."""
    coordination: str
    """Folder of the locks that all workers share."""
    gateway: GatewayAddress | None
    """Where models that read messages are asked; None where none is."""
    cases_at_once: int
    """Cases that a worker runs at a time; 1 unless calls of models depend on results."""
    allure: str | None
    """Folder of the Allure results; None if Allure is off."""
    resumed: dict[str, ResumedCase] = field(default_factory=dict)
    """The cases that an earlier part of the run has, by id."""

    @property
    def passwords(self) -> list[str]:
        """The server's password, if there is one."""
        return [self.endpoint.password] if self.endpoint else []


_PREFIX = "once-"


class OnceInFolder:
    """Keeps texts that are made once a run in a folder that all its processes share.

    Args:
        waiting: Entered while a thread waits for another that makes a text.
    """

    def __init__(
        self, directory: Path, waiting: Callable[[], AbstractContextManager[None]] = nullcontext
    ) -> None:
        self._waiting = waiting
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self._known: dict[str, str] = {}

    def get(self, key: str, make: Callable[[], Completion]) -> str:
        """Return the text of a key; the first process to ask makes it, the others wait for it."""
        if key not in self._known:
            stem = _PREFIX + hashlib.sha256(key.encode()).hexdigest()[:16]
            file = self._directory / f"{stem}.json"
            lock = FileLock(self._directory / f"{stem}.lock")
            with self._waiting():
                lock.acquire()
            try:
                if not file.exists():
                    made = make()
                    entry = MadeOnce(
                        key=key,
                        text=made.text,
                        tokens=convert(made.tokens, Tokens) if made.tokens else None,
                        cost=made.cost,
                        time_s=made.time_s,
                        cached=made.cached,
                        findings=[made.details] if made.details else [],
                    )
                    unfinished = file.with_suffix(".part")
                    unfinished.write_text(json_line(entry), encoding="utf-8")
                    unfinished.replace(file)
            finally:
                lock.release()
            self._known[key] = json.loads(file.read_text(encoding="utf-8"))["text"]
        return self._known[key]


def made_once(directory: Path) -> list[MadeOnce]:
    """Return what was made once in a run, by key."""
    files = directory.glob(f"{_PREFIX}*.json")
    found = [convert(json.loads(file.read_text(encoding="utf-8")), MadeOnce) for file in files]
    return sorted(found, key=lambda each: each.key)


@dataclass(frozen=True, slots=True)
class CaseJudge:
    """Rates the queries of cases that have their scores."""

    plan: JudgePlan
    schema: str
    """Schema text of the graph."""
    judge: Judge
    recorded: Callable[[str], Record | None] | None = None
    """Returns the record of the same case in a replayed run, if the same judge rated it; None without a
    replay."""

    def rate(self, record: Record) -> None:
        """Put the ratings of a case on its record, or that the judge could not be asked."""
        case = case_to_judge(record, self.schema, self.plan.criteria)
        if case is None:
            return
        before = self._recorded(record)
        judgements = {
            variant: before[variant] if variant in before else self.judge.judge(case, variant)
            for variant in VARIANTS
        }
        record.judge = JudgeRatings(self.plan.spec.label, self.plan.criteria.sha256, **judgements)
        record.infrastructure_error = fault_of(judgements)

    def _recorded(self, record: Record) -> dict[str, Judgement]:
        """Return the ratings that a replayed run has of the same query."""
        there = None if self.recorded is None else self.recorded(record.case_id)
        criteria = self.plan.criteria
        if there is None or there.judge is None or there.judge.criteria != criteria.sha256:
            return {}
        same = (there.question, there.cypher, there.reference_cypher) == (
            record.question,
            record.cypher,
            record.reference_cypher,
        )
        if not same or (criteria.rows and _table(there) != _table(record)):
            return {}
        return {
            variant: structs.replace(each, model=self.plan.spec.label, cached=True, cost=None)
            for variant, each in there.judge.judgements.items()
            if not each.is_fault
        }


def _table(record: Record) -> tuple[list[str], list[JsonValue]] | None:
    execution = record.execution
    return None if execution is None else (execution.columns, execution.rows)


@dataclass(frozen=True, slots=True)
class Answering:
    """What written answers are made and checked with."""

    writer: "AnswerWriter"
    models: Mapping[str, Model]
    """The model that writes them, by the label of the model that wrote the query."""
    extractors: Mapping[str, Model]
    """The model that lists their claims, by the same label."""
    checker: Checker
    metrics: "AnswerMetrics | None" = None
    """Has a judge measure them; None without a judge."""


@dataclass(frozen=True, slots=True)
class CaseMetrics:
    """Measures the queries of cases that have their scores."""

    metrics: "GraphMetrics"
    names: Collection[str]
    """Those of `MORE_METRICS` that were asked for."""

    def measure(self, record: Record, execution: Execution) -> None:
        """Put the metrics of a case on its record; raises GraphError if the graph cannot be asked."""
        if record.scores is None:
            return
        if "executable" in self.names:
            record.scores.executable = float(execution.status == "ok")
        if not {"ex", "psjs"} & set(self.names):
            return
        found = self.metrics.measure(record.reference_cypher, record.cypher, execution)
        if "ex" in self.names:
            record.scores.ex = found.ex
        if "psjs" in self.names:
            record.scores.psjs = found.psjs


@dataclass(frozen=True, slots=True)
class CaseRuntime:
    """What a case is run with."""

    prompts: Mapping[str, Prompt]
    schema: str
    """Schema text of the graph."""
    graph_schema: Schema
    banks: Mapping[Setting, Bank]
    encoder: Encoder
    """Encoder of 1S-D-S."""
    models: Mapping[str, Model]
    loops: Mapping[str, Loop]
    loop_models: Mapping[str, Model]
    """By label of a model, the model that plays the other roles of its loops."""
    validator: ValidatorName
    once: OnceARun
    """Texts made once a run."""
    graphs: Graph | RecordedGraphs
    """Guarded access to the graph; in a replay, what records have of it, for each case."""
    seed: int
    """Seed of 1S-D-R."""
    addendum: str
    """Text at the end of each first message; empty where all questions can be answered."""
    assessor: "CaseAssessor"
    guidelines: str = ""
    """Text of ``--guidelines``, for the generator of self-review; empty without it."""
    answering: Answering | None = None
    """What written answers are made with; None without them."""
    judge: CaseJudge | None = None
    """Rates queries that have their scores; None without a judge."""
    graph_metrics: CaseMetrics | None = None
    """Measures queries on the graph; None without ``--metrics``."""
    leaks: "LeakGuard | None" = None
    """Says whether exemplars give answers away; None where none is shown, and for questions of a suite."""
