"""The shipped graph of the suite flights."""

from collections import Counter

from retrocypher.kg.suites.loading import fingerprint_of_graph
from retrocypher.kg.suites.simplekg import read_simplekg
from retrocypher.kg.suites.suite import read_suite, suite_folder


def test_the_graph_is_the_one_that_the_suite_names() -> None:
    folder = suite_folder("flights")
    suite = read_suite(folder)
    file = folder / str(suite.graph.file)
    graph = read_simplekg(file)
    assert suite.graph.fingerprint == fingerprint_of_graph(graph)
    assert file.stat().st_size < 2_000_000
    assert Counter(node.label for node in graph.nodes)["Flight"] == 6_000
    for label in graph.schema.labels:
        names = [node.properties["name"] for node in graph.nodes if node.label == label]
        assert len(names) == len(set(names)) > 0
    used = {each.type for each in graph.relationships}
    assert used == {each.type for each in graph.schema.relationships}
