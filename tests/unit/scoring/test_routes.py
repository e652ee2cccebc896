"""Routes as they are read from rows."""

from collections.abc import Callable
from typing import Any

import pytest

from kg.questions import Question
from plugins.scoring._multi_step import partial_path_recall
from plugins.scoring._routes import routes


def molecule(name: str) -> dict[str, Any]:
    return {"$node": {"id": f"m{name}", "labels": ["Molecule"], "properties": {"name": name}}}


def reaction(number: int) -> dict[str, Any]:
    return {"$node": {"id": f"r{number}", "labels": ["Reaction"], "properties": {"id": number}}}


def path(text: str) -> dict[str, Any]:
    """A path written as ``A > 1 > B``: nodes and, between them, which way each relationship points."""
    steps = text.split()
    nodes = [reaction(int(step)) if step.isdigit() else molecule(step) for step in steps[::2]]
    ids = [node["$node"]["id"] for node in nodes]
    links = [
        {
            "$relationship": {
                "id": "x",
                "type": "T",
                "start": a if arrow == ">" else b,
                "end": b if arrow == ">" else a,
            }
        }
        for arrow, a, b in zip(steps[1::2], ids, ids[1:], strict=False)
    ]
    return {"$path": {"nodes": nodes, "relationships": links}}


FORWARD = path("A > 1 > B > 2 > C")
BACKWARD = path("C < 2 < B < 1 < A")


@pytest.mark.parametrize(
    ("columns", "row", "expected"),
    [
        (["p"], [FORWARD], {(1, 2)}),
        (["p"], [BACKWARD], {(1, 2)}),
        (["p"], [[FORWARD, path("A > 3 > C")]], {(1, 2), (3,)}),
        (["p"], [path("D < 1 > B > 2 > C")], {(1, 2)}),
        (["p"], [path("C < 2 < B < 1 > D")], {(1, 2)}),
        (["p"], [path("A > 1 < B")], {(1,)}),
        (["p"], [path("1")], {(1,)}),
        (["p", "nodes"], [BACKWARD, [reaction(2), reaction(1)]], {(1, 2)}),
        (["p", "n"], [FORWARD, 4], {(1, 2)}),
        (["nodes"], [[molecule("A"), reaction(1), molecule("B"), reaction(2)]], {(1, 2)}),
        (["ids"], [[1, 2]], {(1, 2)}),
        (["ids"], [["1", "2"]], {(1, 2)}),
        (["mixed"], [["CCO", 1, None, 2.5, True, "C1CC1", 2]], {(1, 2)}),
        (["maps"], [[{"id": 1}, {"reaction_id": 2, "yield": 50}]], {(1, 2)}),
        (["maps"], [[{"reaction": reaction(1)}, {"molecule": molecule("A")}, reaction(2)]], {(1, 2)}),
        (["routes"], [[[1, 2], [3, 4]]], {(1, 2), (3, 4)}),
        (["routes"], [[[[reaction(1), reaction(2)]], [[3]]]], {(1, 2), (3,)}),
        (["steps"], [[reaction(1), reaction(2)]], {(1, 2)}),
        (["ids", "names"], [[1, 2], ["A", "B"]], {(1, 2)}),
        (["a", "b"], [[1, 2], [3]], {(1, 2), (3,)}),
        (["r1", "r2"], [reaction(1), reaction(2)], {(1, 2)}),
        (["r1.id", "x", "r2.id", "length(p)", "steps"], [1, "CC", 2, 4, 2], {(1, 2)}),
        (["r2.id", "r1.id"], [2, 1], {(2, 1)}),
        (["a", "b"], [{"id": 1}, {"id": 2}], {(1, 2)}),
        (["route"], [{"reactions": [1, 2], "steps": 2}], {(1, 2)}),
        (["route"], [{"r1": 1, "r2": 2}], {(1, 2)}),
        (["all"], [[{"route": [1, 2]}, {"route": [3]}]], {(1, 2), (3,)}),
        (["name"], ["CCO"], set()),
        (["count(*)"], [7], set()),
        (["rels"], [[{"$relationship": {"start": "1", "end": "2", "properties": {}}}]], set()),
        (["p"], [[]], set()),
        (["p"], [None], set()),
    ],
)
def test_a_row(columns: list[str], row: list[Any], expected: set[tuple[int, ...]]) -> None:
    assert routes(columns, [row]) == expected


@pytest.mark.parametrize(
    "broken",
    [
        {"$path": None},
        {"$path": {"nodes": 3, "relationships": "x"}},
        {"$path": {"nodes": [None, 1], "relationships": [4]}},
        {"$node": 5},
        {"$node": {"labels": "Reaction", "properties": {"id": 1}}},
        {"$node": {"labels": ["Reaction"], "properties": {"id": 1.5}}},
        {"$map": 3},
    ],
)
def test_values_that_are_no_values_are_passed_over(broken: Any) -> None:
    assert routes(["p", "q"], [[broken, [broken]]]) <= {(1,)}


def test_deep_nesting_is_not_followed_for_ever() -> None:
    value: Any = 1
    for _ in range(400):
        value = [value]

    assert routes(["p"], [[value]]) == set()


@pytest.mark.parametrize(
    ("returned", "gold", "expected"),
    [
        ({(1, 2, 3)}, {(1, 2, 3)}, 1.0),
        ({(9, 2, 3)}, {(1, 2, 3)}, 2 / 3),
        ({(1, 2, 9)}, {(1, 2, 3)}, 0.0),
        ({(8, 1, 2, 3)}, {(1, 2, 3)}, 1.0),
        ({(3,), (2, 3)}, {(1, 2, 3)}, 2 / 3),
        ({(1, 2)}, {(1, 2), (3, 4)}, 0.5),
        (set(), {(1, 2)}, 0.0),
        (set(), set(), 1.0),
    ],
)
def test_partial_path_recall(
    returned: set[tuple[int, ...]], gold: set[tuple[int, ...]], expected: float
) -> None:
    assert partial_path_recall(returned, gold) == pytest.approx(expected)


def test_scores(question: Callable[..., Question], scored: Callable[..., dict[str, Any]]) -> None:
    gold = [{"route": [1, 2]}, {"route": [3, 2]}]

    scores = scored(question("chains_to_target", gold), ["ids"], [[[1, 2]], [[1, 2]], [[7, 2]], [[8, 9]]])

    assert scores["exact_path_precision"] == scores["precision"] == pytest.approx(1 / 3)
    assert scores["exact_path_recall"] == scores["recall"] == 0.5
    assert scores["exact_path_f1"] == scores["f1"] == pytest.approx(0.4)
    assert scores["partial_path_recall"] == 0.75
    assert scores["per_key"] is scores["focus_f1"] is scores["row_f1"] is scores["unmatched_columns"] is None
