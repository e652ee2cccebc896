"""What the controller hands to the workers of its session."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from filelock import FileLock

from retrocypher.kg.questions.question import Setting
from retrocypher.kg.semantics.schema import Schema
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.judge.criteria import (
    Criteria,
    case_to_judge,
    fault_of,
    judge_spec,
    judgements_of,
    load_criteria,
    on_record,
)
from retrocypher.plugins.judge.judge import Judge
from retrocypher.plugins.judge.judgement import VARIANTS, Judgement
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.record import Record, Round
from retrocypher.plugins.scoring.answer_check import Checker
from retrocypher.plugins.scoring.assessor import Assessor
from retrocypher.plugins.session.arguments import Options
from retrocypher.prompts.loops.interface import Graph, Loop, OnceARun, Step, ValidatorName
from retrocypher.prompts.models.interface import Answer, Message, Model
from retrocypher.prompts.models.spec import ModelSpec
from retrocypher.prompts.templates.encoder import Encoder
from retrocypher.prompts.templates.exemplars import Exemplar
from retrocypher.prompts.templates.template import Prompt

if TYPE_CHECKING:
    from retrocypher.plugins.judge.answer_metrics import AnswerMetrics
    from retrocypher.prompts.answering.writing import AnswerWriter


@dataclass(frozen=True, slots=True)
class Context:
    """What a worker needs besides the options, as plain values.

    Attributes:
        endpoint: The server; None where rows come from runs that were.
        schema: Schema text of the graph.
        coordination: Folder of the locks that all workers share.
        models: What the controller started for models (see ``prompts.models.SharedModels``).
        allure: Folder of the Allure results; None where Allure is off.
        taken: What there is to tell of each case that an earlier part of the run has, by its id (`Taken`).
    """

    endpoint: Endpoint | None
    schema: str
    coordination: str
    models: dict[str, Any]
    allure: str | None
    taken: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def passwords(self) -> list[str]:
        """The server's password, if there is one."""
        return [self.endpoint.password] if self.endpoint else []

    def to_json(self) -> dict[str, Any]:
        """Return plain values that survive the way to a worker."""
        return {**asdict(self), "endpoint": self.endpoint and self.endpoint.to_json()}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Context":
        """Read what `to_json` wrote."""
        endpoint = value["endpoint"]
        return cls(**{**value, "endpoint": endpoint and Endpoint.from_json(endpoint)})


_PREFIX = "once-"


class OnceInFolder:
    """Keeps texts in a folder that all processes of the run share.

    Args:
        directory: The folder; made if absent.
    """

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._directory = directory
        self._known: dict[str, str] = {}

    def get(self, key: str, make: Callable[[], Answer]) -> str:
        """Return the text of a key; the first process to ask makes it, the others wait for it.

        Raises:
            ModelError: As ``make`` does; then the next to ask tries again.
        """
        if key not in self._known:
            stem = _PREFIX + hashlib.sha256(key.encode()).hexdigest()[:16]
            file = self._directory / f"{stem}.json"
            with FileLock(self._directory / f"{stem}.lock"):
                if not file.exists():
                    answer = make()
                    made = {
                        "text": answer.text,
                        "tokens": answer.tokens,
                        "cost": answer.cost,
                        "time_s": answer.time_s,
                        "cached": answer.cached,
                        "findings": [answer.details] if answer.details else [],
                    }
                    unfinished = file.with_suffix(".part")
                    unfinished.write_text(json.dumps({"key": key, **made}), encoding="utf-8")
                    unfinished.replace(file)
            self._known[key] = json.loads(file.read_text(encoding="utf-8"))["text"]
        return self._known[key]


def made_once(directory: Path) -> list[dict[str, Any]]:
    """Return what was made once in a run, by key: text, tokens, cost, seconds, and whether it was cached."""
    found = [json.loads(file.read_text(encoding="utf-8")) for file in directory.glob(f"{_PREFIX}*.json")]
    return sorted(found, key=lambda each: str(each["key"]))


@dataclass(slots=True)
class Outcome:
    """A case that was run.

    Attributes:
        record: Its record.
        messages: The messages of its rounds, by their hash.
    """

    record: Record
    messages: dict[str, list[Message]] = field(default_factory=dict)

    def keep_messages(self, messages: list[Message]) -> str:
        """Keep messages and return their hash."""
        sha256 = hashlib.sha256(json_line(messages).encode()).hexdigest()
        self.messages[sha256] = messages
        return sha256

    def add_answer(self, messages: list[Message], answer: Answer, cypher: str | None) -> None:
        """Put the first answer on the record."""
        self.add(Step("generator", cypher, "", messages=messages, answer=answer))

    def add(self, step: Step) -> None:
        """Put a step on the record."""
        answer = step.answer
        self.record.rounds.append(
            Round(
                role=step.role,
                messages_sha256=None if step.messages is None else self.keep_messages(step.messages),
                answer=answer.text if answer else "",
                cypher=step.cypher,
                verdict=step.verdict or None,
                findings=[*step.findings, *([answer.details] if answer and answer.details else [])],
                time_s=step.time_s or (answer.time_s if answer else 0.0),
                tokens=answer.tokens if answer else None,
                cost=answer.cost if answer and not step.cached else None,
                cached=step.cached or bool(answer and answer.cached),
            )
        )


