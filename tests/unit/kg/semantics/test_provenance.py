"""The query of a provenance subgraph; what it returns is tested on a graph."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.semantics.provenance import Provenance, provenance

END = "WITH DISTINCT {0} WHERE {0} IS NOT NULL WITH {0} LIMIT 9 RETURN collect(elementId({0})) AS __nid"


def written(query: str) -> str:
    found = provenance(query, 9)
    assert found.reason is None
    assert found.query is not None
    assert not parse(found.query).errors
    return " ".join(found.query.split())


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("MATCH (n) RETURN n", "MATCH (n) UNWIND [n] AS __n1 " + END.format("__n1")),
        (
            "match (:A)-->({x: 1}) return 1",
            "match (__n1 :A)-->(__n2 {x: 1}) UNWIND [__n1, __n2] AS __n3 " + END.format("__n3"),
        ),
        (
            "MATCH (a)-[*2]->(b) RETURN a",
            "MATCH __n1 = (a)-[*2]->(b) UNWIND [] + coalesce(nodes(__n1), []) AS __n2 " + END.format("__n2"),
        ),
        (
            "MATCH p = (a)-[*2]->(b), (c) RETURN a",
            "MATCH p = (a)-[*2]->(b), (c) UNWIND [c] + coalesce(nodes(p), []) AS __n1 " + END.format("__n1"),
        ),
        (
            "MATCH (n)-->(m) WITH DISTINCT n WHERE n.x > 1 RETURN n",
            "MATCH (n)-->(m) WITH DISTINCT n, m AS __n1 WHERE n.x > 1 UNWIND [n, __n1] AS __n2 "
            + END.format("__n2"),
        ),
        (
            "MATCH (`a b`) WITH `a b` AS `a b` MATCH (c) RETURN c",
            "MATCH (`a b`) WITH `a b` AS `a b` MATCH (c) UNWIND [`a b`, c] AS __n1 " + END.format("__n1"),
        ),
        ("MATCH (n) WITH n.x AS x MATCH (m) RETURN m", "MATCH (n) UNWIND [n] AS __n1 " + END.format("__n1")),
        (
            "MATCH (n) WITH n ORDER BY n.x MATCH (n)--(m) RETURN m",
            "MATCH (n) UNWIND [n] AS __n1 " + END.format("__n1"),
        ),
        (
            "WITH 1 AS x MATCH (n {x: x}) RETURN n",
            "WITH 1 AS x MATCH (n {x: x}) UNWIND [n] AS __n1 " + END.format("__n1"),
        ),
        (
            "MATCH (n) RETURN '__n' AS x",
            "MATCH (n) UNWIND [n] AS ___n1 " + END.replace("__nid", "___nid").format("___n1"),
        ),
    ],
)
def test_queries(query: str, expected: str) -> None:
    assert written(query) == expected


@pytest.mark.parametrize("query", ["RETURN 1", "UNWIND [1] AS x RETURN x", "CALL { RETURN 1 AS x } RETURN x"])
def test_the_empty_set(query: str) -> None:
    assert provenance(query, 9) == Provenance("")


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("MATCH (n RETURN n", "no viable alternative"),
        ("MATCH (n) CREATE (m) RETURN m", "CREATE"),
        ("MATCH (n) RETURN n; MATCH (m) RETURN m", "not one query"),
        ("SHOW INDEXES", "not one query"),
    ],
)
def test_what_is_not_understood_has_a_reason(query: str, reason: str) -> None:
    found = provenance(query, 9)
    assert found.query is None
    assert found.reason is not None
    assert found.reason.startswith("not understood: ")
    assert reason in found.reason


def test_branches_and_subqueries_are_united() -> None:
    assert (
        written("MATCH (a) RETURN a UNION RETURN 1 AS a UNION ALL MATCH (b) RETURN b AS a").count("UNION")
        == 1
    )
    inside = written("CALL { MATCH (a) RETURN a UNION MATCH (b) RETURN b AS a } RETURN a")
    assert inside.startswith("CALL { MATCH (a) UNWIND")
    both = written("MATCH (a) CALL { WITH a MATCH (a)-->(b) RETURN b } MATCH (c) RETURN b")
    assert both.startswith("MATCH (a) CALL { WITH a MATCH (a)-->(b) RETURN b } MATCH (c) UNWIND [a, c]")
    assert "UNION MATCH (a) CALL { WITH a MATCH (a)-->(b) UNWIND [a, b]" in both


PARTS = st.lists(
    st.sampled_from(
        [
            "MATCH (n)",
            "OPTIONAL MATCH (n)-->(:A)",
            "MATCH (n)-[*1..2]-(m)",
            "WITH n",
            "WITH *",
            "WITH DISTINCT n WHERE n.x = 1",
            "UNWIND [1] AS y",
            "CALL { WITH n MATCH (n)--(k) RETURN k }",
            "WITH n.x AS x",
        ]
    ),
    max_size=6,
)


@given(PARTS)
def test_it_is_a_query_and_its_own_provenance_is_no_other(parts: list[str]) -> None:
    query = "\n".join(["MATCH (n)", *parts, "RETURN 1 AS one"])
    text = written(query)
    assert text.startswith("MATCH (n)")
    assert text.endswith("AS __nid") or text.endswith("RETURN __nid")
