"""A live graph: loaded whole, told apart from any other by its fingerprint, and described by its schema."""

from collections.abc import Iterator
from dataclasses import replace

import neo4j
import pytest
from support.schemas import DEFAULT_SCHEMA_TEXT
from support.server_tests import server_with

from retrocypher.kg.errors import GraphError
from retrocypher.kg.evidence.compact import fact_properties
from retrocypher.kg.evidence.confidence import default_model
from retrocypher.kg.evidence.evidence import Evidence, facts_of
from retrocypher.kg.graph.fingerprint import fingerprint, fingerprint_of
from retrocypher.kg.graph.loading import load, schema_text
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.server.endpoint import connect

# A yield is a float in the graph, whatever number it was before.
REACTIONS = (
    Reaction(1, ("C", "O"), ("CO", "N"), ("[Pd]",), ("ClCCl", "O"), (50, None)),
    Reaction(2, ("CO",), ("CN",), (), (), (None,)),
    Reaction(3, ("CN", "O"), ("CO",), ("[Pd]", "C"), (), (100.0,)),
)


def wipe(driver: neo4j.Driver) -> None:
    with driver.session() as session:
        # Relationships first: with the nodes in one transaction they need more memory than the server allows.
        session.run("MATCH ()-[r]->() DELETE r").consume()
        session.run("MATCH (n) DELETE n").consume()
        for name in ("molecule_name", "reaction_id"):
            session.run(f"DROP CONSTRAINT {name} IF EXISTS").consume()


@pytest.fixture(scope="module")
def own_server() -> Iterator[neo4j.Driver]:
    """A driver to a server apart from the shared one, whose content a test may change."""
    with server_with(REACTIONS) as server, connect(server.endpoint) as driver:
        yield driver


@pytest.fixture
def empty(own_server: neo4j.Driver) -> neo4j.Driver:
    """The own server, with nothing in it."""
    wipe(own_server)
    return own_server


@pytest.fixture
def small(empty: neo4j.Driver) -> neo4j.Driver:
    """The own server with `REACTIONS` in it."""
    load(empty, REACTIONS)
    return empty


def rows(driver: neo4j.Driver, query: str) -> list[list[object]]:
    with driver.session() as session:
        return [list(record.values()) for record in session.run(query)]  # type: ignore[arg-type]


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


def test_a_database_with_content_is_left_alone(small: neo4j.Driver) -> None:
    with pytest.raises(GraphError, match="holds 10 nodes already"):
        load(small, REACTIONS)

    assert rows(small, "MATCH (n) RETURN count(n)") == [[10]]


def test_an_unknown_database_is_a_clear_error(own_server: neo4j.Driver) -> None:
    with pytest.raises(GraphError, match="'nosuch'"):
        load(own_server, [], database="nosuch")


def test_it_equals_the_one_in_memory_whatever_the_order(empty: neo4j.Driver) -> None:
    load(empty, [replace(r, reactants=r.reactants[::-1]) for r in reversed(REACTIONS)])

    assert fingerprint(empty) == fingerprint_of(REACTIONS)


def test_names_with_quotes_and_escapes_are_the_same_on_both_sides(empty: neo4j.Driver) -> None:
    odd = [Reaction(1, ("C\\C=C/C", 'a"b\n\u00e9\u2028'), ("O",), (), (), (1e-7,))]
    load(empty, odd)

    assert fingerprint(empty) == fingerprint_of(odd)


def test_more_properties_of_relationships_are_loaded_and_in_the_fingerprint(empty: neo4j.Driver) -> None:
    evidence = [
        Evidence(fact, (("other_reading", "agrees"), ("text_name", "agrees"))[: number % 3], (number, 20))
        for number, fact in enumerate(fact for reaction in REACTIONS for fact in facts_of(reaction))
    ]
    more = fact_properties(REACTIONS, evidence, default_model())
    load(empty, REACTIONS, more=more)

    assert fingerprint(empty) == fingerprint_of(REACTIONS, more) != fingerprint_of(REACTIONS)
    ((found,),) = rows(empty, "MATCH (:Reaction {id: 1})-[p:PRODUCES]->({name: 'CO'}) RETURN properties(p)")
    assert found == {"yield": 50.0, **more[1, "PRODUCES", "CO"]}
    assert {"confidence", "yieldConfidence", "span"} < set(more[1, "PRODUCES", "CO"])


@pytest.mark.parametrize(
    "change",
    [
        "MATCH (r:Reaction {id: 2}) SET r.id = 4",
        "MATCH (m:Molecule {name: 'CN'}) SET m.name = 'NC'",
        "MATCH (:Reaction {id: 1})-[p:PRODUCES]->(:Molecule {name: 'CO'}) SET p.yield = 51.0",
        "MATCH (:Reaction {id: 1})-[p:PRODUCES]->(:Molecule {name: 'CO'}) SET p.yield = 50",
        "MATCH (:Reaction {id: 2})-[p:PRODUCES]->() SET p.yield = 0.0",
        "MATCH (:Reaction {id: 3})-[p:PRODUCES]->() REMOVE p.yield",
        "MATCH (:Reaction {id: 3})-[p:PRODUCES]->() DELETE p",
        "MATCH (r:Reaction {id: 3})-[p:PRODUCES]->(m) DELETE p CREATE (m)-[:PRODUCES {yield: 100.0}]->(r)",
        "MATCH (r:Reaction {id: 3})-[p:USES_AGENT]->(m) DELETE p CREATE (r)-[:USES_SOLVENT]->(m)",
        "MATCH (r:Reaction {id: 2}), (m:Molecule {name: 'O'}) CREATE (r)-[:USES_SOLVENT]->(m)",
        "MATCH (r:Reaction {id: 2})-[:PRODUCES]->(m) CREATE (r)-[:PRODUCES]->(m)",
        "MATCH (r:Reaction {id: 2}) DETACH DELETE r",
        "CREATE (:Molecule {name: 'CCCC'})",
        "CREATE ()",
        "CREATE (:Patent {number: 1})",
        "MATCH (m:Molecule {name: 'O'}) SET m:Solvent",
        "MATCH (m:Molecule {name: 'O'}) REMOVE m:Molecule",
        "MATCH (m:Molecule {name: 'O'}) SET m.formula = 'H2O'",
        "MATCH (r:Reaction {id: 2}) SET r.day = date('2001-07-01')",
        "MATCH ()-[u:USES_AGENT]->() WITH u LIMIT 1 SET u.grams = 1",
    ],
)
def test_any_change_of_the_live_graph_is_seen(small: neo4j.Driver, change: str) -> None:
    with small.session() as session:
        session.run(change).consume()  # type: ignore[arg-type]

    assert fingerprint(small) != fingerprint_of(REACTIONS)


def test_an_empty_database_has_the_fingerprint_of_no_reactions(empty: neo4j.Driver) -> None:
    assert fingerprint(empty) == fingerprint_of([])


def test_a_server_that_does_not_answer_is_a_clear_error() -> None:
    with (
        neo4j.GraphDatabase.driver("bolt://127.0.0.1:1", auth=("neo4j", "x")) as driver,
        pytest.raises(GraphError, match="could not be read"),
    ):
        fingerprint(driver)


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
