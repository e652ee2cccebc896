"""Paths in the very form in which execution writes them, so that the two cannot drift apart."""

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from neo4j.graph import Graph, Node, Path

from retrocypher.kg.execution.json_value import to_json_value
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.runs.record import Scores

Make = Callable[[str, list[dict[str, Any]]], Question]
Scored = Callable[[Question, list[str], list[list[Any]]], Scores]

ROUTE = ("A", 11, "B", 12, "C")


def executed(names: tuple[str | int, ...], *, turned: bool = False) -> Any:
    graph = Graph()
    nodes = [
        Node(graph, f"n{name}", 0, ["Reaction"], {"id": name})
        if isinstance(name, int)
        else Node(graph, f"n{name}", 0, ["Molecule"], {"name": name})
        for name in names
    ]
    edges = []
    for number, (one, other) in enumerate(itertools.pairwise(nodes)):
        edge = graph.relationship_type("LINK")(graph, f"e{number}", number, {})
        edge._start_node, edge._end_node = (other, one) if turned else (one, other)
        edges.append(edge)
    return to_json_value(Path(nodes[0], *edges))


@pytest.mark.parametrize(
    "value", [executed(ROUTE), executed(ROUTE[::-1], turned=True)], ids=["from start", "from target"]
)
def test_a_returned_path_is_its_route(question: Make, scored: Scored, value: Any) -> None:
    asked = question("chains_to_target", [{"route": [11, 12]}])
    scores = scored(asked, ["path"], [[value]])
    assert scores.f1 == 1.0
    assert scores.partial_path_recall == 1.0
