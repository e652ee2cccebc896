"""The provenance query as CypherBench's published evaluator makes it, faults included."""

import pytest

from retrocypher.kg.execution.published import is_ordered, provenance_text

TAIL = "UNWIND ids AS id RETURN DISTINCT id"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            "MATCH (n:A)-[r:X]->(:B {k: 'v'}) WHERE n.x > 1 RETURN n.name",
            "MATCH (n:A)-[r:X]->(ntmp0:B {k: 'v'}) WHERE n.x > 1"
            f" WITH collect(DISTINCT elementId(n)) + collect(DISTINCT elementId(ntmp0)) AS ids {TAIL}",
        ),
        (
            "MATCH (:A)-[:X]->(:B) RETURN 1",
            "MATCH (ntmp0:A)-[rtmp0:X]->(ntmp1:B)"
            f" WITH collect(DISTINCT elementId(ntmp0)) + collect(DISTINCT elementId(ntmp1)) AS ids {TAIL}",
        ),
        # Inner nodes and nodes with a map only are missed.
        (
            "MATCH (n)-[*1..2]->({k: 1}) RETURN n",
            f"MATCH (n)-[*1..2]->({{k: 1}}) WITH collect(DISTINCT elementId(n)) AS ids {TAIL}",
        ),
        ("MATCH ()-->() RETURN 1", f"MATCH ()-->() WITH [] AS ids {TAIL}"),
        (
            "MATCH (n) WITH DISTINCT n WHERE n.x > 1 RETURN n",
            f"MATCH (n) WITH * WHERE n.x > 1 WITH collect(DISTINCT elementId(n)) AS ids {TAIL}",
        ),
        (
            "MATCH (n) WITH DISTINCT n RETURN n",
            f"MATCH (n) WITH collect(DISTINCT elementId(n)) AS ids {TAIL}",
        ),
        (
            "MATCH (n) WITH n.x AS x MATCH (m) RETURN m",
            f"MATCH (n) WITH collect(DISTINCT elementId(n)) AS ids {TAIL}",
        ),
        # A word of the text that is no clause.
        (
            "MATCH (n) WHERE n.x STARTS WITH 'a' RETURN n",
            f"MATCH (n) WHERE n.x STARTS WITH collect(DISTINCT elementId(n)) AS ids {TAIL}",
        ),
        ("match (n) return n", ""),
        (" MATCH (n) RETURN n", f"MATCH (n) WITH collect(DISTINCT elementId(n)) AS ids {TAIL}"),
        ("RETURN 1", ""),
        (
            "CALL { MATCH (n) RETURN n UNION MATCH (m) RETURN m AS n } RETURN n",
            f"MATCH (n) WITH collect(DISTINCT elementId(n)) AS ids {TAIL}"
            f" UNION MATCH (m) WITH collect(DISTINCT elementId(m)) AS ids {TAIL}",
        ),
        (
            "MATCH (n) RETURN n UNION ALL MATCH (m) RETURN m",
            f"MATCH (n) WITH collect(DISTINCT elementId(n)) AS ids {TAIL}",
        ),
    ],
)
def test_provenance(query: str, expected: str) -> None:
    assert provenance_text(query) == expected


def test_the_words_order_by_anywhere_count() -> None:
    assert is_ordered("MATCH (n) WHERE n.x = 'Order By' RETURN n")
    assert not is_ordered("MATCH (n) RETURN n ORDER  BY n.x")
