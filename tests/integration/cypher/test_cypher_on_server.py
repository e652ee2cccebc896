"""The grammar read here against the parser of a running server."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import neo4j
import pytest
from neo4j.exceptions import ClientError, CypherSyntaxError, Neo4jError
from support.cases import read_cases

from retrocypher.kg.cypher.edits import parameterise, quote, shape, string_literals
from retrocypher.kg.cypher.parser import parse

LISTS = Path(__file__).parents[2] / "unit" / "kg" / "cypher"
UNREADABLE = (
    *("Invalid input", "Failed to parse", "Unknown operation", "Unexpected end of input"),
    *("invalid literal number", "integer is too large", "floating point number is too large"),
    *("The octal integer literal syntax", "The hex integer literal syntax"),
)


@pytest.fixture(scope="module")
def session(driver: neo4j.Driver) -> Iterator[neo4j.Session]:
    with driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
        yield session


@pytest.fixture(scope="module")
def parsing(driver: neo4j.Driver) -> Iterator[neo4j.Session]:
    """A session that parses queries and does not plan them: the system database refuses them first."""
    with driver.session(database="system") as session:
        yield session


def complaint(session: neo4j.Session, query: str) -> str | None:
    """What the server's parser has against a query; None where it is content or only its meaning is wrong."""
    prefix = "" if query.upper().startswith(("EXPLAIN", "PROFILE", "CYPHER")) else "EXPLAIN "
    try:
        session.run(f"{prefix}{query}").consume()
    except CypherSyntaxError as error:
        return error.message if str(error.message).startswith(UNREADABLE) else None
    except Neo4jError:
        return None
    return None


def test_server_and_grammar_agree_on_every_construct(parsing: neo4j.Session) -> None:
    names = ("accepted_constructs.cypher", "broken_constructs.cypher")
    listed = [case.text for name in names for case in read_cases(LISTS / name)]
    differing = {}
    for query in listed:
        found = complaint(parsing, query)
        if bool(found) != bool(parse(query).errors):
            differing[query] = found
    assert differing == {}


@pytest.mark.parametrize(
    "value",
    [
        r"F/C=C\F",
        "it's",
        'say "x"',
        "\\",
        r"\u0041",
        "line\nend\ttab\r\b\f",
        "\x00\x7f",
        "😀 é 中",
        "'; MATCH (n) DETACH DELETE n //",
        "[O-][N+](=O)c1ccc(/C=C\\Cl)cc1",
    ],
)
def test_a_quoted_string_reaches_the_server_unchanged(session: neo4j.Session, value: str) -> None:
    assert session.run(f"RETURN {quote(value)} AS x").single(strict=True)["x"] == value


@pytest.mark.parametrize(
    "raw",
    [
        r"'\d and \/ and \x41'",
        r"'a\tb\nc\rd\be\ff\\g\'h\"i'",
        r'"it\'s"',
        r"'\u0041\\u0041'",
        r"'\u005cn'",
        r"'\u005c\u005cn'",
        r"'\uD83D\uDE00'",
        r"\u0027C\u0027",
        r"'\\\u0041'",
    ],
)
def test_literals_are_decoded_as_the_server_decodes_them(session: neo4j.Session, raw: str) -> None:
    query = f"RETURN {raw} AS x"
    assert [literal.value for literal in string_literals(query)] == [
        session.run(query).single(strict=True)["x"]
    ]


QUERIES = [
    "MATCH (m:Molecule {{name: {0}}})-[:REACTS_IN]->(r)-[:PRODUCES]->(p) RETURN r.id, p.name "
    "ORDER BY r.id, p.name",
    "MATCH (m:Molecule)-[:REACTS_IN]->(r) WHERE m.name = {0} RETURN count(r), collect(r.id)[0] IS NULL",
    "MATCH (m:Molecule) WHERE m.name IN [{0}, 'CCO'] RETURN m.name ORDER BY m.name",
    "MATCH (r)-[:PRODUCES]->(:Molecule {{name: {0}}}) RETURN r.id, r.name = 'x', 'x' ORDER BY r.id",
    "MATCH p = (:Molecule {{name: {0}}})-[:REACTS_IN|PRODUCES*1..2]->(x) WHERE x.name <> 'CO' "
    "RETURN length(p), x.name ORDER BY x.name",
    "MATCH (r:Reaction) WHERE EXISTS {{ (:Molecule {{name: {0}}})-[:REACTS_IN]->(r) }} RETURN r.id "
    "ORDER BY r.id",
    "MATCH (r:Reaction)-->(m:Molecule) WHERE {0} IN [m.name] RETURN r.id ORDER BY r.id",
]


@pytest.mark.parametrize("template", QUERIES)
def test_parameters_change_neither_rows_nor_columns(session: neo4j.Session, template: str) -> None:
    names = session.run(
        "MATCH (m:Molecule)-[:REACTS_IN]->(r) WITH m, count(*) AS uses ORDER BY uses DESC, m.name LIMIT 5 "
        "RETURN collect(m.name) AS names"
    ).single(strict=True)["names"]
    for name in [*names, "no such molecule", "\\'"]:
        query = template.format(quote(name))
        changed = parameterise(query)
        assert changed.parameters
        plain, sent = session.run(query), session.run(changed.text, changed.parameters)
        assert plain.keys() == sent.keys()
        assert plain.values() == sent.values()


SHAPES = [
    "MATCH (n) WHERE {0} = {1} CALL db.labels() YIELD label RETURN label",
    "WITH 1 AS x WHERE {0} = {1} LOAD CSV FROM 'file:///x' AS row RETURN row",
    "MATCH (n:Molecule) WHERE n.name STARTS WITH {0} AND n.name <> {1} RETURN n",
    "MATCH (n:Molecule) WHERE n.name = {0} OR n.name = {1} RETURN n",
    "MATCH (n) WHERE NOT ({0} = {1}) CALL dbms.listConfig({0}) YIELD name RETURN name",
    "RETURN CASE WHEN {0} = {1} THEN 1 ELSE 2 END AS x LIMIT toInteger({0})",
]


def operators(plan: dict[str, Any]) -> list[str]:
    return [plan["operatorType"], *(name for child in plan.get("children", []) for name in operators(child))]


@pytest.mark.parametrize("template", SHAPES)
def test_queries_of_one_shape_plan_to_the_same_operators(session: neo4j.Session, template: str) -> None:
    pairs = [("a", "a"), ("a", "b"), ("", ""), ("1", ""), ("C" * 300, "x")]
    queries = [template.format(*map(quote, pair)) for pair in pairs]
    assert len({shape(query) for query in queries}) == 1
    plans = [session.run(f"EXPLAIN {query}").consume().plan for query in queries]
    first = operators(plans[0] or {})
    assert all(operators(plan or {}) == first for plan in plans)


def test_a_parameter_of_the_query_is_not_bound(session: neo4j.Session) -> None:
    changed = parameterise("MATCH (m:Molecule {name: 'CCO'}) WHERE m.name <> $__p0 RETURN m")
    with pytest.raises(ClientError, match="Expected parameter"):
        session.run(changed.text, changed.parameters).consume()
