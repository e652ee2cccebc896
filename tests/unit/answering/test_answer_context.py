"""What a model may answer from: rows and passages within a budget."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.graph.passages import Passage
from retrocypher.prompts.answering.passages import Found
from retrocypher.prompts.answering.writing import Limits, context_of, facts_of, tells_nothing


def found(score: float, text: str = "It was stirred.", reaction: int = 7) -> Found:
    return Found(Passage(reaction, text, "a.parquet", 3), score)


NODE = {"$node": {"id": "4:x:1", "labels": ["Molecule"], "properties": {"name": "CCO"}}}
PATH = {
    "$path": {
        "nodes": [
            NODE["$node"],
            {"id": "4:x:2", "labels": ["Reaction"], "properties": {"id": 5}},
            NODE["$node"],
        ],
        "relationships": [
            {"id": "5:x:1", "type": "REACTS_IN", "start": "a", "end": "b", "properties": {}},
            {"id": "5:x:2", "type": "PRODUCES", "start": "b", "end": "a", "properties": {"yield": 80.0}},
        ],
    }
}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("CCO", "CCO"),
        (None, None),
        (NODE, {"name": "CCO"}),
        ([NODE, 3], [{"name": "CCO"}, 3]),
        (PATH, [{"name": "CCO"}, "REACTS_IN", {"id": 5}, {"PRODUCES": {"yield": 80.0}}, {"name": "CCO"}]),
        ({"$temporal": {"type": "date", "value": "2020-01-02"}}, "2020-01-02"),
        ({"$float": "NaN"}, "NaN"),
        ({"$map": {"$node": 1}}, {"$node": 1}),
        ({"a": NODE}, {"a": {"name": "CCO"}}),
        ({}, {}),
    ],
)
def test_values_are_told_without_what_only_the_server_needs(value: Any, told: Any) -> None:
    (fact,) = facts_of(["x"], [[value]])
    assert json.loads(fact) == {"x": told}


def test_no_value_can_look_like_a_line_of_its_own() -> None:
    (fact,) = facts_of(["x"], [['C"}\n{"x": "CCO']])
    assert len(fact.splitlines()) == 1


@pytest.mark.parametrize(
    ("rows", "nothing"),
    [([], True), ([[]], True), ([[None, [None, ""]]], True), ([[None], [0]], False), ([[False]], False)],
)
def test_rows_without_a_value_tell_nothing(rows: list[list[Any]], nothing: bool) -> None:
    assert tells_nothing(rows) is nothing


def test_rows_are_capped_and_counted() -> None:
    context = context_of(["n"], [[n] for n in range(80)], 80, None, Limits(rows=3))
    assert context.facts == ('{"n": 0}', '{"n": 1}', '{"n": 2}')
    assert context.to_json() == {"rows": 3, "of": 80, "characters": 24}


def test_the_budget_ends_the_rows_and_one_is_given_at_least() -> None:
    context = context_of(["n"], [["C" * 90], ["C" * 90], ["C"]], 3, None, Limits(characters=150))
    assert len(context.facts) == 1
    cut = context_of(["n"], [["C" * 900], ["C"]], 2, None, Limits(characters=100))
    assert cut.facts == (('{"n": "' + "C" * 900)[:92] + " … (cut)",)
    assert cut.characters == 100


def test_passages_and_facts_are_fused_by_weight_and_relevance() -> None:
    rows = [[f"{n:05}"] for n in range(10)]
    near, far = found(0.9, "n" * 60), found(0.2, "f" * 60)
    context = context_of(["x"], rows, 10, [far, near], Limits(characters=100))
    # 0.6 x 0.9 comes before the other rows with 0.4 x 1, and these before 0.6 x 0.2.
    assert (len(context.facts), context.passages) == (2, (near,))
    assert context.combined == pytest.approx(0.6 * 0.9 + 0.4)
    more = context_of(["x"], rows, 10, [far, near], Limits(characters=100, text_weight=0.1, graph_weight=0.9))
    assert (len(more.facts), more.passages) == (7, ())
    assert more.combined == pytest.approx(0.9)
    told = context.to_json()["passages"]
    assert told == [{"reaction": 7, "file": "a.parquet", "row": 3, "score": 0.9}]


def test_no_more_passages_than_asked_for() -> None:
    several = [found(score / 10) for score in range(1, 8)]
    context = context_of(["x"], [[1]], 1, several, Limits(passages=2))
    assert [each.score for each in context.passages] == [0.7, 0.6]
    assert context_of(["x"], [[1]], 1, [], Limits()).combined == pytest.approx(0.4)


@given(
    st.lists(st.text(max_size=40), min_size=1, max_size=30),
    st.lists(st.tuples(st.floats(0, 1), st.text(max_size=80)), max_size=6),
    st.integers(20, 400),
    st.floats(0, 1),
)
def test_nothing_passes_the_budget(
    values: list[str], passages: list[tuple[float, str]], room: int, weight: float
) -> None:
    limits = Limits(characters=room, text_weight=weight, graph_weight=1 - weight)
    given_ = [found(score, text) for score, text in passages]
    context = context_of(["x"], [[value] for value in values], len(values), given_, limits)
    assert context.facts
    taken = sum(map(len, context.facts)) + sum(len(each.passage.text) for each in context.passages)
    assert taken == context.characters <= room
    assert len(context.passages) <= limits.passages
