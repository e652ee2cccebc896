"""One case through its loop."""

from kg.questions import Question
from plugins.session._cases import Case
from plugins.session._rounds import Outcome
from plugins.session._tools import Tools
from prompts.exemplars import Exemplar
from prompts.loops import LoopCase, LoopResult, LoopTools
from prompts.models import Answer, Message, Request


def run_loop(
    case: Case,
    tools: Tools,
    outcome: Outcome,
    first: Request,
    answer: Answer,
) -> LoopResult:
    """Run the loop of a case; its steps go on the record as they are made.

    Args:
        case: The case.
        tools: What it is run with.
        outcome: Where its rounds go.
        first: What the model was asked first.
        answer: What it answered.

    Raises:
        ModelError: The model that plays a role cannot be asked.
        GraphError: The graph cannot be asked.
    """
    prompt = tools.prompts[case.prompt]
    ask = _Asker(case, tools, first.question, first.exemplar, first.case)
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
        LoopTools(tools.executor, tools.validator, ask, outcome.add, tools.once),
    )


class _Asker:
    """Asks the model that plays the roles of a case's loop."""

    def __init__(
        self,
        case: Case,
        tools: Tools,
        question: Question,
        exemplar: Exemplar | None,
        where: dict[str, str],
    ) -> None:
        self._player = tools.players.get(case.model)
        self._loop = case.loop
        self._question = question
        self._exemplar = exemplar
        self._where = where

    def __call__(self, role: str, messages: list[Message]) -> Answer:
        if self._player is None:
            raise RuntimeError(f"the loop {self._loop} asks a model as {role}, but says that it needs none")
        return self._player.answer(Request(messages, self._question, self._exemplar, self._where))
