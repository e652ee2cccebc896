"""Broken queries are reported in plain words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.prompts.validation.check_text import syntax_words
from retrocypher.prompts.validation.validator import SchemaValidator

WHOLE = (
    "MATCH (r:Reaction {id: 1})-[:PRODUCES*1..4]->(m {name: 'C(C)O'}) WHERE m.x > 2 "
    "RETURN r.id AS id ORDER BY id"
)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("MATCH (r:Reaction {id: 1) RETURN r", "unexpected ')'; expected ',' or '}'"),
        ("MATCH (n) RETURN n.a b", "unexpected 'b'; expected the end of the query or ';'"),
        ("MATCH (a)-[:X->(b) RETURN a", "unexpected '-'; expected '$', '{', ']', '*' or WHERE"),
        ("SELECT * FROM x", "unexpected 'SELECT'"),
        ("\x85", r"unexpected '\x85'"),
        ("MATCH (r RETURN r", "unexpected 'RETURN'"),
        ("RETURN {a: 1", "unexpected end of the query; expected ',' or '}'"),
        ("MATCH (n {name 'x'}) RETURN n", "':' is missing before 'x'"),
        ("MATCH (a)-[:X]>(b) RETURN a", "'-' is missing before '>'"),
        ("MATCH (n) RETURN n ORDER n.x", "BY is missing before 'n'"),
        ("MATCH (n {name: 'x) RETURN n", "the string that begins with ' does not end"),
        (r"RETURN '\u00g'", r"\u needs four hexadecimal digits"),
    ],
)
def test_what_the_parser_says_is_put_in_words(query: str, words: str) -> None:
    assert syntax_words(parse(query)) == words


@given(st.integers(0, len(WHOLE)), st.integers(1, 6), st.sampled_from(["", "'", "}", " x ", "#", "LIMIT"]))
def test_no_language_of_parsers_is_left(start: int, length: int, instead: str) -> None:
    parsed = parse(WHOLE[:start] + instead + WHOLE[start + length :])
    if parsed.errors:
        words = syntax_words(parsed)
        assert not any(
            each in words for each in ("mismatched", "extraneous", "viable", "EOF", "LITERAL", "_")
        )


def test_a_finding_says_what_is_wrong_and_gives_no_orders() -> None:
    found = SchemaValidator(default_schema(), "as-asked").validate(
        "Sure! MATCH (n) RETURN n", "What is there?"
    )
    (finding,) = found.findings
    assert finding.message == (
        "Not valid Cypher at line 1, column 1, near 'Sure! MATCH (n) RETURN n': unexpected 'Sure'. "
        "What can run is one Cypher query and nothing else."
    )
