"""What a gold query says about the order of its rows and within its lists."""

import pytest

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.semantics.result_order import SortedQuery, lists_are_ordered, with_sort_keys


@pytest.mark.parametrize(
    ("query", "text", "keys", "extra"),
    [
        ("MATCH (n) RETURN n.a AS x, n.b ORDER BY x, n.b DESC", "", (-2, -1), 0),
        ("MATCH (n) RETURN n.a, n.b ORDER BY n.a", "", (-2,), 0),
        (
            "MATCH (n) RETURN n.a ORDER BY n.b LIMIT 3",
            "MATCH (n) RETURN n.a, n.b AS __s0 ORDER BY n.b LIMIT 3",
            (-1,),
            1,
        ),
        (
            "RETURN 1 AS x, 2 AS y ORDER BY y, size(x)",
            "RETURN 1 AS x, 2 AS y, size((1)) AS __s0 ORDER BY y, size(x)",
            (-2, -1),
            1,
        ),
        ("MATCH (n) RETURN * ORDER BY n.x", "MATCH (n) RETURN *, n.x AS __s0 ORDER BY n.x", (-1,), 1),
        ("MATCH (n) RETURN count(*) AS c ORDER BY c", "", (-1,), 0),
    ],
)
def test_sort_keys(query: str, text: str, keys: tuple[int, ...], extra: int) -> None:
    assert with_sort_keys(parse(query)) == SortedQuery(text or query, keys, extra)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n) RETURN n",
        "MATCH (n) WITH n ORDER BY n.x RETURN n",
        "CALL { MATCH (n) RETURN n ORDER BY n.x } RETURN n",
        "RETURN 1 AS x UNION RETURN 2 AS x ORDER BY x",
        "MATCH (n) RETURN 'order by'",
    ],
)
def test_no_outermost_order(query: str) -> None:
    assert with_sort_keys(parse(query)) is None


def test_keys_with_variables_of_their_own_are_not_rewritten() -> None:
    query = "MATCH (n) RETURN n.a AS x ORDER BY [i IN x WHERE i > 1]"
    assert with_sort_keys(parse(query)) == SortedQuery(None)


@pytest.mark.parametrize(
    ("query", "ordered"),
    [
        ("MATCH (n) RETURN n.names", True),
        ("MATCH p = (n)-->() RETURN [x IN nodes(p) | x.id]", True),
        ("MATCH (n) RETURN collect(n.x)", False),
        ("MATCH (n) WITH n ORDER BY n.x RETURN COLLECT(n.x)", True),
        ("MATCH (n) WITH n ORDER BY n.x MATCH (n)--(m) RETURN collect(m.x)", False),
        ("MATCH (n) RETURN [(n)--(m) | m.x]", False),
        ("MATCH (n) RETURN COLLECT { MATCH (n)--(m) RETURN m.x }", False),
        ("MATCH (n) RETURN COLLECT { MATCH (n)--(m) RETURN m.x ORDER BY m.x }", True),
    ],
)
def test_order_in_lists(query: str, ordered: bool) -> None:
    assert lists_are_ordered(parse(query)) is ordered
