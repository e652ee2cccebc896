"""The stored table of exemplars that give answers away, measured again on the graph."""

from collections.abc import Iterator

import pytest

from retrocypher.kg.execution.execution import Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.questions.question import TASKS
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.scoring.leak import exemplar_key, measure_leak, shipped_leaks
from retrocypher.prompts.templates.exemplars import load_banks


@pytest.fixture(scope="module")
def graph(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedExecutor]:
    with GuardedExecutor(endpoint, Limits(), tmp_path_factory.mktemp("turns")) as executor:
        yield executor


@pytest.mark.parametrize("task", TASKS)
def test_what_is_stored_is_what_the_graph_gives(graph: GuardedExecutor, task: str) -> None:
    question = [each for each in load_questions().questions if each.task == task][7]
    bank = {exemplar_key(each): each for each in load_banks()[question.setting]}
    found = {each.id: measure_leak(graph, question, each) for each in bank.values()}
    stored = shipped_leaks().known([question], [tuple(bank.values())])
    assert found == {each.id: stored[each.id, question.id] for each in bank.values()}
