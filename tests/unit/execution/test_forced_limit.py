"""A LIMIT put on what a query returns, and on nothing else in it."""

import pytest

from retrocypher.kg.execution.guard import with_limit


@pytest.mark.parametrize(
    ("text", "limited"),
    [
        ("MATCH (n) RETURN n", "MATCH (n) RETURN n\nLIMIT 100"),
        ("MATCH (n) RETURN n ORDER BY n.id SKIP 2;", "MATCH (n) RETURN n ORDER BY n.id SKIP 2\nLIMIT 100;"),
        ("MATCH (n) RETURN n // all", "MATCH (n) RETURN n\nLIMIT 100 // all"),
        ("MATCH (n) RETURN n LIMIT 500", "MATCH (n) RETURN n LIMIT 100"),
        ("MATCH (n) RETURN n LIMIT 5", "MATCH (n) RETURN n LIMIT 5"),
        ("RETURN 1 AS a UNION RETURN 2 AS a", "RETURN 1 AS a\nLIMIT 100 UNION RETURN 2 AS a\nLIMIT 100"),
        ("MATCH (n) WITH n LIMIT 500 RETURN n", "MATCH (n) WITH n LIMIT 500 RETURN n\nLIMIT 100"),
        ("RETURN COLLECT { MATCH (m) RETURN m LIMIT 900 } AS x LIMIT 1", None),
        ("RETURN 'LIMIT 900' AS x LIMIT 1 + 1", None),
        ("MATCH (n RETURN n", None),
    ],
)
def test_a_limit_is_added_or_lowered(text: str, limited: str | None) -> None:
    expected = text if limited is None else limited
    assert with_limit(text, 100) == expected
    assert with_limit(expected, 100) == expected
