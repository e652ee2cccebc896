"""Routes as they are read from rows, beyond those that docs/scores.md shows."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.graph_values import VALUES, molecule, reaction

from retrocypher.plugins.scoring.routes import partial_path_recall, routes


def path(text: str) -> dict[str, Any]:
    """A path written as ``A > 1 > B``: nodes and, between them, which way each relationship points."""
    steps = text.split()
    nodes = [reaction(int(step)) if step.isdigit() else molecule(step) for step in steps[::2]]
    ids = [node["$node"]["id"] for node in nodes]
    ends = [
        (a, b) if arrow == ">" else (b, a) for arrow, a, b in zip(steps[1::2], ids, ids[1:], strict=False)
    ]
    links = [{"$relationship": {"id": "x", "type": "T", "start": a, "end": b}} for a, b in ends]
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
        (["ids"], [["1", "2"]], {(1, 2)}),
        (["mixed"], [["CCO", 1, None, 2.5, True, "C1CC1", 2]], {(1, 2)}),
        (["maps"], [[{"id": 1}, {"reaction_id": 2, "yield": 50}]], {(1, 2)}),
        (["maps"], [[{"reaction": reaction(1)}, {"molecule": molecule("A")}, reaction(2)]], {(1, 2)}),
        (["routes"], [[[[reaction(1), reaction(2)]], [[3]]]], {(1, 2), (3,)}),
        (["ids", "names"], [[1, 2], ["A", "B"]], {(1, 2)}),
        (["a", "b"], [[1, 2], [3]], {(1, 2), (3,)}),
        (["r1", "r2"], [reaction(1), reaction(2)], {(1, 2)}),
        (["r2.id", "r1.id"], [2, 1], {(2, 1)}),
        (["r1", "r1.id", "r2", "r2.id"], [reaction(1), 1, reaction(2), 2], {(1, 2)}),
        (["r2.id", "r1", "r2"], [2, reaction(1), reaction(2)], {(1, 2)}),
        (["a", "b"], [{"id": 1}, {"id": 2}], {(1, 2)}),
        (["route"], [{"reactions": [1, 2], "steps": 2}], {(1, 2)}),
        (["route"], [{"r1": 1, "r2": 2}], {(1, 2)}),
        (["all"], [[{"route": [1, 2]}, {"route": [3]}]], {(1, 2), (3,)}),
        (["name"], ["CCO"], set()),
        (["count(*)"], [7], set()),
        (["rels"], [[{"$relationship": {"start": "1", "end": "2", "properties": {}}}]], set()),
        (["step_1", "step_2"], [1, 2], {(1, 2)}),
        (["Step 1", "x", "Step 2"], [1, "CC", 2], {(1, 2)}),
        (["index1", "index2"], [1, 2], {(1, 2)}),
        (["rank1", "rank2", "rank3"], [1, 2, None], {(1, 2)}),
        (["n1", "n2"], [1, 2], {(1, 2)}),
        (["first_step", "second_step"], [1, 2], {(1, 2)}),
        (["step_one", "step_two", "total_steps"], [1, 2, 2], {(1, 2)}),
        (["step1", "yield_step1", "step2", "yield_step2"], [1, 80.0, 2, 90.0], {(1, 2)}),
        (["route1_step1", "route1_step2"], [1, 2], {(1, 2)}),
        (["step1", "reaction1", "step2", "reaction2"], [1, 11, 2, 12], {(11, 12)}),
        (["id", "step1", "step2"], [7, 1, 2], {(1, 2)}),
        (["step2", "step1"], [2, 1], {(1, 2)}),
        (["r2", "r1"], [2, 1], {(2, 1)}),
        (["second_reaction", "first_reaction"], [2, 1], {(1, 2)}),
        (["step2", "step1"], [reaction(2), reaction(1)], {(1, 2)}),
        (["step2", "step1", "target"], [{"id": 2}, {"id": 1}, "CCO"], {(1, 2)}),
        (["step1", "product1", "step2", "product2"], [1, "A", 2, "B"], {(1, 2)}),
        (["m1", "s1", "m2", "s2", "m3"], ["A", 1, "B", 2, "C"], {(1, 2)}),
        (["step1", "yield1", "n1", "step2", "yield2", "n2"], [1, 80.0, "A", 2, 90.0, "B"], {(1, 2)}),
        (["m1", "x", "m2"], ["A", 1, "B"], {(1,)}),
        (["nodes"], [[{"molecule": {"name": "A"}}, {"reaction": {"id": 1}}]], {(1,)}),
        (["route"], [[{"r": 1}, {"r": 2}]], {(1, 2)}),
        (["route"], [[{"step": 1, "details": {"rid": 1}}, {"step": 2, "details": {"rid": 2}}]], {(1, 2)}),
        (["route"], [{"step2": {"reaction": {"id": 2}}, "step1": {"reaction": {"id": 1}}}], {(1, 2)}),
        (["routes"], [[[{"r": 1}, {"r": 2}], [{"r": 3}, {"r": 4}]]], {(1, 2), (3, 4)}),
        (["total_route"], [[1, 2]], {(1, 2)}),
        (["yield_path", "n"], [["1", "2"], 2], {(1, 2)}),
        (["total_route", "x"], [[1, 2], 3], {(3,)}),
        (["total_route", "r1", "r2"], [[9, 8], 1, 2], {(1, 2)}),
        (["yields"], [[80.0, 90.0]], set()),
        (["ids"], [[" 1", "2.0"]], {(1, 2)}),
        (["ids"], [["1.5", "1e2", "2.", "٣", "-"]], set()),
        (["route"], [{"reaction1": 1, "reaction2": 2}], {(1, 2)}),
        (["route"], [{"second": reaction(2), "first": reaction(1)}], {(1, 2)}),
        (
            ["routes"],
            [[{"reaction2": 2, "reaction1": 1}, {"reaction1": 3, "reaction2": 4}]],
            {(1, 2), (3, 4)},
        ),
        (["route"], [{"id": 1, "reaction": reaction(1)}], {(1,)}),
        (["routes"], [[{"id": 1, "reactions": [11, 12]}, {"id": 2, "reactions": [13]}]], {(11, 12), (13,)}),
        (["maps"], [[{"id": 1, "yields": [80.0, 90.0]}, {"id": 2, "yields": [7.0]}]], {(1, 2)}),
        (["step"], [2], set()),
        (["step1"], [2], set()),
        (["yield1", "yield2"], [80, 90], set()),
        (["a", "b", "molecule_weight_total"], [1, 2, 2], {(1, 2)}),
        (["r1", "r2", "x"], [reaction(1), 2, 9], {(1, 2)}),
        (["reactions", "x"], [[1, 2], 9], {(1, 2)}),
        (["steps", "id"], [[1, 2], 9], {(1, 2)}),
        (["ids", "[x IN relationships(p) | x.yield]"], [[1, 2], [80, 90]], {(1, 2)}),
        (["r1.id", "r2.id", "yields"], [1, 2, [80.0, 90.0]], {(1, 2)}),
        (["reaction_ids", "flags"], [[1, 2], [0, 1]], {(1, 2)}),
        (["steps", "x"], [[1, 2], [3, 4]], {(3, 4)}),
        (["ids"], [[1.0, 2.0]], {(1, 2)}),
        (["r1.id", "r2.id", "yield"], [1.0, 2.0, 80.0], {(1, 2)}),
        (["ids"], [[1.0, 2.5, 2.0**60]], {(1,)}),
        (["p"], [[]], set()),
        (["p"], [None], set()),
    ],
)
def test_a_row(columns: list[str], row: list[Any], expected: set[tuple[int, ...]]) -> None:
    assert routes(columns, [row]) == expected


@pytest.mark.parametrize(
    ("columns", "rows", "expected"),
    [
        (["step", "reaction_id"], [[2, 12], [1, 11]], {(11, 12)}),
        (["step_number", "r"], [[1, reaction(11)], [2, reaction(12)]], {(11, 12)}),
        (["step", "r", "product"], [[1.0, {"id": 11}, "A"], ["2", {"id": 12}, "B"]], {(11, 12)}),
        (["pathway_id", "idx", "id"], [["b", 0, 3], ["a", 0, 1], ["a", 1, 2]], {(1, 2), (3,)}),
        (["steps", "step", "id"], [[[11, 12], 1, 11], [[11, 12], 2, 12]], {(11, 12)}),
        # Several routes, and nothing that says which step is of which.
        (["step", "id"], [[1, 11], [2, 12], [1, 13]], {(11,), (12,), (13,)}),
        (["step", "id"], [[1, 11], [None, 12]], {(11,), (12,)}),
        (["route", "id"], [[1, 11], [1, 12]], {(11,), (12,)}),
        (["step", "r1", "r2"], [[1, 11, 12], [2, 13, 14]], {(11, 12), (13, 14)}),
        (["step", "hop", "id"], [[1, 2, 11], [2, 1, 12]], {(11,), (12,)}),
        # The same step twice, for each of its products, is one step.
        (["step", "id", "product"], [[1, 11, "A"], [1, 11, "B"], [2, 12, "C"]], {(11, 12)}),
    ],
)
def test_a_step_a_row(columns: list[str], rows: list[list[Any]], expected: set[tuple[int, ...]]) -> None:
    assert routes(columns, rows) == expected


_STEPS = st.lists(st.integers(0, 9), min_size=2, max_size=4, unique=True)


@given(_STEPS, st.sampled_from(["step", "Step ", "hop_", "reaction_step"]), st.randoms())
def test_the_order_of_numbered_columns_and_of_steps_does_not_matter(
    route: list[int], stem: str, random: Any
) -> None:
    cells = [(f"{stem}{number}", step) for number, step in enumerate(route, 1)]
    cells += [(f"product{number}", "CCO") for number in range(1, len(route) + 1)]
    random.shuffle(cells)
    assert routes([name for name, _ in cells], [[value for _, value in cells]]) == {tuple(route)}

    rows = [["a", number, step] for number, step in enumerate(route)]
    random.shuffle(rows)
    assert routes(["route", stem, "reaction_id"], rows) == {tuple(route)}


@given(st.lists(st.lists(VALUES, max_size=4), max_size=4))
def test_any_rows_can_be_read(rows: list[list[Any]]) -> None:
    names = ["route", "step", "r1", "step2"]
    assert all(isinstance(step, int) for route in routes(names, rows) for step in route)


MEASURES = (
    "chain_length chainLength num_reactions number_of_reactions total_steps reaction_steps hop_count "
    "num_hops path_len route_length path_index idx route_id step_number n count nSteps n_reactions stepCount "
    "pathId chain_id pathway_id noOfSteps steps_to_target distance depth reaction_count total_reactions "
    "length(p) length(p)/2 size(reactions) count(r.id) overall_yield yield_percent rank route_no total"
)


@pytest.mark.parametrize("measure", MEASURES.split())
@pytest.mark.parametrize("names", [("r1.id", "r2.id"), ("step1", "step2"), ("r1", "r2"), ("a", "b")])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_measure_is_no_step(measure: str, names: tuple[str, str], place: int) -> None:
    columns, row = [*names], [1, 2]
    columns.insert(place, measure)
    row.insert(place, 3)

    assert routes(columns, [row]) == {(1, 2)}
    assert routes(["route"], [[dict(zip(columns, row, strict=True))]]) == {(1, 2)}
    assert routes([measure, "x"], [[3, [1, 2]]]) == {(1, 2)}


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
    nested: Any = 1
    mapped: Any = 1
    for _ in range(400):
        nested, mapped = [nested], {"entry": mapped}

    assert routes(["p"], [[nested]]) == routes(["p"], [[mapped]]) == set()


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
