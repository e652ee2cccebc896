"""What generation may use of a graph: a proposal for ``suite.yaml``, and a check of what the user edited."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

from retrocypher.kg.errors import InputError
from retrocypher.kg.suites.graph import Node, PropertyGraph, RelationshipType
from retrocypher.kg.suites.patterns import time_properties
from retrocypher.kg.suites.suite import Generation, RelationshipFacts

Pairs = dict[tuple[str, str, str], set[tuple[str, str]]]
"""Ids of start and end by relationship type, start label and end label."""

_KEY_TYPES = ("str", "int")
_DIFFERENT = 0.5
"""Share of different values from which a property ``name`` is proposed as key, although names repeat."""


def propose(graph: PropertyGraph, seed: int = 0) -> Generation:
    """Measure keys, cardinality, participation, entailment and time properties of a graph."""
    nodes, pairs = nodes_by_label(graph), pairs_by_type(graph)
    keys = {label: key for label in graph.schema.labels if (key := _key(graph, label, nodes[label]))}
    facts = [_facts(kind, pairs, nodes) for kind in graph.schema.relationships]
    return Generation(keys, facts, seed)


def check_generation(graph: PropertyGraph, generation: Generation, where: str) -> None:
    """Raise InputError, which names ``where`` and the entry, if the graph lacks what generation names."""
    for problem in _problems(graph, generation):
        raise InputError(f"{where}: generation: {problem}")


def nodes_by_label(graph: PropertyGraph) -> Mapping[str, list[Node]]:
    """Return the nodes of each label, in the order of the graph."""
    found: defaultdict[str, list[Node]] = defaultdict(list)
    for node in graph.nodes:
        found[node.label].append(node)
    return found


def pairs_by_type(graph: PropertyGraph) -> Pairs:
    """Return which nodes the relationships of each kind connect, in the order of the schema."""
    pairs: Pairs = {(each.type, each.start, each.end): set() for each in graph.schema.relationships}
    labels = {node.id: node.label for node in graph.nodes}
    for each in graph.relationships:
        kind = each.type, labels[each.start], labels[each.end]
        pairs.setdefault(kind, set()).add((each.start, each.end))
    return pairs


def _problems(graph: PropertyGraph, generation: Generation) -> Iterator[str]:
    nodes = nodes_by_label(graph)
    schema = graph.schema
    known = {(each.type, each.start, each.end): each for each in schema.relationships}
    for label, key in generation.keys.items():
        if label not in schema.labels:
            yield f"keys: the graph has no label {label!r}; it has {', '.join(schema.labels)}"
        elif schema.labels[label].get(key) not in _KEY_TYPES:
            yield f"keys: {label} has no property {key!r} of type str or int"
        elif any(key not in node.properties for node in nodes[label]):
            lacking = next(node.id for node in nodes[label] if key not in node.properties)
            yield f"keys: the {label} {lacking!r} lacks {key!r}; name another property, or remove the line"
    for facts in generation.relationships:
        name = f"({facts.start})-[{facts.type}]->({facts.end})"
        kind = known.get((facts.type, facts.start, facts.end))
        types = {each.type for each in schema.relationships}
        if kind is None:
            yield f"relationships: the graph has no {name}"
        elif unknown := [each for each in facts.entails if each not in types]:
            yield f"relationships: {name} entails {unknown[0]!r}, which is no relationship type of the graph"
        elif facts.time and [kind.properties.get(each) for each in facts.time] != ["int", "int"]:
            yield f"relationships: time of {name} must name two properties of type int"


def _key(graph: PropertyGraph, label: str, nodes: list[Node]) -> str:
    properties = graph.schema.labels[label]
    complete = [
        name
        for name, kind in properties.items()
        if nodes and kind in _KEY_TYPES and all(name in node.properties for node in nodes)
    ]
    share = {name: len({node.properties[name] for node in nodes}) / len(nodes) for name in complete}
    if share.get("name", 0) >= _DIFFERENT:
        return "name"
    unique = [name for name in complete if share[name] == 1]
    return min(unique, key=lambda name: properties[name] != "str", default="")


def _facts(kind: RelationshipType, pairs: Pairs, nodes: Mapping[str, list[Node]]) -> RelationshipFacts:
    own = pairs[kind.type, kind.start, kind.end]
    starts, ends = Counter(start for start, _ in own), Counter(end for _, end in own)
    entailed = [
        other
        for (other, start, end), those in pairs.items()
        if own and other != kind.type and (start, end) == (kind.start, kind.end) and own <= those
    ]
    time = [pair for pair in time_properties() if all(kind.properties.get(each) == "int" for each in pair)]
    return RelationshipFacts(
        kind.type,
        kind.start,
        kind.end,
        start_per_end="one" if set(ends.values()) == {1} else "many",
        end_per_start="one" if set(starts.values()) == {1} else "many",
        every_start=bool(own) and len(starts) == len(nodes[kind.start]),
        every_end=bool(own) and len(ends) == len(nodes[kind.end]),
        entails=entailed,
        time=time[0] if time else [],
    )
