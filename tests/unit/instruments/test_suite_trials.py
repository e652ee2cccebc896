"""The trials of EX on planted errors, and of its speed."""

from collections import Counter
from pathlib import Path

from retrocypher.benchmarks.instruments.mutants import applications
from retrocypher.benchmarks.instruments.predictions import FLAGS, predictions, wide_pairs
from retrocypher.benchmarks.instruments.resampled import resampled
from retrocypher.kg.mutations.registry import OPERATORS
from retrocypher.kg.suites.graph import PropertyGraph
from retrocypher.kg.suites.loading import fingerprint_of_graph
from retrocypher.kg.suites.simplekg import read_simplekg, write_simplekg
from retrocypher.kg.suites.suite import SHIPPED_SUITES

QUERIES = [
    "MATCH (n:Plane {name: 'N1'}) RETURN n.seats",
    "MATCH (n:Plane)-[r:HAS_MODEL]->(m) RETURN n.name, m.name",
]


def flights() -> PropertyGraph:
    return read_simplekg(SHIPPED_SUITES / "flights" / "graph.json.gz")


def test_a_resampled_graph_has_the_same_nodes_and_schema_and_other_content(tmp_path: Path) -> None:
    graph = flights()
    other = resampled(graph, 1)
    assert {(node.id, node.label, node.properties["name"]) for node in other.nodes} == {
        (node.id, node.label, node.properties["name"]) for node in graph.nodes
    }
    write_simplekg(other, tmp_path / "other.json")
    read = fingerprint_of_graph(read_simplekg(tmp_path / "other.json"))
    assert read == fingerprint_of_graph(resampled(graph, 1))
    assert len({read, fingerprint_of_graph(graph), fingerprint_of_graph(resampled(graph, 2))}) == 3


def test_an_operator_is_applied_once_to_a_query_and_not_too_often() -> None:
    applied = list(applications(QUERIES, seed=0, most=1))
    assert set(Counter(each.mutant.operator for each in applied).values()) == {1}
    kinds = {OPERATORS[each.mutant.operator].kind for each in applied}
    assert kinds == {"error", "neutral"}
    assert applied == list(applications(QUERIES, seed=0, most=1))
    assert len(list(applications(QUERIES, seed=0, most=2))) > len(applied)


def test_predictions_are_references_and_mutants_that_do_not_write() -> None:
    pairs = predictions(400, seed=0)
    assert len(pairs) == 400
    assert 240 < sum(gold == prediction for gold, prediction in pairs) < 310
    assert not any("MERGE" in prediction for _, prediction in pairs)


def test_wide_pairs_return_the_same_columns_in_another_order() -> None:
    for gold, prediction in wide_pairs(flights(), FLAGS, 5, seed=0):
        columns, others = (query.partition(" RETURN ")[2].split(", ") for query in (gold, prediction))
        assert columns != others
        assert sorted(columns) == sorted(others) == sorted(FLAGS)
