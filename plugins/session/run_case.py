"""One case, from the question to its record. Each step comes after the one before; none reaches back."""

import hashlib
import json
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from msgspec import UNSET, UnsetType, convert, structs

from retrocypher.kg.errors import GraphError
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import TableFacts
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.record import (
    ABSTAINED,
    GENERATOR,
    NO_LOOP,
    Fallback,
    InfrastructureError,
    Leak,
    Record,
    RecordedExecution,
    Round,
    RoundResult,
    Tokens,
    fields_of,
)
from retrocypher.plugins.runs.replay import RecordedGraphs, WatchedGraph, plain_execution
from retrocypher.plugins.runs.written_answer import AnswerJudge
from retrocypher.plugins.scoring.answer_check import CHECK_ROLE
from retrocypher.plugins.session.cases import Case
from retrocypher.plugins.session.context import Answering, CaseRuntime
from retrocypher.plugins.validation.validator import SchemaValidator
from retrocypher.prompts.extraction.extract import extract_cypher
from retrocypher.prompts.loops.interface import (
    FirstMessages,
    Graph,
    LoopCase,
    LoopQuestion,
    LoopResult,
    LoopTools,
    Step,
)
from retrocypher.prompts.models.interface import Completion, Message, Model, ModelError, Request
from retrocypher.prompts.templates.abstention import SENTINEL, says_unanswerable
from retrocypher.prompts.templates.exemplars import Exemplar, choose_exemplar
from retrocypher.prompts.templates.template import build_messages


@dataclass(slots=True)
class Outcome:
    """The record of a case that was run, and its messages."""

    record: Record
    messages: dict[str, list[Message]] = field(default_factory=dict)
    """The messages of its rounds, by their hash."""

    def keep_messages(self, messages: list[Message]) -> str:
        """Keep messages and return their hash."""
        sha256 = hashlib.sha256(json_line(messages).encode()).hexdigest()
        self.messages[sha256] = messages
        return sha256

    def add_completion(self, messages: list[Message], completion: Completion, cypher: str | None) -> None:
        """Put the first completion on the record."""
        self.add(Step("generator", cypher, "", messages=messages, answer=completion))

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
                tokens=convert(answer.tokens, Tokens) if answer and answer.tokens else None,
                cost=answer.cost if answer and not step.cached else None,
                cached=step.cached or bool(answer and answer.cached),
            )
        )


def run_case(case: Case, runtime: CaseRuntime) -> Outcome:
    """Run one case.

    An infrastructure error is recorded and never becomes a score, even after the first completion of a loop:
    what the loop would have made of it is unknown.
    """
    question = case.question
    exemplar = choose_exemplar(
        case.shot, question, runtime.banks[question.setting], runtime.seed, runtime.encoder
    )
    messages = build_messages(
        runtime.prompts[case.prompt], runtime.schema, question.text, exemplar, runtime.addendum
    )
    record = Record(
        case_id=case.id,
        question_id=question.id,
        task=question.task,
        setting=question.setting,
        steps=question.steps,
        slices=dict(question.table.slices) if isinstance(question.table, TableFacts) else UNSET,
        prompt=case.prompt,
        shot=case.shot,
        loop=case.loop,
        model=case.model,
        exemplar_id=exemplar.id if exemplar else None,
        question=question.text,
        reference_cypher=question.reference_cypher,
        phrasing=case.phrasing,
        repeat=case.repeat,
        rounds=[],
        cypher=None,
        execution=None,
        scores=None,
        errors=[],
        infrastructure_error=None,
        passed=False,
    )
    outcome = Outcome(record)
    outcome.keep_messages(messages)
    where = {name: str(getattr(case, name)) for name in ("prompt", "shot", "loop", "phrasing", "repeat")}
    request = Request(messages, question, exemplar, where, case.id, case_repeat=case.repeat)
    try:
        # Before the model is asked: if the graph is lost, a call would be in vain.
        record.leak = _leak(case, runtime, exemplar)
        _ask_and_score(case, runtime, outcome, request)
    except ModelError as error:
        record.infrastructure_error = InfrastructureError("model", error.kind, str(error))
    except GraphError as error:
        record.infrastructure_error = InfrastructureError("graph", type(error).__name__, str(error))
    return outcome


def _leak(case: Case, runtime: CaseRuntime, exemplar: Exemplar | None) -> Leak | UnsetType | None:
    question, guard = case.question, runtime.leaks
    if guard is None or exemplar is None or not question.reference_cypher:
        return None
    known = guard.known.get((exemplar.id, question.id))
    return guard.find(case.id, question, exemplar) if known is None else known


