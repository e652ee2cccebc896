"""The written answer of one case, after its query is scored."""

import time
from dataclasses import replace

from kg.errors import GraphError
from kg.execution import Execution
from plugins.answering import CHECK_ROLE
from plugins.session._cases import Case
from plugins.session._rounds import Outcome
from plugins.session._tools import Answering
from prompts.loops import Step
from prompts.models import Answer, Message, Request


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
