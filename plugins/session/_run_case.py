"""One case from question to record; one direction, no step reaches back."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from kg.errors import GraphError
from kg.execution import Execution
from kg.questions import Setting
from kg.schema import parse_schema
from plugins.records import Record, Round, json_line
from plugins.scoring import KeyMatcher, score
from plugins.session._cases import Case
from plugins.taxonomy import labels_of
from prompts.encoders import Encoder
from prompts.exemplars import Exemplar
from prompts.extraction import extract_cypher
from prompts.models import Message, Model, ModelError, Request
from prompts.shots import choose
from prompts.templates import Prompt, build_messages


class Executor(Protocol):
    """Runs a query under guard."""

    def run(self, cypher: str | None) -> Execution:
        """Run a query; raises GraphError where the graph cannot be asked."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a case is run with.

    Attributes:
        prompts: Prompts by name.
        schema: Schema text of the live graph.
        banks: Exemplar bank of each setting.
        encoder: Encoder of 1S-D-S.
        models: Models by label.
        executor: Guarded access to the graph.
        seed: Seed of 1S-D-R.
        threshold: F1 under which a case fails.
        key_encoder: Encoder stage of key matching, where asked for.
    """

    prompts: Mapping[str, Prompt]
    schema: str
    banks: Mapping[Setting, tuple[Exemplar, ...]]
    encoder: Encoder
    models: Mapping[str, Model]
    executor: Executor
    seed: int
    threshold: float
    key_encoder: KeyMatcher | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case that was run.

    Attributes:
        record: Its record.
        messages: The messages of its rounds, by their hash.
    """

    record: Record
    messages: dict[str, list[Message]]


def run_case(case: Case, tools: Tools) -> Outcome:
    """Run one case.

    An infrastructure error is put on the record and never becomes a score.
    """
    question = case.question
    exemplar = choose(case.shot, question, tools.banks[question.setting], tools.seed, tools.encoder)
    messages = build_messages(tools.prompts[case.prompt], tools.schema, question.text, exemplar)
    sha256 = hashlib.sha256(json_line(messages).encode()).hexdigest()
    record = Record(
        case_id=case.id,
        question_id=question.id,
        task=question.task,
        setting=question.setting,
        steps=question.steps,
        prompt=case.prompt,
        shot=case.shot,
        loop=case.loop,
        model=case.model,
        phrasing=case.phrasing,
        exemplar_id=exemplar.id if exemplar else None,
        question=question.text,
        reference_cypher=question.reference_cypher,
    )
    outcome = Outcome(record, {sha256: messages})
    where = {"prompt": case.prompt, "shot": case.shot, "loop": case.loop, "phrasing": str(case.phrasing)}
    try:
        answer = tools.models[case.model].answer(Request(messages, question, exemplar, where))
    except ModelError as error:
        record.infrastructure_error = _error("model", error.kind, error)
        return outcome
    record.cypher = (answer.text or None) if answer.verbatim else extract_cypher(answer.text)
    record.rounds.append(
        Round(
            role="generator",
            messages_sha256=sha256,
            answer=answer.text,
            cypher=record.cypher,
            findings=[answer.details] if answer.details else [],
            time_s=answer.time_s,
            tokens=answer.tokens,
        )
    )
    try:
        execution = tools.executor.run(record.cypher)
    except GraphError as error:
        record.infrastructure_error = _error("graph", type(error).__name__, error)
        return outcome
    record.execution = execution.to_json()
    record.scores = score(question, execution, record.cypher, key_encoder=tools.key_encoder)
    record.errors = labels_of(
        question, record.cypher, record.execution, record.scores, parse_schema(tools.schema)
    )
    record.passed = record.scores["f1"] >= tools.threshold
    return outcome


def _error(stage: str, kind: str, error: Exception) -> dict[str, Any]:
    return {"stage": stage, "kind": kind, "message": str(error)}
