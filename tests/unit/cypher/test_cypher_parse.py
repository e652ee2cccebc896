from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.cypher.grammar import RecognizerTables, load_tables
from retrocypher.kg.cypher.parser import Grammar, parse
from retrocypher.kg.cypher.tokens import token_reader
from retrocypher.kg.errors import GraphError


def test_tree_has_rules_and_offsets() -> None:
    parsed = parse("MATCH (m:Molecule {name: 'CC(=O)O'}) RETURN m")
    pattern = parsed.root.find("nodePattern")
    assert pattern is not None
    assert parsed.source(pattern) == "(m:Molecule {name: 'CC(=O)O'})"
    assert [parsed.source(node) for node in pattern.find_all("propertyKeyName")] == ["name"]
    literal = pattern.find("stringLiteral")
    assert literal is not None
    assert literal.within("nodePattern", "relationshipPattern") is pattern
    assert [token.text for token in literal.tokens()] == ["'CC(=O)O'"]


def test_broken_text_gives_a_partial_tree() -> None:
    parsed = parse("MATCH (a)-[:REACTS_IN]->(r) RETRUN r")
    assert [issue.offset for issue in parsed.errors] == [28]
    assert "RETRUN" in parsed.errors[0].message
    assert parsed.root.find("relationshipPattern") is not None


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("MATCH (n) RETURN n", 0),
        ("EXPLAIN MATCH (n) RETURN n", 1),
        (r"\u0045XPLAIN MATCH (n) RETURN n", 1),
        ("profile MATCH (n) RETURN n", 1),
        ("CYPHER 5 MATCH (n) RETURN n", 2),
        ("CYPHER 5 runtime = slotted planner=dp MATCH (n) RETURN n", 8),
        ("EXPLAIN CYPHER 5 MATCH (n) RETURN n", 3),
        ("// a comment\nEXPLAIN /* more */ MATCH (n) RETURN n", 1),
    ],
)
def test_prefix_is_no_part_of_the_tree(query: str, count: int) -> None:
    parsed = parse(query)
    assert (parsed.errors, parsed.prefix_tokens) == ((), count)
    assert parsed.source(parsed.root) == "MATCH (n) RETURN n"


def test_unicode_escapes_keep_the_offsets_of_the_query() -> None:
    parsed = parse(r"MATCH (n:\u0041\uD83D) RETURN \u006e AS x")
    assert parsed.errors
    parsed = parse(r"MATCH (n:\u0041) RETURN \u006e AS x")
    assert parsed.errors == ()
    label = parsed.root.find("labelExpression")
    assert label is not None
    assert parsed.source(label) == r":\u0041"
    assert parse(r"RETURN '\u00g1'").errors[0].offset == 8


def test_deep_nesting_is_read_or_refused() -> None:
    assert parse(f"RETURN {'(' * 2000}1{')' * 2000}").errors == ()
    for opening in ("(", "[", "{a: ", "f(", "EXISTS { MATCH (n) WHERE ", "shortestPath("):
        (issue,) = parse(f"RETURN {opening * 2000}").errors
        assert "too deeply" in issue.message
    assert parse(f"RETURN {'CASE WHEN ' * 200}").errors
    assert "too deeply" not in parse(f"RETURN {'[' * 40}").errors[0].message


@given(st.text(max_size=60) | st.lists(st.sampled_from("()[]{}-<>'`\"\\u:| aN1*,"), max_size=40).map("".join))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    parsed = parse(text)
    assert parsed.text == text
    assert all(0 <= issue.offset <= len(text) for issue in parsed.errors)


def test_threads_get_the_same_trees() -> None:
    queries = [f"MATCH p = (a)-[:A*1..{n}]->(b) WHERE a.x IN [{n}, 2] RETURN p" for n in range(40)]
    expected = [[(node.rule, node.start) for node in parse(query).root.walk()] for query in queries]
    grammar = Grammar(load_tables().parser, token_reader())
    with ThreadPoolExecutor(8) as pool:
        parsed = list(pool.map(grammar.parse, queries))
    assert [[(node.rule, node.start) for node in query.root.walk()] for query in parsed] == expected


def test_a_grammar_without_a_rule_that_is_looked_up_is_refused() -> None:
    tables = load_tables().parser
    renamed = [{"nodePattern": "vertexPattern"}.get(rule, rule) for rule in tables.rules]
    with pytest.raises(GraphError, match="no rule nodePattern"):
        Grammar(RecognizerTables(tables.atn, renamed, tables.literals, tables.symbols), token_reader())
