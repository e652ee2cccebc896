"""Property graphs in a live Neo4j: loaded, told apart by their fingerprint, and exported."""

import logging
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import neo4j
import pytest
from support.cypherbench import generated_graph
from support.property_graphs import hostile_league

from retrocypher.kg.errors import GraphError
from retrocypher.kg.graph.fingerprint import fingerprint
from retrocypher.kg.graph.loading import schema_text
from retrocypher.kg.semantics.schema import parse_schema
from retrocypher.kg.server.endpoint import Endpoint, connect
from retrocypher.kg.suites import loading
from retrocypher.kg.suites.graph import GraphSchema, Node, PropertyGraph, Relationship, RelationshipType
from retrocypher.kg.suites.loading import export_graph, fingerprint_of_graph, load_graph
from retrocypher.kg.suites.simplekg import read_simplekg, write_simplekg

# One of each type of value, and what is easily changed on the way.
EVERYTHING = PropertyGraph(
    "everything",
    GraphSchema(
        {
            "A b": {
                "name": "str",
                "number": "int",
                "ratio": "float",
                "yes": "bool",
                "day": "date",
                "texts": "list[str]",
                "numbers": "list[int]",
                "ratios": "list[float]",
                "days": "list[date]",
            },
            "Über`": {"name": "str"},
        },
        (
            RelationshipType("HAS `it`", "A b", "Über`", {"since": "date", "öl": "float"}),
            RelationshipType("SELF", "A b", "A b", {}),
        ),
    ),
    (
        Node(
            "1",
            "A b",
            {
                "name": 'O\'Hara \\ "Łódź" 東京 \U0001f9ea\n',
                "number": -(2**63),
                "ratio": 0.1,
                "yes": False,
                "day": date(1, 1, 1),
                "texts": ["", "b"],
                "numbers": [2**62, 0],
                "ratios": [1.0, -0.0, 1e-300],
                "days": [date(1999, 12, 31), date(9999, 12, 31)],
            },
        ),
        Node("2", "A b", {"name": "x" * 9_000, "ratio": -0.0}),
        Node("3", "Über`", {"name": "same"}),
        Node("4", "Über`", {"name": "same"}),
    ),
    (
        Relationship("HAS `it`", "1", "3", {"since": date(2013, 1, 1), "öl": 2.0}),
        Relationship("HAS `it`", "1", "3", {"since": date(2013, 1, 1), "öl": 2.0}),
        Relationship("HAS `it`", "2", "4", {}),
        Relationship("SELF", "1", "1", {}),
    ),
)


@pytest.fixture
def empty(own_server: Endpoint) -> Iterator[neo4j.Driver]:
    """A driver to a server with nothing in it; what a test writes is deleted, because it may be large."""
    with connect(own_server) as driver:
        _delete_all(driver)
        yield driver
        _delete_all(driver)


def _delete_all(driver: neo4j.Driver) -> None:
    with driver.session() as session:
        session.run("MATCH ()-[r]->() CALL (r) { DELETE r } IN TRANSACTIONS OF 5000 ROWS").consume()
        session.run("MATCH (n) CALL (n) { DELETE n } IN TRANSACTIONS OF 5000 ROWS").consume()


def write(driver: neo4j.Driver, query: str) -> None:
    with driver.session() as session:
        session.run(query).consume()  # type: ignore[arg-type]


def test_a_loaded_graph_has_the_fingerprint_of_the_graph(empty: neo4j.Driver) -> None:
    load_graph(empty, EVERYTHING)
    assert fingerprint(empty) == fingerprint_of_graph(EVERYTHING)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (n {name: 'same'}) WITH n LIMIT 1 SET n.name = 'other'",
        "MATCH (n {number: -9223372036854775808}) SET n.day = date('0001-01-02')",
        "MATCH (n {number: -9223372036854775808}) SET n.ratios = [1, 0, 0]",
        "MATCH ()-[r:SELF]->() DELETE r",
        "CREATE (:Other)",
    ],
)
def test_any_change_gives_another_fingerprint(empty: neo4j.Driver, query: str) -> None:
    load_graph(empty, EVERYTHING)
    write(empty, query)
    assert fingerprint(empty) != fingerprint_of_graph(EVERYTHING)


def test_what_is_exported_is_what_was_loaded(empty: neo4j.Driver) -> None:
    load_graph(empty, EVERYTHING)
    exported = export_graph(empty, "everything")
    assert exported.schema == EVERYTHING.schema
    assert fingerprint_of_graph(exported) == fingerprint_of_graph(EVERYTHING)
    assert sorted(node.properties["name"] for node in exported.nodes) == sorted(
        node.properties["name"] for node in EVERYTHING.nodes
    )


