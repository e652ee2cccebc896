"""One case from question to record; one direction, no step reaches back."""

from typing import Any

from kg.errors import GraphError
from plugins.records import Record
from plugins.replay import WatchedGraph
from plugins.session._answer_case import write_answer
from plugins.session._cases import Case
from plugins.session._loop_case import run_loop
from plugins.session._rounds import Outcome
from plugins.session._settle import settle
from plugins.session._tools import Tools
from prompts.extraction import extract_cypher
from prompts.models import ModelError, Request
from prompts.shots import choose
from prompts.templates import build_messages

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
    outcome.finding = found.finding
    if tools.answering is not None:
        write_answer(case, tools.answering, outcome, request, execution)
    if tools.judge is not None:
        tools.judge.put_on(record)


def _error(stage: str, kind: str, error: Exception) -> dict[str, Any]:
    return {"stage": stage, "kind": kind, "message": str(error)}