@dataclass(frozen=True, slots=True)
class JudgePlan:
    """Who judges the cases of a run, and by what.

    Attributes:
        spec: The judge's model.
        criteria: What it judges by.
    """

    spec: ModelSpec
    criteria: Criteria


@dataclass(frozen=True, slots=True)
class CaseJudge:
    """Judges cases that have their scores.

    Attributes:
        plan: Who judges, and by what.
        schema: Schema text of the graph.
        judge: Who is asked.
        recorded: Returns the record of the same case in a run that is replayed, where the same judge judged
            it by the same criteria; None where nothing is replayed.
    """

    plan: JudgePlan
    schema: str
    judge: Judge
    recorded: Callable[[str], Mapping[str, Any] | None] | None = None

    def put_on(self, record: Record) -> None:
        """Put the judgements of a case on its record; also that the judge could not be asked."""
        case = case_to_judge(record.to_json(), self.schema, self.plan.criteria)
        if case is None:
            return
        before = self._before(record)
        judgements = {
            variant: before[variant] if variant in before else self.judge.judge(case, variant)
            for variant in VARIANTS
        }
        record.judge = on_record(self.plan.spec.label, self.plan.criteria.sha256, judgements)
        record.infrastructure_error = fault_of(judgements)

    def _before(self, record: Record) -> dict[str, Judgement]:
        """Return what a replayed run has of the same query."""
        there = None if self.recorded is None else self.recorded(record.case_id)
        if there is None or (there.get("judge") or {}).get("criteria") != self.plan.criteria.sha256:
            return {}
        now = record.to_json()
        same = all(there.get(name) == now[name] for name in ("question", "cypher", "reference_cypher"))
        if not same or (self.plan.criteria.rows and _rows(there) != _rows(now)):
            return {}
        return {
            variant: replace(each, model=self.plan.spec.label, cached=True, cost=None)
            for variant, each in judgements_of(there)
            if not each.is_fault
        }


def judge_lines(plan: JudgePlan | None, options: Options) -> list[str]:
    """Return the lines of the terminal's header that say who judges.

    Args:
        plan: Who judges, and by what; None for nobody.
        options: What the user asked for.
    """
    if plan is not None:
        rows = f", shown up to {counted(plan.criteria.rows, 'row')}" if plan.criteria.rows else ""
        return [f"judge: {plan.spec.label}, criteria {plan.criteria.sha256[:8]}{rows}"]
    if options.judge_rows:
        return [f"note: --judge-rows {options.judge_rows} has no effect: there is no judge"]
    return []


def judge_plan(options: Options, environment: Mapping[str, str]) -> JudgePlan | None:
    """Resolve and check ``--judge`` and ``--judge-rows``; None without a judge.

    Args:
        options: What the user asked for.
        environment: Where keys are looked up.

    Raises:
        InputError: If the model cannot judge, or the criteria cannot be read.
    """
    if options.judge is None:
        return None
    return JudgePlan(judge_spec(options.judge, environment), load_criteria(options.judge_rows))


def _rows(record: Mapping[str, Any]) -> Any:
    execution = record["execution"] or {}
    return execution.get("columns"), execution.get("rows")


class Graphs(Protocol):
    """What cases ask."""

    def of(self, case_id: str) -> Graph:
        """Return the graph for one case."""


@dataclass(frozen=True, slots=True)
class LiveGraph:
    """The same graph for all cases.

    Attributes:
        graph: The graph.
    """

    graph: Graph

    def of(self, case_id: str) -> Graph:
        """Return the graph."""
        return self.graph


@dataclass(frozen=True, slots=True)
class Answering:
    """What written answers are made with.

    Attributes:
        writer: Has them written.
        models: The model that writes them, by the label of the model that wrote the query.
        checker: Says what the graph holds of what they claim.
        metrics: Has a judge measure them; None without a judge.
    """

    writer: "AnswerWriter"
    models: Mapping[str, Model]
    checker: Checker
    metrics: "AnswerMetrics | None" = None


@dataclass(frozen=True, slots=True)
class Tools:
    """What a case is run with.

    Attributes:
        prompts: Prompts by name.
        schema: Schema text of the graph.
        graph_schema: The same, read.
        banks: Exemplar bank of each setting.
        encoder: Encoder of 1S-D-S.
        models: Models by label.
        loops: Loops by name.
        players: By label of a model, the model that plays the other roles of its loops.
        validator: The validator of the loops.
        once: Texts made once a run.
        graphs: Guarded access to the graph, for each case.
        seed: Seed of 1S-D-R.
        assessor: Scores and labels what comes of queries.
        answering: What written answers are made with; None where none are.
        judge: Judges queries that have their scores; None where nobody does.
    """

    prompts: Mapping[str, Prompt]
    schema: str
    graph_schema: Schema
    banks: Mapping[Setting, tuple[Exemplar, ...]]
    encoder: Encoder
    models: Mapping[str, Model]
    loops: Mapping[str, Loop]
    players: Mapping[str, Model]
    validator: ValidatorName
    once: OnceARun
    graphs: Graphs
    seed: int
    assessor: Assessor
    answering: Answering | None = None
    judge: CaseJudge | None = None
