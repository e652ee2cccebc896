"""Edits, string literals, parameters, and the clauses and patterns of a query."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.cases import Case, read_cases

from retrocypher.kg.cypher.clauses import clauses, length_ranges, relationship_patterns, reverse, without_item
from retrocypher.kg.cypher.edits import (
    Edit,
    apply_edits,
    parameter_places,
    parameterise,
    quote,
    shape,
    string_literals,
)
from retrocypher.kg.cypher.parser import parse

SMILES = st.text(alphabet="CNOFSPcnos()[]=#@+-\\/.%123456789BrlH:*$~'\"`u0041{}", max_size=40)
ANY_TEXT = st.text(max_size=40) | SMILES
QUERY_PARTS = st.lists(
    st.sampled_from(
        ["MATCH (n {name: ", "}) ", "RETURN ", " // 'c'\n", '/* "x" */', "'", '"', "`'`", "\\", "\\u0027"]
    )
    | ANY_TEXT.map(quote)
    | st.text(max_size=3),
    max_size=12,
).map("".join)


@given(st.data())
def test_edits_change_their_places_and_nothing_else(data: st.DataObject) -> None:
    text = data.draw(st.text(max_size=40))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    words = data.draw(st.lists(st.text(max_size=4), min_size=len(pairs), max_size=len(pairs)))
    edits = [Edit(*pair, word) for pair, word in zip(pairs, words, strict=True)]
    expected, shift = text, 0
    for (start, stop), word in zip(pairs, words, strict=True):
        expected = expected[: start + shift] + word + expected[stop + shift :]
        shift += len(word) - (stop - start)
    assert apply_edits(text, edits) == expected


def test_order_of_edits_does_not_matter_but_that_of_insertions_at_one_place_does() -> None:
    edits = [Edit(2, 3, "X"), Edit(0, 1, "Y"), Edit(2, 2, "1"), Edit(2, 2, "2")]
    assert apply_edits("abc", edits) == "Yb12X"


@pytest.mark.parametrize(
    "edits", [[Edit(0, 2, ""), Edit(1, 3, "")], [Edit(2, 4, "")], [Edit(-1, 0, "")], [Edit(2, 1, "")]]
)
def test_edits_that_cannot_be_made_are_refused(edits: list[Edit]) -> None:
    with pytest.raises(ValueError, match="overlaps"):
        apply_edits("abc", edits)


@given(ANY_TEXT)
@example(r"F/C=C\F")
@example("\\")
@example(r"\u0041")
@example("\ud800")
@example("'; MATCH (n) DETACH DELETE n //")
def test_a_quoted_string_is_one_literal_of_the_same_value(value: str) -> None:
    raw = quote(value)
    (literal,) = string_literals(raw)
    assert (literal.value, literal.raw, literal.start, literal.stop) == (value, raw, 0, len(raw))
    assert parse(f"RETURN {raw} AS x").errors == ()


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("'it\\'s'", "it's"),
        ('"it\'s"', "it's"),
        (r"'a\tb\nc\rd\be\ff\\'", "a\tb\nc\rd\be\ff\\"),
        (r"'\d and \/'", r"\d and \/"),
        (r"'\u0041'", "A"),
        (r"'\\u0041'", r"\u0041"),
        (r"'\u005cn'", "\n"),
        (r"'\uD83D\uDE00'", "😀"),
        (r"\u0027C\u0027", "C"),
    ],
)
def test_decodes_as_the_server_does(raw: str, value: str) -> None:
    assert [literal.value for literal in string_literals(f"RETURN {raw} AS x")] == [value]


def test_quotes_in_comments_and_names_are_no_literals() -> None:
    text = "MATCH (n:`it's`) // it's\nRETURN n /* 'x' */, 'y'"
    assert [literal.value for literal in string_literals(text)] == ["y"]


CASES = Path(__file__).with_name("parameter_cases.cypher")
SHORT_SMILES = st.text(alphabet="CNOc()[]=#@+-\\/1'\"", max_size=30)


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


@given(SHORT_SMILES, SHORT_SMILES)
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


QUERY = """MATCH (r:Reaction) OPTIONAL MATCH (r)-[:USES_AGENT]->(a)
WITH r, collect(a.name) AS agents WHERE size(agents) > 1
CALL (r) { MATCH (r)-->(p) RETURN p.name AS product }
RETURN r.id, agents AS `the agents`, product ORDER BY r.id LIMIT 3"""

PATTERNS = """MATCH p = (m:Molecule {name: 'C/C=C\\\\C'})-[u:REACTS_IN|USES_AGENT]->(r:Reaction)
MATCH (r)<-[:`odd type`*1..3]-()--(x), (s)((a)-[:T]->(b)){2,3}(e), shortestPath((s)-[*]->(e))
WHERE EXISTS { (x)-->(:Y) } AND NOT (x)<-[:Q]-(s) AND COUNT { MATCH (x)-[k IS K]->{2}(z) } > 1
RETURN [(x)-[:L*2]->(y) | y] AS l"""


def test_lists_clauses_with_their_kinds_and_places() -> None:
    found = clauses(parse(QUERY))
    assert [(clause.kind, clause.depth) for clause in found] == [
        ("MATCH", 0),
        ("OPTIONAL MATCH", 0),
        ("WITH", 0),
        ("CALL", 0),
        ("MATCH", 1),
        ("RETURN", 1),
        ("RETURN", 0),
    ]
    assert QUERY[found[1].start : found[1].stop] == "OPTIONAL MATCH (r)-[:USES_AGENT]->(a)"
    assert QUERY[found[2].start : found[2].stop].endswith("WHERE size(agents) > 1")
    assert QUERY[found[-1].start :].startswith("RETURN r.id")


def test_items_have_columns_as_the_server_names_them() -> None:
    last = clauses(parse(QUERY))[-1]
    assert [(item.expression, item.alias, item.column) for item in last.items] == [
        ("r.id", None, "r.id"),
        ("agents", "the agents", "the agents"),
        ("product", None, "product"),
    ]


def test_an_item_is_taken_out_with_its_comma_unless_it_is_the_last() -> None:
    items = ["r.id", "agents AS `the agents`", "product"]
    for index in range(3):
        changed = apply_edits(QUERY, [without_item(clauses(parse(QUERY))[-1], index)])
        assert parse(changed).errors == ()
        assert f"RETURN {', '.join([*items[:index], *items[index + 1 :]])} ORDER" in changed
    with pytest.raises(ValueError, match="cannot be taken out"):
        without_item(clauses(parse("RETURN 1 AS x"))[0], 0)


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("MATCH (n) RETURN *, n.id", ["MATCH", "RETURN"]),
        ("UNWIND [1] AS x CREATE (n) SET n.x = 1 REMOVE n.y", ["UNWIND", "CREATE", "SET", "REMOVE"]),
        ("MATCH (n) DETACH DELETE n", ["MATCH", "DETACH DELETE"]),
        ("LOAD CSV FROM 'x' AS r MERGE (n)", ["LOAD CSV", "MERGE"]),
        ("RETURN 1 AS x UNION CALL db.labels() YIELD label RETURN label AS x", ["RETURN", "CALL", "RETURN"]),
        ("SHOW INDEXES", []),
        ("MATCH (n) RETURN n, UNWIND", ["MATCH", "RETURN"]),
    ],
)
def test_kinds(query: str, kinds: list[str]) -> None:
    assert [clause.kind for clause in clauses(parse(query))] == kinds


def test_lists_every_pattern_with_its_parts() -> None:
    found = relationship_patterns(parse(PATTERNS))
    assert [(at.direction, at.types) for at in found] == [
        ("right", ("REACTS_IN", "USES_AGENT")),
        ("left", ("odd type",)),
        ("either", ()),
        ("right", ("T",)),
        ("right", ()),
        ("right", ()),
        ("left", ("Q",)),
        ("right", ("K",)),
        ("right", ("L",)),
    ]
    first = found[0]
    assert PATTERNS[first.start : first.stop] == "-[u:REACTS_IN|USES_AGENT]->"
    assert first.variable == "u"
    assert first.type_expression is not None
    assert PATTERNS[slice(*first.type_expression)] == ":REACTS_IN|USES_AGENT"
    assert first.left is not None
    assert (first.left.variable, first.left.labels) == ("m", ("Molecule",))
    assert first.right is not None
    assert (first.right.variable, first.right.labels) == ("r", ("Reaction",))
    assert first.node.within("matchClause") is not None


def test_patterns_of_writing_clauses_and_of_broken_queries_are_listed() -> None:
    found = relationship_patterns(parse("INSERT (a)-[:T]->(b) MERGE (b)<-[:U]-(c)"))
    assert [(at.direction, at.types) for at in found] == [("right", ("T",)), ("left", ("U",))]
    broken = parse("MATCH (a)-[:T]->(b)-[:U]->(c RETURN c")
    assert broken.errors
    assert relationship_patterns(broken)[0].types == ("T",)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("(a)-[:T*]->(b)", (1, None, False)),
        ("(a)-[:T*2]->(b)", (2, 2, False)),
        ("(a)-[:T*0..3]->(b)", (0, 3, False)),
        ("(a)-[:T*..3]->(b)", (1, 3, False)),
        ("(a)-[:T*2..]->(b)", (2, None, False)),
        ("(a)-[:T]->+(b)", (1, None, True)),
        ("(a)-[:T]->*(b)", (0, None, True)),
        ("(a)-[:T]->{2}(b)", (2, 2, True)),
        ("(a)-[:T]->{,3}(b)", (0, 3, True)),
        ("(a)-[:T]->{2,}(b)", (2, None, True)),
        ("(a)-[:T]->{2,3}(b)", (2, 3, True)),
    ],
)
def test_lengths(pattern: str, expected: tuple[int, int | None, bool]) -> None:
    parsed = parse(f"MATCH {pattern} RETURN a")
    (found,) = relationship_patterns(parsed)
    assert found.length is not None
    assert (found.length.minimum, found.length.maximum, found.length.quantifier) == expected
    assert length_ranges(parsed) == [found.length]
    assert found.right is not None
    assert found.right.variable == "b"


def test_lengths_of_whole_paths_are_listed() -> None:
    found = [PATTERNS[at.start : at.stop] for at in length_ranges(parse(PATTERNS))]
    assert found == ["*1..3", "{2,3}", "*", "{2}", "*2"]


def test_reversing_turns_one_arrow_and_reversing_again_gives_the_query_back() -> None:
    opposite = {"left": "right", "right": "left", "either": "either"}
    for number, pattern in enumerate(relationship_patterns(parse(PATTERNS))):
        turned = apply_edits(PATTERNS, reverse(pattern))
        parsed = parse(turned)
        assert parsed.errors == ()
        there = relationship_patterns(parsed)[number]
        assert there.direction == opposite[pattern.direction]
        assert apply_edits(turned, reverse(there)) == PATTERNS


@pytest.mark.parametrize("pattern", ["(a)--(b)", "(a)<-->(b)", "(a)-[:T]-(b)"])
def test_a_pattern_without_direction_is_not_reversed(pattern: str) -> None:
    (found,) = relationship_patterns(parse(f"MATCH {pattern} RETURN a"))
    assert reverse(found) == ()
