"""The provenance query as CypherBench's published evaluator makes it, faults included."""

import pytest

from retrocypher.kg.execution.published import is_ordered, provenance_text

TAIL = "AS node WITH DISTINCT node LIMIT 9 RETURN collect(elementId(node)) AS id"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "MATCH (n:A)-[r:X]->(:B {k: 'v'}) WHERE n.x > 1 RETURN n.name",
            f"MATCH (n:A)-[r:X]->(ntmp0:B {{k: 'v'}}) WHERE n.x > 1 UNWIND [n, ntmp0] {TAIL}",
        ),
        (
            "MATCH (:A)-[:X]->(:B) RETURN 1",
            f"MATCH (ntmp0:A)-[rtmp0:X]->(ntmp1:B) UNWIND [ntmp0, ntmp1] {TAIL}",
        ),
        # Inner nodes and nodes with a map only are missed.
        (
            "MATCH (n)-[*1..2]->({k: 1}) RETURN n",
            f"MATCH (n)-[*1..2]->({{k: 1}}) UNWIND [n] {TAIL}",
        ),
        ("MATCH ()-->() RETURN 1", f"MATCH ()-->() UNWIND [] {TAIL}"),
        (
            "MATCH (n) WITH DISTINCT n WHERE n.x > 1 RETURN n",
            f"MATCH (n) WITH * WHERE n.x > 1 UNWIND [n] {TAIL}",
        ),
        (
            "MATCH (n) WITH DISTINCT n RETURN n",
            f"MATCH (n) UNWIND [n] {TAIL}",
        ),
        (
            "MATCH (n) WITH n.x AS x MATCH (m) RETURN m",
            f"MATCH (n) UNWIND [n] {TAIL}",
        ),
        # A word of the text that is no clause.
        (
            "MATCH (n) WHERE n.x STARTS WITH 'a' RETURN n",
            f"MATCH (n) WHERE n.x STARTS UNWIND [n] {TAIL}",
        ),
        # A name that is free; a node that may be missing.
        (
            "MATCH (node)-->(id) RETURN id",
            "MATCH (node)-->(id) UNWIND [id, node] AS node_"
            " WITH DISTINCT node_ LIMIT 9 RETURN collect(elementId(node_)) AS id",
        ),
        (
            "MATCH (n) OPTIONAL MATCH (n)-->(m) RETURN m",
            "MATCH (n) OPTIONAL MATCH (n)-->(m) UNWIND [m, n] AS node WITH node WHERE node IS NOT NULL"
            " WITH DISTINCT node LIMIT 9 RETURN collect(elementId(node)) AS id",
        ),
        ("match (n) return n", ""),
        (" MATCH (n) RETURN n", f"MATCH (n) UNWIND [n] {TAIL}"),
        ("RETURN 1", ""),
        (
            "CALL { MATCH (n) RETURN n UNION MATCH (m) RETURN m AS n } RETURN n",
            f"MATCH (n) UNWIND [n] {TAIL} UNION MATCH (m) UNWIND [m] {TAIL}",
        ),
        (
            "MATCH (n) RETURN n UNION ALL MATCH (m) RETURN m",
            f"MATCH (n) UNWIND [n] {TAIL}",
        ),
    ],
)
def test_provenance(query: str, expected: str) -> None:
    assert provenance_text(query, 9) == expected


def test_the_words_order_by_anywhere_count() -> None:
    assert is_ordered("MATCH (n) WHERE n.x = 'Order By' RETURN n")
    assert not is_ordered("MATCH (n) RETURN n ORDER  BY n.x")
