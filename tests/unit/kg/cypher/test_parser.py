"""Neo4j 5 Cypher by category, each line of a file a query, and what trees, prefixes and numbers hold."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cases import read_cases

from retrocypher.kg.cypher.clauses import relationship_patterns
from retrocypher.kg.cypher.grammar import RecognizerTables, Rule, deserialize, load_tables
from retrocypher.kg.cypher.parser import DEEPEST, Grammar, ParsedQuery, number_value, parse
from retrocypher.kg.cypher.recovery import Recovery
from retrocypher.kg.cypher.tokens import Node, Token, token_reader, tokens
from retrocypher.kg.errors import GraphError

TAKEN = {
    "0": 0,
    "17": 17,
    "4_000": 4000,
    "9223372036854775807": 2**63 - 1,
    "0x1F": 31,
    "0x_1": 1,
    "0o17": 15,
    "0o_1": 1,
    "1.5": 1.5,
    ".5": 0.5,
    ".5e3": 500.0,
    "1E5": 100000.0,
    "1e308": 1e308,
    "1e-400": 0.0,
    "1_0.5_0": 10.5,
    "1.5f": 1.5,
    "1.5d": 1.5,
}
REFUSED = [
    *("4x", "4steps", "2n", "1__0", "1_", "1e400", "9" * 50, "9" * 5000, "0x", "0x1g", "0xFFFFFFFFFFFFFFFF"),
    *("0o18", "0777", "0888", "1.5x", "1.5e", "0b1", "00", "0X1F", "0O17"),
]


ACCEPTED, BROKEN = (
    [case.text for case in read_cases(Path(__file__).with_name(f"{name}_constructs.cypher"))]
    for name in ("accepted", "broken")
)


@pytest.fixture(scope="module")
def thorough() -> Recovery:
    tables = load_tables().parser
    return Recovery(deserialize(tables.atn), tables, tables.rules.index(Rule.STATEMENTS))


def body_of(parsed: ParsedQuery) -> list[Token]:
    """Return the tokens that the tree holds; those of a prefix stand before it."""
    return [token for token in parsed.tokens if token.start >= parsed.root.start]


def outline(node: Node) -> list[tuple[str, int, int]]:
    return [(part.rule, part.start, part.stop) for part in node.walk()]


def test_fast_and_thorough_parsing_give_one_tree(thorough: Recovery) -> None:
    types = {name: number for number, name in enumerate(token_reader().names)}
    for query in ACCEPTED:
        parsed = parse(query)
        body = body_of(parsed)
        root, issues = thorough.parse(body, [types[token.name] for token in body], len(query))
        assert (issues, outline(root)) == ([], outline(parsed.root)), query


@pytest.mark.parametrize("query", [*ACCEPTED, *BROKEN])
def test_accepts_or_rejects_and_the_tree_holds_tokens_and_nodes_in_order(query: str) -> None:
    parsed = parse(query)
    assert bool(parsed.errors) == (query in BROKEN)
    assert all(0 <= issue.offset <= len(query) and issue.message for issue in parsed.errors)
    assert parsed.tokens == tuple(tokens(query))
    held = list(parsed.root.tokens())
    assert held == sorted(held, key=lambda token: token.start)
    assert parsed.errors or held == body_of(parsed)
    for node in parsed.root.walk():
        assert all(node.start <= child.start <= child.stop <= node.stop for child in node.children)


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
    assert (parsed.errors, len(parsed.tokens) - len(body_of(parsed))) == ((), count)
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
    assert parse(f"RETURN {'(' * DEEPEST}1{')' * DEEPEST}").errors == ()
    for opening in ("(", "[", "{a: ", "f(", "EXISTS { MATCH (n) WHERE ", "shortestPath(", "CASE WHEN "):
        parsed = parse(f"RETURN {opening * 200}")
        assert parsed.unread == "it is nested more than 30 levels deep"
        assert [issue.message for issue in parsed.errors] == [f"not parsed: {parsed.unread}"]
    # Neither brackets that close nothing nor properties of that name count.
    assert parse(f"RETURN {')' * 50}{'(' * 31}").unread
    assert parse(f"MATCH (n) RETURN {', '.join(['n.case'] * 50)}").errors == ()


def test_a_query_of_too_many_tokens_or_characters_is_not_parsed() -> None:
    assert parse(f"RETURN {', '.join(['1'] * 2_400)}").errors == ()
    assert parse(f"RETURN {', '.join(['1'] * 2_600)}").unread == "it has more than 5,000 tokens"
    assert parse(f"RETURN '{'C' * 199_000}'").errors == ()
    assert parse(f"RETURN '{'C' * 200_000}'").unread == "it has more than 200,000 characters"


def test_prediction_looks_ahead_within_a_budget() -> None:
    parsed = parse(f"MATCH (a{':Molecule' * 2_000}) RETURN a")
    assert parsed.unread == "it cannot be parsed without looking very far ahead"
    assert parse(f"MATCH (a{':Molecule' * 100}) RETURN a").errors == ()


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


@pytest.mark.parametrize(("text", "value"), TAKEN.items())
def test_a_number_has_a_value(text: str, value: float) -> None:
    assert number_value(text) == value
    assert type(number_value(text)) is type(value)
    assert not parse(f"RETURN {text} AS x").errors


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:12])
def test_what_the_server_refuses_is_an_error_at_its_place(text: str) -> None:
    assert number_value(text) is None
    (issue,) = parse(f"RETURN {text} AS x").errors
    assert issue.offset == len("RETURN ")
    assert text[:12] in issue.message
    assert len(issue.message) < 120


@given(st.text("0123456789_.eExXoOfFdD+-", max_size=12))
def test_any_text_is_a_number_or_none(text: str) -> None:
    assert isinstance(number_value(text), int | float | None)


def test_the_smallest_integer_is_written_with_a_minus() -> None:
    assert not parse("RETURN -9223372036854775808 AS x").errors
    assert not parse("RETURN -0x8000000000000000 AS x").errors
    assert parse("RETURN 9223372036854775808 AS x").errors
    assert parse("RETURN -9223372036854775809 AS x").errors


@pytest.mark.parametrize("length", ["*4steps", "*..4x", "*" + "9" * 5000, "*9223372036854775808"])
def test_a_path_of_no_number_is_an_error_and_no_length(length: str) -> None:
    parsed = parse(f"MATCH p=(a:Molecule)-[:PRODUCES{length}]->(b) RETURN p")
    assert parsed.errors
    found = relationship_patterns(parsed)[0].length
    assert found is None or found.maximum in (None, 2**63)


@given(st.integers(min_value=0, max_value=2**63 - 1))
def test_any_integer_is_itself(value: int) -> None:
    assert number_value(str(value)) == value
    assert number_value(hex(value)) == value
    assert number_value(oct(value)) == value
