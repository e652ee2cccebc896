"""The hook through which a user brings loops of their own."""

from collections.abc import Iterable

import pytest

from retrocypher.prompts.loops.interface import Loop


@pytest.hookspec
def pytest_retrocypher_loops(config: pytest.Config) -> Iterable[Loop] | None:
    """Bring loops, which ``--loop`` then knows by their names.

    A loop is any object with ``name``, ``needs_model`` and ``run``. This one asks the model once to look at
    its query again; load it with ``-p look_again``::

        # look_again.py
        from dataclasses import dataclass

        from retrocypher.prompts.extraction.extract import extract_cypher
        from retrocypher.prompts.loops import LoopCase, LoopResult, LoopTools, Step


        @dataclass(frozen=True)
        class LookAgain:
            name: str = "look-again"
            needs_model: bool = True

            def run(self, case: LoopCase, tools: LoopTools) -> LoopResult:
                again = {"role": "user", "content": "Look at your query again and answer with the right one."}
                said = {"role": "assistant", "content": case.answer.text}
                messages = [*case.messages, said, again]
                answer = tools.ask("corrector", messages)
                query = extract_cypher(answer.text)
                taken = query is not None and tools.graph.explain(query).status == "ok"
                verdict = "taken" if taken else "not_taken"
                tools.note(Step("corrector", query, verdict, messages=messages, answer=answer))
                return LoopResult(query if taken else case.cypher)


        def pytest_retrocypher_loops(config):
            return [LookAgain()]

    Args:
        config: The session's configuration.

    Returns:
        The loops, none of them called like another.
    """
