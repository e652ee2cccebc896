"""Queries over a small graph in memory."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.hostile_texts import OVER, UNDER
from support.small_reactions import REACTIONS

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.interpreter.interpreter import SmallResult, interpret
from retrocypher.kg.interpreter.values import (
    NotInterpretedError,
    QueryFailsError,
    equal,
    group_key,
    less,
    sort_key,
)
from retrocypher.plugins.scoring.small_graphs import small_graph
from retrocypher.prompts.validation.reaction_graph import load_domain

GRAPH = small_graph(REACTIONS, load_domain())
QUERIES = yaml.safe_load(Path(__file__).with_name("queries.yaml").read_text("utf-8"))


def run(query: str) -> SmallResult:
    return interpret(parse(query), GRAPH)


def outcome(query: str) -> str:
    """That a query ended well, or what is said of why it did not."""
    try:
        return f"{len(run(query).rows)} rows"
    except (NotInterpretedError, QueryFailsError) as error:
        return str(error)


@pytest.mark.parametrize("entry", QUERIES, ids=lambda entry: entry["cypher"][:60])
def test_a_query_gives_what_a_server_gives(entry: dict[str, Any]) -> None:
    if entry["rows"] is None:
        with pytest.raises(QueryFailsError):
            run(entry["cypher"])
    else:
        assert run(entry["cypher"]).rows == json.loads(entry["rows"])


def test_nodes_relationships_and_paths_have_the_form_of_records() -> None:
    (row,) = run("MATCH p = (r:Reaction {id: 1})-[e:PRODUCES]->(t) RETURN r, e, p, [t] AS ts").rows
    reaction = {"id": "4:small:0", "labels": ["Reaction"], "properties": {"id": 1}}
    target = {"id": "4:small:3", "labels": ["Molecule"], "properties": {"name": "T"}}
    made = {"id": "5:small:2", "type": "PRODUCES", "start": "4:small:0", "end": "4:small:3"}
    made["properties"] = {"yield": 61.0}  # type: ignore[assignment]
    assert row == [
        {"$node": reaction},
        {"$relationship": made},
        {"$path": {"nodes": [reaction, target], "relationships": [made]}},
        [{"$node": target}],
    ]


def test_a_star_stands_for_all_variables_in_the_order_of_the_alphabet() -> None:
    assert run("MATCH (z:Reaction {id: 1})-[:PRODUCES]->(a) RETURN *, 1 AS x").columns == ["a", "z", "x"]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("MATCH (n) RETURN n.name = $name", r"\$name"),
        ("MATCH (n) RETURN apoc.text.join([n.name], '')", "apoc.text.join"),
        ("MATCH (n) RETURN stDev(n.id)", "stDev"),
        ("MATCH (n) SET n.x = 1", "without RETURN"),
        ("MATCH (n) SET n.x = 1 RETURN n", "the clause SET"),
        ("CALL db.labels() YIELD label RETURN label", "the clause CALL"),
        ("RETURN date('2020-01-01')", "the function date"),
        ("MATCH (n) RETURN m", "the variable `m`"),
        ("MATCH REPEATABLE ELEMENTS (a)-->{1,2}(b) RETURN a", "REPEATABLE ELEMENTS"),
        ("MATCH p = SHORTEST 2 GROUPS (a)-->(b) RETURN p", "a choice of paths"),
        ("RETURN 'aaaaaaaaaaaaaaaaaaaaaaaaaaaa' =~ '(a+)+b'", "regular expression"),
        ("RETURN 9223372036854775807 + 1", "64 bits"),
        ("MATCH (a), (b), (c), (d), (e), (f) RETURN count(*)", "many steps"),
        ("UNWIND range(1, 9999) AS a UNWIND range(1, 9999) AS b RETURN a", "many"),
        ("RETURN [x IN range(1, 9999) | range(1, 9999)]", "many steps"),
        ("RETURN reduce(t = 'a', x IN range(1, 99) | t + t)", "very long"),
        ("RETURN reduce(t = [], x IN range(1, 9000) | [t])", "nested very deeply"),
        ("RETURN (", "not valid Cypher"),
        ("RETURN 1; RETURN 2", "several statements"),
    ],
)
def test_what_is_not_known_or_takes_long_is_named(query: str, why: str) -> None:
    with pytest.raises(NotInterpretedError, match=why):
        run(query)


@pytest.mark.parametrize(
    "query", [*OVER.values(), *UNDER.values()], ids=[*OVER, *map("under {}".format, UNDER)]
)
def test_a_hostile_query_ends(query: str) -> None:
    assert outcome(query)


SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([0.5, 1.0, "", "a", "b"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner),
    max_leaves=5,
)


@examples(200)
@given(VALUES, VALUES)
def test_equality_order_and_grouping_agree(left: Any, right: Any) -> None:
    assert equal(left, right) is equal(right, left)
    if equal(left, right) is True:
        assert group_key(left) == group_key(right)
        assert sort_key(left) == sort_key(right)
        assert less(left, right) is not True
    if less(left, right) is True:
        assert sort_key(left) < sort_key(right)
        assert equal(left, right) is not True


@examples(100)
@given(st.lists(VALUES, max_size=6))
def test_values_of_all_types_have_one_order(values: list[Any]) -> None:
    there, back = (sorted(each, key=sort_key) for each in (values, values[::-1]))
    assert [*map(sort_key, there)] == [*map(sort_key, back)]


@examples(100)
@given(
    st.lists(
        st.sampled_from(["MATCH (a)", "-->", "(b)", "WHERE", "a.x", "=", "1", "RETURN a", "[", "]", "*"])
    )
)
def test_any_text_gives_rows_or_says_why_not(parts: list[str]) -> None:
    assert outcome(" ".join(parts))
