"""The audit of any property graph against what its suite declares."""

from dataclasses import replace

import pytest
from msgspec.structs import replace as changed

from retrocypher.kg.audit.declared import audit_declared
from retrocypher.kg.audit.finding import Finding
from retrocypher.kg.suites.graph import Relationship
from retrocypher.kg.suites.simplekg import read_simplekg
from retrocypher.kg.suites.suite import SHIPPED_SUITES, read_suite

FOLDER = SHIPPED_SUITES / "flights"
GRAPH = read_simplekg(FOLDER / "graph.json.gz")
GENERATION = read_suite(FOLDER).generation
assert GENERATION is not None
DEPARTURES = [each for each in GRAPH.relationships if each.type == "DEPARTS_FROM"]


def test_the_shipped_graph_is_as_it_is_declared() -> None:
    assert list(audit_declared(GRAPH, GENERATION)) == []


@pytest.mark.parametrize("count", [1, 3])
def test_a_second_partner_is_found_where_one_is_declared(count: int) -> None:
    airports = [node.id for node in GRAPH.nodes if node.label == "Airport"]
    added = [
        Relationship(each.type, each.start, next(a for a in airports if a != each.end), {})
        for each in DEPARTURES[:count]
    ]
    found = list(audit_declared(replace(GRAPH, relationships=(*GRAPH.relationships, *added)), GENERATION))
    assert [each.rule for each in found] == ["several_values"] * count
    assert all(added[0].type in each.detail for each in found)
    assert any(DEPARTURES[0].start in each.detail for each in found)


def test_a_missing_relationship_is_found() -> None:
    kept = tuple(each for each in GRAPH.relationships if each != DEPARTURES[0])
    (finding,) = audit_declared(replace(GRAPH, relationships=kept), GENERATION)
    assert finding == Finding(
        "no_value", (), f"(Flight)-[DEPARTS_FROM]->(Airport): Flight {DEPARTURES[0].start}"
    )


def test_an_entailed_relationship_and_a_second_node_of_a_name() -> None:
    facts = [
        changed(each, entails=["ARRIVES_AT"], every_start=False) if each.type == "DEPARTS_FROM" else each
        for each in GENERATION.relationships
    ]
    found = list(audit_declared(GRAPH, changed(GENERATION, relationships=facts)))
    assert {each.rule for each in found} == {"not_entailed"}
    twin = replace(GRAPH.nodes[0], id="twin")
    label = twin.label
    rules = [each.rule for each in audit_declared(replace(GRAPH, nodes=(*GRAPH.nodes, twin)), GENERATION)]
    assert rules.count("same_key") == 1, label
