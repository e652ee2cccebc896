"""The written answer of one case, after its query is scored."""

from dataclasses import replace

from kg.execution import Execution
from plugins.session._cases import Case
from plugins.session._rounds import Outcome
from plugins.session._tools import Answering
from prompts.models import Answer, Message, Request


def write_answer(
    case: Case, answering: Answering, outcome: Outcome, first: Request, execution: Execution
) -> None:
    """Have the answer of a case written, and put it on the record.

    Nothing here touches what the query is worth: a model that cannot be asked now is told in a round.

    Args:
        case: The case.
        answering: What answers are made with.
        outcome: Where the answer goes.
        first: What the model was asked first.
        execution: What came of the query that counts.
    """
    model = answering.models[case.model]

    def ask(messages: list[Message]) -> Answer:
        return model.answer(replace(first, messages=messages, repeat=0))

    written = answering.writer.write(case.question.text, execution, ask, outcome.add)
    outcome.record.answer = written.text