def test_hostile_names_are_loaded_and_shown_as_they_are(empty: neo4j.Driver) -> None:
    graph, _ = hostile_league()
    load_graph(empty, graph)
    exported = export_graph(empty, "league")
    assert fingerprint_of_graph(exported) == fingerprint_of_graph(graph)
    schema = parse_schema(schema_text(empty))
    assert schema.labels.keys() == graph.schema.labels.keys()
    assert {each.type for each in schema.edges} == {each.type for each in graph.schema.relationships}


def test_a_file_of_a_published_schema_loads(empty: neo4j.Driver, tmp_path: Path) -> None:
    write_simplekg(generated_graph("nba", 3_000), tmp_path / "nba.json.gz")
    graph = read_simplekg(tmp_path / "nba.json.gz")
    load_graph(empty, graph)
    expected = fingerprint_of_graph(graph)
    assert fingerprint(empty) == expected
    exported = export_graph(empty, "nba")
    assert fingerprint_of_graph(exported) == expected
    assert {label: dict(kinds) for label, kinds in exported.schema.labels.items()} == graph.schema.labels
    # Batch by batch, each relationship is still between the nodes that it was between.
    assert {each.id for each in exported.nodes} >= {each.start for each in exported.relationships}


def test_names_are_sought_in_an_index(empty: neo4j.Driver) -> None:
    load_graph(empty, generated_graph("nba", 200))
    with empty.session() as session:
        plan = session.run("EXPLAIN MATCH (n:Team {name: 'x'}) RETURN n").consume().plan
    assert "NodeIndexSeek" in str(plan)


def test_a_database_with_nodes_is_left_alone(empty: neo4j.Driver) -> None:
    load_graph(empty, EVERYTHING)
    with pytest.raises(GraphError, match="holds 4 nodes already"):
        load_graph(empty, EVERYTHING)


@pytest.mark.scale
def test_a_node_with_many_relationships_has_a_fingerprint(empty: neo4j.Driver) -> None:
    graph = PropertyGraph(
        "hub",
        GraphSchema({"A": {"name": "str"}}, ()),
        (Node("hub", "A", {"name": "hub"}), Node("end", "A", {"name": "end"})),
        tuple(Relationship("HAS", "hub", "end", {"number": number}) for number in range(100_000)),
    )
    load_graph(empty, graph)
    assert fingerprint(empty) == fingerprint_of_graph(graph)


def test_properties_that_suites_do_not_have_are_left_out(
    empty: neo4j.Driver, caplog: pytest.LogCaptureFixture
) -> None:
    write(
        empty,
        "CREATE (a:A {name: 'a', at: point({x: 1, y: 2}), when: datetime(), mixed: 1, none: [], nan: 0.0/0})"
        "-[:R {length: duration('P1D'), year: 1}]->(:A {name: 'b', mixed: 'text', at: point({x: 1, y: 2})})",
    )
    with caplog.at_level(logging.WARNING):
        graph = export_graph(empty, "odd")
    assert graph.schema == GraphSchema(
        {"A": {"name": "str"}}, (RelationshipType("R", "A", "A", {"year": "int"}),)
    )
    assert [node.properties for node in graph.nodes] == [{"name": "a"}, {"name": "b"}]
    assert graph.relationships[0].properties == {"year": 1}
    for part in (
        "'at' of A",
        "'when' of A",
        "'mixed' of A has values of several",
        "'none' of A",
        "'nan' of A",
        "'length' of (A)",
    ):
        assert caplog.text.count(part) == 1


@pytest.mark.parametrize(
    ("query", "message"),
    [("CREATE ()", "has no label"), ("CREATE (:B:A)", "has the labels A, B"), ("RETURN 1", "is empty")],
)
def test_what_cannot_be_exported_is_named(empty: neo4j.Driver, query: str, message: str) -> None:
    write(empty, query)
    with pytest.raises(GraphError, match=message):
        export_graph(empty, "odd")


def test_a_graph_that_is_too_large_is_not_exported(
    empty: neo4j.Driver, monkeypatch: pytest.MonkeyPatch
) -> None:
    load_graph(empty, EVERYTHING)
    monkeypatch.setattr(loading, "MOST_NODES", 3)
    with pytest.raises(GraphError, match="has 4 nodes and 4 relationships; a graph is exported up to 3 and"):
        export_graph(empty, "everything")
