"""Loading reactions: every role in its direction, whole, and into an empty database only."""

from dataclasses import replace

import neo4j
import pytest

from retrocypher.kg.errors import GraphError
from retrocypher.kg.graph.loading import load
from retrocypher.kg.graph.reaction import Reaction


def rows(driver: neo4j.Driver, query: str) -> list[list[object]]:
    with driver.session() as session:
        return [list(record.values()) for record in session.run(query)]  # type: ignore[arg-type]


def test_every_role_is_written_in_its_direction(small: neo4j.Driver, reactions: tuple[Reaction, ...]) -> None:
    found = {
        kind: {(a, b) for a, b in rows(small, query)}
        for kind, query in {
            "reactants": "MATCH (m:Molecule)-[:REACTS_IN]->(r:Reaction) RETURN r.id, m.name",
            "products": "MATCH (r:Reaction)-[:PRODUCES]->(m:Molecule) RETURN r.id, m.name",
            "agents": "MATCH (r:Reaction)-[:USES_AGENT]->(m:Molecule) RETURN r.id, m.name",
            "solvents": "MATCH (r:Reaction)-[:USES_SOLVENT]->(m:Molecule) RETURN r.id, m.name",
        }.items()
    }

    assert found == {role: {(r.id, name) for r in reactions for name in getattr(r, role)} for role in found}
    assert rows(small, "MATCH ()-[r]->() RETURN count(r)") == [[sum(map(len, found.values()))]]


def test_a_yield_is_a_float_and_absent_where_unknown(empty: neo4j.Driver) -> None:
    load(empty, [Reaction(1, ("C",), ("CO", "CN"), (), (), (50, None))])

    assert rows(empty, "MATCH ()-[p:PRODUCES]->(m) RETURN m.name, p.yield, keys(p) ORDER BY m.name") == [
        ["CN", None, []],
        ["CO", 50.0, ["yield"]],
    ]
    assert rows(empty, "MATCH ()-[p:PRODUCES {yield: 50.0}]->() RETURN valueType(p.yield)") == [
        ["FLOAT NOT NULL"]
    ]


def test_names_and_ids_are_unique(small: neo4j.Driver) -> None:
    found = rows(
        small,
        "SHOW CONSTRAINTS YIELD labelsOrTypes, properties, type "
        "RETURN labelsOrTypes, properties, type ORDER BY labelsOrTypes",
    )

    assert found == [[["Molecule"], ["name"], "UNIQUENESS"], [["Reaction"], ["id"], "UNIQUENESS"]]


def test_a_graph_of_several_batches_is_written_whole(empty: neo4j.Driver) -> None:
    chain = [Reaction(n, ("C" * n,), ("C" * (n + 1),), ("O",), ("N",), (None,)) for n in range(1, 30)]
    many = [replace(chain[n % 29], id=n + 1) for n in range(2_100)]

    report = load(empty, many)

    assert (report.reactions, report.molecules, report.relationships) == (2_100, 32, 8_400)
    assert report.seconds > 0
    assert rows(empty, "MATCH (r:Reaction) WHERE COUNT { (r)--() } = 4 RETURN count(r)") == [[2_100]]


def test_a_database_with_content_is_left_alone(small: neo4j.Driver, reactions: tuple[Reaction, ...]) -> None:
    with pytest.raises(GraphError, match="holds 10 nodes already"):
        load(small, reactions)

    assert rows(small, "MATCH (n) RETURN count(n)") == [[10]]


def test_an_unknown_database_is_a_clear_error(own_server: neo4j.Driver) -> None:
    with pytest.raises(GraphError, match="'nosuch'"):
        load(own_server, [], database="nosuch")
