"""Other graphs of a graph's schema, in which the same nodes have other properties and relationships."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from random import Random

from retrocypher.kg.suites.graph import Node, PropertyGraph, Relationship, Value

_MOVED_ENDS, _MOVED_STARTS = 0.5, 0.25


def resampled(graph: PropertyGraph, seed: int) -> PropertyGraph:
    """Return a graph with the nodes and names of another one, and other content.

    Values of a property are shuffled among the nodes of a label, missing ones too. Half of the relationships
    of a type lead to another node at which the type ends. A quarter also begin at another node, where nodes
    have several of them. A query about named nodes thus mostly finds rows, and others than before.
    """
    random = Random(f"{graph.name} {seed}")
    relationships: dict[tuple[str, str, str], Relationship] = {}
    for several in _by_type(graph).values():
        starts, ends = [each.start for each in several], [each.end for each in several]
        many = Counter(starts).most_common(1)[0][1] > 1
        for each in several:
            start = random.choice(starts) if many and random.random() < _MOVED_STARTS else each.start
            end = random.choice(ends) if random.random() < _MOVED_ENDS else each.end
            if start != end:
                relationships[each.type, start, end] = replace(each, start=start, end=end)
    nodes = [node for label in graph.schema.labels for node in _shuffled(random, graph, label)]
    return replace(graph, nodes=tuple(nodes), relationships=tuple(relationships.values()))


def _by_type(graph: PropertyGraph) -> dict[tuple[str, str, str], list[Relationship]]:
    """Relationships by type and the labels of their ends."""
    labels = {node.id: node.label for node in graph.nodes}
    found: dict[tuple[str, str, str], list[Relationship]] = defaultdict(list)
    for each in graph.relationships:
        found[each.type, labels[each.start], labels[each.end]].append(each)
    return found


def _shuffled(random: Random, graph: PropertyGraph, label: str) -> Sequence[Node]:
    nodes = [node for node in graph.nodes if node.label == label]
    columns: dict[str, list[Value | None]] = {}
    for name in graph.schema.labels[label]:
        columns[name] = [node.properties.get(name) for node in nodes]
        if name != "name":
            random.shuffle(columns[name])
    return [
        replace(
            node, properties={name: value for name in columns if (value := columns[name][row]) is not None}
        )
        for row, node in enumerate(nodes)
    ]
