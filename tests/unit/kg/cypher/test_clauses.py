"""Clauses, relationship patterns, lengths, and edits that change them."""

import pytest

from retrocypher.kg.cypher.clauses import clauses, length_ranges, relationship_patterns, reverse, without_item
from retrocypher.kg.cypher.edits import apply_edits
from retrocypher.kg.cypher.parser import parse

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


def test_a_neighbour_that_is_a_parenthesised_path_is_none() -> None:
    (inner,) = relationship_patterns(parse("MATCH (s)((a)-[:T]->(b)){2}(e) RETURN s"))
    assert inner.left is not None
    assert (inner.left.variable, inner.length) == ("a", None)


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
