"""An outermost SKIP and LIMIT."""

import pytest

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.semantics.result_order import without_cut


@pytest.mark.parametrize(
    ("query", "text", "first", "last"),
    [
        ("MATCH (n) RETURN n.a LIMIT 3", "MATCH (n) RETURN n.a ", 0, 3),
        ("MATCH (n) RETURN n.a ORDER BY n.a SKIP 2 LIMIT 3", "MATCH (n) RETURN n.a ORDER BY n.a  ", 2, 5),
        ("MATCH (n) RETURN n.a SKIP 4", "MATCH (n) RETURN n.a ", 4, None),
    ],
)
def test_the_rows_that_are_kept(query: str, text: str, first: int, last: int | None) -> None:
    assert without_cut(parse(query)) == (text, first, last)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) RETURN n.a",
        "MATCH (n) RETURN n.a LIMIT 1 + 2",
        "MATCH (n) RETURN n.a LIMIT $most",
        "MATCH (n) WITH n LIMIT 3 RETURN n.a",
        "RETURN 1 AS a LIMIT 1 UNION RETURN 2 AS a LIMIT 1",
        "RETURN 1 LIMIT",
    ],
)
def test_other_queries_have_no_cut_that_is_understood(query: str) -> None:
    assert without_cut(parse(query)) is None
