import neo4j
import pytest

from retrocypher.kg.errors import GraphError
from retrocypher.kg.graph.loading import schema_text
from retrocypher.kg.server.endpoint import Endpoint, connect

DEFAULT = """\
Nodes and their properties:
(:Molecule {name: STRING})
(:Reaction {id: INTEGER})
Relationships and their properties:
[:PRODUCES {yield: FLOAT}]
[:REACTS_IN]
[:USES_AGENT]
[:USES_SOLVENT]
Directions:
(:Molecule)-[:REACTS_IN]->(:Reaction)
(:Reaction)-[:PRODUCES]->(:Molecule)
(:Reaction)-[:USES_AGENT]->(:Molecule)
(:Reaction)-[:USES_SOLVENT]->(:Molecule)"""


def test_the_schema_of_the_default_graph(endpoint: Endpoint) -> None:
    with connect(endpoint) as driver:
        assert schema_text(driver) == DEFAULT


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
