"""What a query returns has one strict JSON form."""

import datetime
import json
from typing import Any

import neo4j.time
import pytest
from hypothesis import given
from hypothesis import strategies as st
from neo4j.graph import Graph, Node, Path, Relationship
from neo4j.spatial import CartesianPoint, WGS84Point

from retrocypher.kg.execution.client_process import DEEPEST, to_json_value

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.text(st.characters()),
    st.binary(max_size=20),
    st.datetimes(),
    st.dates(),
    st.times(),
    st.timedeltas(),
    st.builds(CartesianPoint, st.tuples(st.floats(), st.floats())),
    st.builds(neo4j.time.Duration, months=st.integers(-99, 99), nanoseconds=st.integers(-(10**12), 10**12)),
    st.just(object()),
)
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(
            st.one_of(st.text(max_size=4), st.sampled_from(["$node", "$map", ""])), inner, max_size=4
        ),
    ),
    max_leaves=20,
)


def strict(value: Any) -> str:
    return json.dumps(value, allow_nan=False, ensure_ascii=False)


@given(values)
def test_any_value_is_strict_json_in_utf8(value: Any) -> None:
    converted = to_json_value(value)
    text = strict(converted)
    assert json.loads(text.encode("utf-8")) == converted
    assert strict(to_json_value(value)) == text


@given(st.dictionaries(st.text(max_size=5), st.integers(), max_size=4))
def test_a_map_can_never_pass_for_a_special_value(value: dict[str, int]) -> None:
    converted = to_json_value({"$node": 1, **value})
    assert list(converted) == ["$map"]


@given(st.integers(0, 5000))
def test_depth_is_bounded(depth: int) -> None:
    value: Any = 1
    for _ in range(depth):
        value = {"a": value}
    text = strict(to_json_value(value))
    assert ("$deeper" in text) == (depth > DEEPEST)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (float("nan"), {"$float": "NaN"}),
        (float("inf"), {"$float": "Infinity"}),
        (float("-inf"), {"$float": "-Infinity"}),
        (b"\x00\xff", {"$bytes": "AP8="}),
        ("half \ud800", "half ?"),
        ({"$a": 1, "b": {"$c": 2}}, {"$map": {"$a": 1, "b": {"$map": {"$c": 2}}}}),
        (neo4j.time.Date(2020, 2, 3), {"$temporal": {"type": "date", "value": "2020-02-03"}}),
        (
            neo4j.time.DateTime(2020, 2, 3, 4, 5, 6, 7),
            {"$temporal": {"type": "localdatetime", "value": "2020-02-03T04:05:06.000000007"}},
        ),
        (
            neo4j.time.Time(4, 5, 6, 0, tzinfo=datetime.UTC),
            {"$temporal": {"type": "time", "value": "04:05:06.000000000+00:00"}},
        ),
        (neo4j.time.Duration(days=2), {"$temporal": {"type": "duration", "value": "P2D"}}),
        (WGS84Point((1.0, 2.0)), {"$point": {"srid": 4326, "coordinates": [1.0, 2.0]}}),
        (object(), {"$unknown": "object"}),
    ],
)
def test_documented_forms(value: Any, expected: Any) -> None:
    assert to_json_value(value) == expected


def test_nodes_relationships_and_paths_keep_their_ends_and_order() -> None:
    graph = Graph()
    molecule = Node(graph, "m", 1, ["Molecule"], {"name": "CCO"})
    reaction = Node(graph, "r", 2, ["Reaction"], {"id": 7, "$odd": float("nan")})
    edge = Relationship(graph, "e", 3, {"yield": 55.5})
    edge.__class__ = graph.relationship_type("PRODUCES")
    edge._start_node, edge._end_node = reaction, molecule
    path = Path(molecule, edge)

    node_json = {"id": "m", "labels": ["Molecule"], "properties": {"name": "CCO"}}
    edge_json = {"id": "e", "type": "PRODUCES", "start": "r", "end": "m", "properties": {"yield": 55.5}}
    assert to_json_value(molecule) == {"$node": node_json}
    assert to_json_value(reaction)["$node"]["properties"] == {"id": 7, "$odd": {"$float": "NaN"}}
    assert to_json_value(edge) == {"$relationship": edge_json}
    # Written from the molecule, the path still tells that the relationship starts at the reaction.
    assert [node["id"] for node in to_json_value(path)["$path"]["nodes"]] == ["m", "r"]
    assert to_json_value([path])[0]["$path"]["relationships"] == [edge_json]
