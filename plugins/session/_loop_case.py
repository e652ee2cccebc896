"""One case through its loop."""

import json
from collections import Counter
from dataclasses import replace

from plugins.session._cases import Case
from plugins.session._rounds import Outcome
from plugins.session._tools import Tools
from prompts.loops import Graph, LoopCase, LoopResult, LoopTools
from prompts.models import Answer, Message, Model, Request


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
