"""The quick reading of routes says what the plain one does, whatever the rows hold."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.plain_routes import plain_routes

from retrocypher.plugins.scoring.routes import routes

names = st.sampled_from(
    [
        *("id", "reaction_id", "step1", "step2", "steps", "route", "r1", "r2.id", "yield", "name"),
        *("nodes", "relationships", "properties", "labels", "start", "end", ""),
        *("$node", "$path", "$relationship", "$map", "$float", "$temporal"),
    ]
)
scalars = st.none() | st.booleans() | st.integers(-1, 9) | st.sampled_from(["C", "12", 2.0, 2.5, 1e300, "²"])
labels = st.sampled_from([["Reaction"], ["Molecule"], [], None, "Reaction"])
properties = st.dictionaries(st.sampled_from(["id", "name"]), scalars, max_size=2) | scalars
contents = st.builds(
    lambda number, labels, properties: {"id": number, "labels": labels, "properties": properties},
    st.sampled_from("ab"),
    labels,
    properties,
)
nodes = st.builds(lambda content: {"$node": content}, contents | scalars)
links = st.builds(
    lambda start, end: {"start": start, "end": end}, st.sampled_from("ab"), st.sampled_from("ab")
)
paths = st.builds(
    lambda nodes, links: {"$path": {"nodes": nodes, "relationships": links}},
    st.lists(contents | nodes | scalars, max_size=3) | scalars,
    st.lists(links | st.builds(lambda link: {"$relationship": link}, links) | scalars, max_size=2) | scalars,
)
values = st.recursive(
    scalars | nodes | paths,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(nodes, max_size=3)
        | st.dictionaries(names, inner, max_size=3)
        | st.builds(lambda v: {"$relationship": {"start": "a", "end": "b", "properties": v}}, inner)
        | st.builds(lambda v: {"$map": v}, inner)
    ),
    max_leaves=10,
)


@examples(300)
@given(st.lists(names, max_size=4), st.lists(st.lists(values, max_size=4) | values, max_size=3))
def test_the_routes_are_the_same(columns: list[str], rows: list[Any]) -> None:
    assert routes(columns, rows) == plain_routes(columns, rows)


@examples(300)
@given(st.integers(45, 54), values, st.sampled_from(["$list", "$map", "entry"]))
def test_however_deep_they_lie(depth: int, value: Any, kind: str) -> None:
    for _ in range(depth):
        value = [value] if kind == "$list" else {kind: value}
    assert routes(["c"], [[value]]) == plain_routes(["c"], [[value]])
