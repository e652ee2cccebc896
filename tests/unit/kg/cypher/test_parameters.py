"""String literals as parameters, and the shape of a query."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import Case, read_cases

from retrocypher.kg.cypher.clauses import clauses
from retrocypher.kg.cypher.edits import quote, string_literals
from retrocypher.kg.cypher.parameters import parameter_places, parameterise, shape
from retrocypher.kg.cypher.parser import parse

CASES = Path(__file__).with_name("parameter_cases.cypher")
SMILES = st.text(alphabet="CNOc()[]=#@+-\\/1'\"", max_size=30)


@pytest.mark.parametrize("case", read_cases(CASES, "literals"), ids=lambda case: case.text)
def test_replaces_literals_of_patterns_and_comparisons(case: Case) -> None:
    text, _, values = case.outcome.partition(" // ")
    found = parameterise(case.text)
    assert found.text == text
    assert list(found.parameters.values()) == values.split(", ")
    assert all(f"${name}" in text for name in found.parameters)


@pytest.mark.parametrize("query", ["", *(case.text for case in read_cases(CASES, "all else"))])
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
