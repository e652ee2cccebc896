"""The fingerprint of a live graph: that of its reactions, and another after any change."""

from dataclasses import replace

import neo4j
import pytest

from retrocypher.kg.errors import GraphError
from retrocypher.kg.graph.compact import read_manifest
from retrocypher.kg.graph.fingerprint import fingerprint, fingerprint_of
from retrocypher.kg.graph.loading import load
from retrocypher.kg.graph.reaction import Reaction


def test_the_default_graph_has_the_fingerprint_of_its_manifest(driver: neo4j.Driver) -> None:
    assert fingerprint(driver) == read_manifest()["fingerprint"]


def test_it_equals_the_one_in_memory_whatever_the_order(
    empty: neo4j.Driver, reactions: tuple[Reaction, ...]
) -> None:
    load(empty, [replace(r, reactants=r.reactants[::-1]) for r in reversed(reactions)])

    assert fingerprint(empty) == fingerprint_of(reactions)


def test_names_with_quotes_and_escapes_are_the_same_on_both_sides(empty: neo4j.Driver) -> None:
    odd = [Reaction(1, ("C\\C=C/C", 'a"b\n\u00e9\u2028'), ("O",), (), (), (1e-7,))]
    load(empty, odd)

    assert fingerprint(empty) == fingerprint_of(odd)


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
def test_any_change_of_the_live_graph_is_seen(
    small: neo4j.Driver, reactions: tuple[Reaction, ...], change: str
) -> None:
    with small.session() as session:
        session.run(change).consume()  # type: ignore[arg-type]

    assert fingerprint(small) != fingerprint_of(reactions)


def test_an_empty_database_has_the_fingerprint_of_no_reactions(empty: neo4j.Driver) -> None:
    assert fingerprint(empty) == fingerprint_of([])


def test_a_server_that_does_not_answer_is_a_clear_error() -> None:
    with (
        neo4j.GraphDatabase.driver("bolt://127.0.0.1:1", auth=("neo4j", "x")) as driver,
        pytest.raises(GraphError, match="could not be read"),
    ):
        fingerprint(driver)
