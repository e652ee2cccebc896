"""String literals as parameters, and the shape of a query."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.cypher.clauses import clauses
from retrocypher.kg.cypher.edits import parameter_places, parameterise, quote, shape, string_literals
from retrocypher.kg.cypher.parser import parse

SMILES = st.text(alphabet="CNOc()[]=#@+-\\/1'\"", max_size=30)


@pytest.mark.parametrize(
    ("query", "text", "values"),
    [
        (
            r"MATCH (m {name: 'F/C=C\\F'})-[r:A {k: \"x\"}]->(n) RETURN n".replace(r"\"", '"'),
            "MATCH (m {name: $__p0})-[r:A {k: $__p1}]->(n) RETURN n",
            [r"F/C=C\F", "x"],
        ),
        (
            "MATCH (n) WHERE n.a = 'x' AND 'y' <> n.b RETURN n",
            "MATCH (n) WHERE n.a = $__p0 AND $__p1 <> n.b RETURN n",
            ["x", "y"],
        ),
        (
            "MATCH (n) WHERE n.a IN ['x', 'y', 1] AND 'z' IN n.b RETURN n",
            "MATCH (n) WHERE n.a IN [$__p0, $__p1, 1] AND $__p2 IN n.b RETURN n",
            ["x", "y", "z"],
        ),
        (
            "MATCH (n) WHERE EXISTS { (n)-->({a: 'x'}) } RETURN [(n)--({b: 'y'}) | 1] AS l",
            "MATCH (n) WHERE EXISTS { (n)-->({a: $__p0}) } RETURN [(n)--({b: 'y'}) | 1] AS l",
            ["x"],
        ),
        (
            "MATCH (n) WHERE n.a = $__p0 AND n.b = 'x' RETURN n",
            "MATCH (n) WHERE n.a = $__p0 AND n.b = $___p0 RETURN n",
            ["x"],
        ),
        (
            "MATCH (n {a: 'x'}) RETURN n.a = 'x', 'y' ORDER BY n.a = 'x'",
            "MATCH (n {a: $__p0}) RETURN n.a = 'x', 'y' ORDER BY n.a = 'x'",
            ["x"],
        ),
    ],
)
def test_replaces_literals_of_patterns_and_comparisons(query: str, text: str, values: list[str]) -> None:
    found = parameterise(query)
    assert found.text == text
    assert list(found.parameters.values()) == values
    assert all(f"${name}" in text for name in found.parameters)


@pytest.mark.parametrize(
    "query",
    [
        "RETURN 'a'",
        "MATCH (n) RETURN n.name = 'a', CASE n.name WHEN 'a' THEN 'b' END",
        "MATCH (n) WITH n.name = 'a' AS b, count(*) AS c WHERE b = 'a' RETURN b, c",
        "MATCH (n) RETURN n ORDER BY n.name = 'a'",
        "MATCH (n) WHERE n.name STARTS WITH 'a' OR n.name CONTAINS 'b' OR n.name =~ 'c.*' RETURN n",
        "MATCH (n) WHERE n.name ENDS WITH 'a' RETURN n",
        "MATCH (n) WHERE n.name < 'a' RETURN n",
        "MATCH (n) WHERE n['name'] = 1 RETURN n",
        "MATCH (n) WHERE n.name = 'a' + 'b' RETURN n",
        "MATCH (n) WHERE toLower('A') = n.name RETURN n",
        "MATCH (n) WHERE n.name IN ['a'] + ['b'] RETURN n",
        "MATCH (n) WHERE EXISTS { MATCH (n) RETURN n.name = 'a' AS x } RETURN n",
        "MATCH (n:$('A')) RETURN n",
        "MATCH (n {list: ['a']}) RETURN n",
        "UNWIND ['a', 'b'] AS x RETURN x",
        "CALL db.index.fulltext.queryNodes('names', 'a') YIELD node RETURN node",
        "LOAD CSV FROM 'file:///a' AS row RETURN row",
        "CREATE (n {name: 'a'})",
        "MERGE (n {name: 'a'}) RETURN n",
        "USE graph.byName('neo4j') MATCH (n {name: 'a'}) RETURN n",
        "CALL { USE neo4j MATCH (n {name: 'a'}) RETURN n } RETURN n",
        "MATCH (n {name: 'a'} RETURN n",
        "MATCH (n {name: 'a) RETURN n",
        r"MATCH (n {name: '\u0041'}) RETURN n.name",
        "MATCH (n {id: 1}) RETURN n",
        "",
    ],
)
def test_leaves_all_else_as_it_is(query: str) -> None:
    assert parameterise(query) == (query, {})


@given(SMILES, SMILES)
def test_queries_that_differ_in_a_literal_become_one_text(one: str, other: str) -> None:
    def query(value: str) -> str:
        return f"MATCH (m:Molecule {{name: {quote(value)}}})-[:REACTS_IN]->(r) WHERE r.id <> 3 RETURN r.id"

    first, second = parameterise(query(one)), parameterise(query(other))
    assert first.text == second.text
    assert first.parameters == {"__p0": one}
    assert shape(query(one)) == shape(query(other))
    parsed = parse(first.text)
    assert parsed.errors == ()
    assert [item.column for item in clauses(parsed)[-1].items] == ["r.id"]
    assert parameterise(first.text) == (first.text, {})
    assert parameterise(query(other), parameter_places(query(one))) == second


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("MATCH (n {a: 'x'}) RETURN n", 'MATCH (n  {a: "y"}) RETURN n // z', True),
        ("MATCH (n)-[*1..3]->() RETURN n", "MATCH (n)-[*1..4]->() RETURN n", False),
        ("MATCH (n) RETURN n LIMIT 1", "MATCH (n) RETURN n LIMIT 2", False),
        ("MATCH (n) RETURN n.`a`", "MATCH (n) RETURN n.`b`", False),
        ("CALL dbms.listConfig('a')", "CALL db.labels()", False),
        ("USE graph.byName('a') RETURN 1", "USE graph.byName('b') RETURN 1", False),
        ("RETURN 'a'", "RETURN a", False),
        ("RETURN 'a' 'b'", "RETURN 'a b'", False),
        ("RETURN 'a", "RETURN 'b", False),
    ],
)
def test_shape_tells_apart_what_may_plan_differently(one: str, other: str, same: bool) -> None:
    assert (shape(one) == shape(other)) is same


@given(st.text(max_size=50))
def test_shape_holds_no_literal(text: str) -> None:
    assert {literal.value for literal in string_literals(shape(text))} <= {""}
