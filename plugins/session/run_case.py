"""One case from question to record; one direction, no step reaches back."""

import json
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from retrocypher.kg.errors import GraphError
from retrocypher.kg.execution.execution import Execution
from retrocypher.plugins.runs.graph_calls import WatchedGraph
from retrocypher.plugins.runs.record import Record, Round
from retrocypher.plugins.scoring.answer_check import CHECK_ROLE
from retrocypher.plugins.session.context import Answering, Outcome, Tools
from retrocypher.plugins.session.plan import Case
from retrocypher.prompts.extraction.extract import extract_cypher
from retrocypher.prompts.loops.interface import Graph, LoopCase, LoopResult, LoopTools, Step
from retrocypher.prompts.models.interface import Answer, Message, Model, ModelError, Request
from retrocypher.prompts.templates.selection import choose
from retrocypher.prompts.templates.template import build_messages


def run_loop(
    case: Case,
    tools: Tools,
    graph: Graph,
    outcome: Outcome,
    first: Request,
    answer: Answer,
) -> LoopResult:
    """Run the loop of a case; its steps go on the record as they are made.

    Args:
        case: The case.
        tools: What it is run with.
        graph: What it asks.
        outcome: Where its rounds go.
        first: What the model was asked first.
        answer: What it answered.

    Raises:
        ModelError: The model that plays a role cannot be asked.
        GraphError: The graph cannot be asked.
    """
    prompt = tools.prompts[case.prompt]
    player = tools.players.get(case.model)
    same = player is tools.models[case.model]
    ask = _Asker(player, case.loop, first, [first.messages] if same else [])
    return tools.loops[case.loop].run(
        LoopCase(
            question=case.question.text,
            setting=prompt.setting,
            convention=prompt.convention,
            schema_text=tools.schema,
            schema=tools.graph_schema,
            messages=first.messages,
            answer=answer,
            cypher=outcome.record.cypher,
        ),
        LoopTools(
            graph=graph,
            validator=tools.validator,
            ask=ask,
            note=outcome.add,
            once=tools.once,
            player=player.label if player else "",
        ),
    )


class _Asker:
    """Asks the model that plays the roles of a case's loop; it has been asked before what ``asked`` says."""

    def __init__(self, player: Model | None, loop: str, first: Request, asked: list[list[Message]]) -> None:
        self._player = player
        self._loop = loop
        self._first = first
        self._asked = Counter(map(_content, asked))

    def __call__(self, role: str, messages: list[Message]) -> Answer:
        if self._player is None:
            raise RuntimeError(f"the loop {self._loop} asks a model as {role}, but says that it needs none")
        content = _content(messages)
        repeat = self._asked[content]
        answer = self._player.answer(replace(self._first, messages=messages, repeat=repeat))
        self._asked[content] += 1
        return answer


def _content(messages: list[Message]) -> str:
    return json.dumps(messages, sort_keys=True)


_TAKEN = ("taken", "turned")


@dataclass(slots=True)
class Worth:
    """What the queries of one case are worth, each executed once.

    Attributes:
        case: The case.
        tools: What it is run with.
        graph: What it asks.
    """

    case: Case
    tools: Tools
    graph: Graph
    _executions: dict[str | None, Execution] = field(default_factory=dict)

    def execute(self, cypher: str | None) -> Execution:
        """Return what comes of a query; raises GraphError where the graph cannot be asked."""
        if cypher not in self._executions:
            self._executions[cypher] = self.graph.run(cypher)
        return self._executions[cypher]

    def result(self, cypher: str | None) -> dict[str, Any]:
        """Return status, scores and error labels of a query."""
        return self.tools.assessor.query(self.case.question, cypher, self.execute(cypher).to_json())


def settle(
    case: Case, tools: Tools, graph: Graph, outcome: Outcome, result: LoopResult
) -> tuple[str | None, Execution]:
    """Decide which query of a loop counts, and put on each round what its query is worth.

    A query that fails when it runs never replaces one that ran: planning does not tell all.

    Returns:
        The query that counts, and what came of it.

    Raises:
        GraphError: The graph cannot be asked.
    """
    worth = Worth(case, tools, graph)
    cypher, execution = result.cypher, result.execution
    if execution is None:
        execution = worth.execute(cypher)
        if execution.status != "ok":
            cypher, execution = _put_back(worth, outcome, cypher, execution)
    seen: set[str | None] = set()
    for turn in outcome.record.rounds:
        if turn.role == "fallback" or (turn.cypher is None and turn.role != "generator"):
            continue
        if turn.cypher not in seen:
            seen.add(turn.cypher)
            turn.findings.append({"result": worth.result(turn.cypher)})
    return cypher, execution