def _ask_and_score(case: Case, runtime: CaseRuntime, outcome: Outcome, request: Request) -> None:
    record, assessor, graphs = outcome.record, runtime.assessor, runtime.graphs
    graph = graphs.of(case.id) if isinstance(graphs, RecordedGraphs) else graphs
    watched = None if case.loop == NO_LOOP else WatchedGraph(graph)
    if watched is not None:
        request = first_request(case, runtime, watched, outcome, request)
    completion = runtime.models[case.model].answer(request)
    record.cypher = _query_of(completion)
    outcome.add_completion(request.messages, completion, record.cypher)
    if runtime.addendum and record.cypher is None and says_unanswerable(completion.text):
        # Nothing to run, and nothing for a loop to correct.
        execution, fallback = Execution("no_query", message=ABSTAINED), None
    elif watched is None:
        execution, fallback = graph.run(record.cypher), None
    else:
        result = run_loop(case, runtime, watched, outcome, request, completion)
        record.cypher, execution = select_final_query(case, runtime, watched, outcome, result)
        fallback = None if result.fallback is None else assessor.fallback(case.question, result.fallback)
        record.graph_calls = watched.calls(execution, fallback)
    record.execution = RecordedExecution(**structs.asdict(execution), fallback=fallback or UNSET)
    found = assessor.case(case.question, record.cypher, execution)
    record.scores, record.errors, record.passed = found.scores, found.labels, found.passed
    record.error_category = found.category or UNSET
    if runtime.graph_metrics is not None:
        runtime.graph_metrics.measure(record, execution)
    if found.labels:
        record.explanation = assessor.explain(record, case.question, found.finding)
    if runtime.answering is not None:
        write_answer(case, runtime.answering, outcome, request, execution, fallback)
    if runtime.judge is not None:
        runtime.judge.rate(record)


def _query_of(completion: Completion) -> str | None:
    if completion.verbatim:
        return completion.text if completion.text not in ("", SENTINEL) else None
    return extract_cypher(completion.text)


def first_request(
    case: Case, runtime: CaseRuntime, graph: Graph, outcome: Outcome, request: Request
) -> Request:
    """Return the request for the first completion, which some loops write themselves."""
    loop = runtime.loops[case.loop]
    if not isinstance(loop, FirstMessages):
        return request
    question = LoopQuestion(**_question_facts(case, runtime, request))
    tools = _loop_tools(case, runtime, graph, outcome, request, [])
    return replace(request, messages=loop.first_messages(question, tools))


def run_loop(
    case: Case,
    runtime: CaseRuntime,
    graph: Graph,
    outcome: Outcome,
    first: Request,
    completion: Completion,
) -> LoopResult:
    """Run the loop of a case; each step is recorded when it is made."""
    same = runtime.loop_models.get(case.model) is runtime.models[case.model]
    return runtime.loops[case.loop].run(
        LoopCase(**_question_facts(case, runtime, first), answer=completion, cypher=outcome.record.cypher),
        _loop_tools(case, runtime, graph, outcome, first, [first.messages] if same else []),
    )


def _question_facts(case: Case, runtime: CaseRuntime, request: Request) -> dict[str, Any]:
    """Return the fields of a `LoopQuestion`."""
    prompt = runtime.prompts[case.prompt]
    return {
        "question": case.question.text,
        "setting": prompt.setting,
        "convention": prompt.convention,
        "schema_text": runtime.schema,
        "schema": runtime.graph_schema,
        "messages": request.messages,
    }


def _loop_tools(
    case: Case,
    runtime: CaseRuntime,
    graph: Graph,
    outcome: Outcome,
    first: Request,
    asked: list[list[Message]],
) -> LoopTools:
    """Return what the loop of a case works with; `asked` are messages that its model has answered before."""
    model = runtime.loop_models.get(case.model)
    return LoopTools(
        graph=graph,
        validator=runtime.validator,
        rules=SchemaValidator(runtime.graph_schema, runtime.prompts[case.prompt].convention),
        ask=_RoleCaller(model, case.loop, first, asked),
        note=outcome.add,
        once=runtime.once,
        player=model.label if model else "",
        guidelines=runtime.guidelines,
    )


class _RoleCaller:
    """Asks the model that plays the roles of a case's loop, and counts repeated requests."""

    def __init__(self, model: Model | None, loop: str, first: Request, asked: list[list[Message]]) -> None:
        self._model = model
        self._loop = loop
        self._first = first
        self._asked = Counter(map(_content, asked))

    def __call__(self, role: str, messages: list[Message]) -> Completion:
        if self._model is None:
            raise RuntimeError(f"the loop {self._loop} asks a model as {role}, but says that it needs none")
        content = _content(messages)
        completion = self._model.answer(replace(self._first, messages=messages, repeat=self._asked[content]))
        self._asked[content] += 1
        return completion


