import pytest

from retrocypher.kg.cypher.clauses import clauses, without_item
from retrocypher.kg.cypher.edits import apply_edits
from retrocypher.kg.cypher.parser import parse

QUERY = """MATCH (r:Reaction) OPTIONAL MATCH (r)-[:USES_AGENT]->(a)
WITH r, collect(a.name) AS agents WHERE size(agents) > 1
CALL (r) { MATCH (r)-->(p) RETURN p.name AS product }
RETURN r.id, agents AS `the agents`, product ORDER BY r.id LIMIT 3"""


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


@pytest.mark.parametrize(
    ("index", "rest"),
    [
        (0, "RETURN agents AS `the agents`, product ORDER"),
        (1, "RETURN r.id, product ORDER"),
        (2, "RETURN r.id, agents AS `the agents` ORDER"),
    ],
)
def test_an_item_is_taken_out_with_its_comma(index: int, rest: str) -> None:
    changed = apply_edits(QUERY, [without_item(clauses(parse(QUERY))[-1], index)])
    assert parse(changed).errors == ()
    assert rest in changed


def test_the_last_item_stays() -> None:
    (only,) = clauses(parse("RETURN 1 AS x"))
    with pytest.raises(ValueError, match="cannot be taken out"):
        without_item(only, 0)


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
