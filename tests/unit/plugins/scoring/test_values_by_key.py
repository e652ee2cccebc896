"""Values that a result holds beside those of gold."""

from typing import Any

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.scoring.single_step import Values, values_by_key


def _question(setting: Any, gold: list[dict[str, Any]]) -> Question:
    task = "precursors" if setting == "single_step" else "chains_to_target"
    return Question("q", task, setting, 2, "", {"target": "P"}, "", gold, "P", True)


def _execution(status: Any, columns: list[str], rows: list[list[Any]]) -> Execution:
    return Execution(status, columns=columns, rows=rows)


def test_reactions_are_compared_by_key_and_told_apart_by_id() -> None:
    question = _question(
        "single_step", [{"id": 1, "reactants": ["A"], "products": ["P"], "agents": [], "solvents": []}]
    )
    found = values_by_key(question, _execution("ok", ["reaction_id", "precursors"], [[1.0, ["A", "B"]]]))
    assert found["id"] == Values(frozenset({1}), frozenset({1}))
    assert found["reactants"] == Values(frozenset({"A"}), frozenset({"A", "B"}))
    assert found["products"] == Values(frozenset({"P"}), frozenset())


def test_routes_are_compared_whole() -> None:
    question = _question("multi_step", [{"route": [1, 2]}])
    found = values_by_key(question, _execution("ok", ["ids"], [[[2, 1]]]))
    assert found == {"route": Values(frozenset({(1, 2)}), frozenset({(2, 1)}))}


def test_nothing_is_returned_where_the_query_did_not_run_to_its_end() -> None:
    question = _question("multi_step", [{"route": [1, 2]}])
    found = values_by_key(question, _execution("timeout", ["ids"], [[[1, 2]]]))
    assert found["route"].returned == frozenset()