def _put_back(
    worth: Worth, outcome: Outcome, cypher: str | None, execution: Execution
) -> tuple[str | None, Execution]:
    for turn in reversed(outcome.record.rounds):
        if _counted(turn) and turn.cypher is not None and worth.execute(turn.cypher).status == "ok":
            finding = {"status": execution.status, "message": execution.message, "instead_of": cypher}
            outcome.add(Step("harness", turn.cypher, "put_back", [finding]))
            return turn.cypher, worth.execute(turn.cypher)
    return cypher, execution


def _counted(turn: Round) -> bool:
    """Whether the query of a round was the loop's own at some time."""
    return turn.role == "generator" or turn.verdict in _TAKEN


def write_answer(
    case: Case, answering: Answering, outcome: Outcome, first: Request, execution: Execution
) -> None:
    """Have the answer of a case written, and put it on the record.

    Nothing here touches what the query is worth: a model or a graph that cannot be asked now is told in a
    round.

    Args:
        case: The case.
        answering: What answers are made with.
        outcome: Where the answer goes.
        first: What the model was asked first.
        execution: What came of the query that counts.
    """
    model = answering.models[case.model]

    def ask(messages: list[Message]) -> Answer:
        return model.answer(replace(first, messages=messages, repeat=0, common=0))

    written = answering.writer.write(case.question.text, execution, ask, outcome.add)
    outcome.record.answer = written.text
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
    outcome.record.claims, outcome.record.verification = checked.claims, checked.verification
    outcome.add(Step(CHECK_ROLE, None, checked.verification["verdict"], time_s=took))
    if (metrics := answering.metrics) is not None:
        found = metrics.measure(case.id, case.question.text, written.text or "", written.given, outcome.add)
        told = {name: measured.to_json() for name, measured in found.items()}
        outcome.record.verification = {**checked.verification, "judge": {"model": metrics.label, **told}}


NO_LOOP = "none"


def run_case(case: Case, tools: Tools) -> Outcome:
    """Run one case.

    An infrastructure error is put on the record and never becomes a score; also one that a loop meets after
    an answer: what the loop would have made of it nobody knows.
    """
    question = case.question
    exemplar = choose(case.shot, question, tools.banks[question.setting], tools.seed, tools.encoder)
    messages = build_messages(tools.prompts[case.prompt], tools.schema, question.text, exemplar)
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
    outcome = Outcome(record)
    outcome.keep_messages(messages)
    where = {"prompt": case.prompt, "shot": case.shot, "loop": case.loop, "phrasing": str(case.phrasing)}
    request = Request(messages, question, exemplar, where, case.id)
    try:
        _ask_and_score(case, tools, outcome, request)
    except ModelError as error:
        record.infrastructure_error = _error("model", error.kind, error)
    except GraphError as error:
        record.infrastructure_error = _error("graph", type(error).__name__, error)
    return outcome


def _ask_and_score(case: Case, tools: Tools, outcome: Outcome, request: Request) -> None:
    record = outcome.record
    answer = tools.models[case.model].answer(request)
    record.cypher = (answer.text or None) if answer.verbatim else extract_cypher(answer.text)
    outcome.add_answer(request.messages, answer, record.cypher)
    graph = tools.graphs.of(case.id)
    if case.loop == NO_LOOP:
        execution = graph.run(record.cypher)
        record.execution = execution.to_json()
    else:
        watched = WatchedGraph(graph)
        result = run_loop(case, tools, watched, outcome, request, answer)
        record.cypher, execution = settle(case, tools, watched, outcome, result)
        record.execution = execution.to_json()
        record.graph_calls = watched.to_json(execution, result.fallback)
        if result.fallback is not None:
            record.execution["fallback"] = tools.assessor.fallback(case.question, result.fallback)
    found = tools.assessor.case(case.question, record.cypher, record.execution)
    record.scores, record.errors, record.passed = found.scores, found.labels, found.passed
    record.explanation = tools.assessor.explain(record, case.question, found.finding)
    if tools.answering is not None:
        write_answer(case, tools.answering, outcome, request, execution)
    if tools.judge is not None:
        tools.judge.put_on(record)


def _error(stage: str, kind: str, error: Exception) -> dict[str, Any]:
    return {"stage": stage, "kind": kind, "message": str(error)}
