"""The schema that a server tells."""

import neo4j
import pytest
from support.schemas import DEFAULT_SCHEMA_TEXT

from retrocypher.kg.errors import GraphError
from retrocypher.kg.graph.loading import schema_text


def test_the_schema_of_the_default_graph(driver: neo4j.Driver) -> None:
    assert schema_text(driver) == DEFAULT_SCHEMA_TEXT


def test_it_says_what_is_there_and_nothing_else(empty: neo4j.Driver) -> None:
    with empty.session() as session:
        session.run(
            "CREATE (:B:A {x: 1})-[:`HAS PART` {w: [1, 2]}]->(c), (:B:A {x: 1.5}), (:Gone), "
            "(c)-[:KNOWS]->(:`odd ``label` {`a b`: 'x'})"
        ).consume()
        session.run("MATCH (n:Gone) DELETE n").consume()

    assert schema_text(empty).splitlines() == [
        "Nodes and their properties:",
        "()",
        "(:A:B {x: FLOAT | INTEGER})",
        "(:`odd ``label` {`a b`: STRING})",
        "Relationships and their properties:",
        "[:KNOWS]",
        "[:`HAS PART` {w: LIST<INTEGER NOT NULL>}]",
        "Directions:",
        "()-[:KNOWS]->(:`odd ``label`)",
        "(:A:B)-[:`HAS PART`]->()",
    ]


def test_an_empty_database_has_no_schema(empty: neo4j.Driver) -> None:
    with pytest.raises(GraphError, match="is empty"):
        schema_text(empty)
