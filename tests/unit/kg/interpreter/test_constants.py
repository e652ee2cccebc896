"""Strings that a query makes of literals alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.cypher.edits import quote, string_literals
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.interpreter.constants import with_made_strings


@pytest.mark.parametrize(
    ("made", "string"),
    [
        ("left('CCO', 2)", "CC"),
        ("replace(replace('C/C=C\\\\C', '/', ''), '\\\\', '')", "CC=CC"),
        ("'CCO' + '.' + 'CCN'", "CCO.CCN"),
        ("toUpper('cc')", "CC"),
        ("substring('CCO', 0, size('CCO') - 1)", "CC"),
    ],
)
def test_a_string_that_is_made_stands_in_its_place(made: str, string: str) -> None:
    query = "WITH {0} AS name MATCH (m:Molecule {{name: {0}}}) RETURN m.name"
    assert with_made_strings(parse(query.format(made))) == query.format(quote(string))


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (m:Molecule {name: 'CCO'}) RETURN toString(m.id) + ' of ' + m.name",
        "MATCH (m) WHERE toLower(m.name) = toLower('CCO') RETURN m",
        "MATCH (m) WHERE m.name = unknown.function('CCO') RETURN m",
        "MATCH (m) WHERE m.name = left('CCO') RETURN m",
        "MATCH (m RETURN toLower('CCO'",
    ],
)
def test_what_is_not_made_of_literals_alone_stays(query: str) -> None:
    assert with_made_strings(parse(query)) == query


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_two_literals_are_joined(left: str, right: str) -> None:
    text = with_made_strings(parse(f"RETURN {quote(left)} + {quote(right)} AS both"))
    assert [each.value for each in string_literals(text)] == [left + right]