def _content(messages: list[Message]) -> str:
    return json.dumps(messages, sort_keys=True)


@dataclass(slots=True)
class RoundScorer:
    """Executes and scores the queries of one case, each once."""

    case: Case
    runtime: CaseRuntime
    graph: Graph
    _executions: dict[str | None, Execution] = field(default_factory=dict)

    def execute(self, cypher: str | None) -> Execution:
        """Return the result of running a query; raises GraphError if the graph cannot be asked."""
        if cypher not in self._executions:
            self._executions[cypher] = self.graph.run(cypher)
        return self._executions[cypher]

    def result(self, cypher: str | None) -> RoundResult:
        """Return status, scores and error labels of a query."""
        return self.runtime.assessor.query(self.case.question, cypher, self.execute(cypher))


def select_final_query(
    case: Case, runtime: CaseRuntime, graph: Graph, outcome: Outcome, result: LoopResult
) -> tuple[str | None, Execution]:
    """Return the query of a loop that is scored, with its result, and score each new query of a round.

    A query that fails when it runs never replaces one that ran: planning does not show every error.
    """
    scorer = RoundScorer(case, runtime, graph)
    cypher, execution = result.cypher, result.execution
    if execution is None:
        execution = scorer.execute(cypher)
        if execution.status != "ok":
            cypher, execution = revert(scorer, outcome, cypher, execution)
    seen: set[str | None] = set()
    for turn in outcome.record.rounds:
        if turn.role == "fallback" or (turn.cypher is None and turn.role != GENERATOR):
            continue
        if turn.cypher not in seen:
            seen.add(turn.cypher)
            turn.findings.append({"result": fields_of(scorer.result(turn.cypher))})
    return cypher, execution


_ACCEPTED = ("taken", "turned")
"""Verdicts of rounds whose query the loop made its own."""


def revert(
    scorer: RoundScorer, outcome: Outcome, cypher: str | None, execution: Execution
) -> tuple[str | None, Execution]:
    """Return the newest query of the loop that runs, with its result; the given ones if none runs."""
    for turn in reversed(outcome.record.rounds):
        if _was_current(turn) and turn.cypher is not None and scorer.execute(turn.cypher).status == "ok":
            finding = {"status": execution.status, "message": execution.message, "instead_of": cypher}
            outcome.add(Step("harness", turn.cypher, "put_back", [finding]))
            return turn.cypher, scorer.execute(turn.cypher)
    return cypher, execution


def _was_current(turn: Round) -> bool:
    return turn.role == GENERATOR or turn.verdict in _ACCEPTED


def write_answer(
    case: Case,
    answering: Answering,
    outcome: Outcome,
    first: Request,
    execution: Execution,
    fallback: Fallback | None,
) -> None:
    """Have the answer of a case written and checked, and put both on the record.

    It is written from the rows of the fallback where there is one: the query has then returned nothing.

    The score of the query stays; a model or graph that cannot be asked is recorded in a round.
    """
    record = outcome.record

    def asking(asked: Model) -> Callable[[list[Message]], Completion]:
        return lambda messages: asked.answer(replace(first, messages=messages, repeat=0, common=0))

    ask, extract = asking(answering.models[case.model]), asking(answering.extractors[case.model])
    hops = None
    if fallback is not None:
        execution, hops = plain_execution(fallback), fallback.hops
    written = answering.writer.write(case.question.text, execution, ask, outcome.add, extract, hops)
    record.answer = written.text
    record.citations = written.citations or UNSET
    if written.claims_nothing:
        return
    started = time.perf_counter()
    try:
        checked = answering.checker.check(case.id, case.question.text, written)
    except GraphError as error:
        fault = {"stage": "graph", "kind": type(error).__name__, "message": str(error)}
        outcome.add(Step(CHECK_ROLE, None, "error", [{"error": fault}]))
        return
    took = time.perf_counter() - started
    record.claims, record.verification = checked.claims, checked.verification
    outcome.add(Step(CHECK_ROLE, None, checked.verification.verdict, time_s=took))
    if (metrics := answering.metrics) is not None:
        found = metrics.measure(case.id, case.question.text, written.text or "", written.given, outcome.add)
        record.verification.judge = AnswerJudge(metrics.label, **found)
