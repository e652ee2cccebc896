"""The rules of the audit over any property graph: what its suite declares of keys and relationships."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from retrocypher.kg.audit.finding import AuditRule, Finding, GraphAudit, by_rule
from retrocypher.kg.suites.graph import Node, PropertyGraph
from retrocypher.kg.suites.proposal import Pairs, nodes_by_label, pairs_by_type
from retrocypher.kg.suites.suite import Generation, RelationshipFacts

DECLARED_RULES: Mapping[str, AuditRule] = {
    "several_values": AuditRule(
        "conflict", "error", "a node has several partners by a relationship that is declared to have one"
    ),
    "no_value": AuditRule(
        "conflict", "error", "a node has no relationship of a type that each node is declared to have"
    ),
    "not_entailed": AuditRule(
        "conflict", "error", "a relationship lacks another one that is declared to come with it"
    ),
    "same_key": AuditRule("duplicate", "warning", "nodes of one label have the same value of their key"),
}
"""The rules by name, in the order of the report."""


def audit_suite(graph: PropertyGraph, generation: Generation) -> GraphAudit:
    """Audit any property graph against what its suite declares."""
    size = {"nodes": len(graph.nodes), "relationships": len(graph.relationships)}
    return GraphAudit(size, by_rule(DECLARED_RULES, audit_declared(graph, generation)), [])


def audit_declared(graph: PropertyGraph, generation: Generation) -> Iterator[Finding]:
    """Yield where a graph is not as ``generation`` in ``suite.yaml`` declares it."""
    nodes, pairs = nodes_by_label(graph), pairs_by_type(graph)
    for facts in generation.relationships:
        yield from _relationship(facts, pairs, nodes)
    for label, key in generation.keys.items():
        named: defaultdict[object, list[str]] = defaultdict(list)
        for node in nodes.get(label, ()):
            named[node.properties.get(key)].append(node.id)
        for value, same in named.items():
            if len(same) > 1:
                yield Finding("same_key", (), f"{label} {key} {value!r}: {len(same)} nodes")


def _relationship(
    facts: RelationshipFacts, pairs: Pairs, nodes: Mapping[str, list[Node]]
) -> Iterator[Finding]:
    own = pairs.get((facts.type, facts.start, facts.end), set())
    arrow = f"({facts.start})-[{facts.type}]->({facts.end})"
    ends, starts = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
    for start, end in own:
        ends[start].add(end)
        starts[end].add(start)
    for declared, partners in ((facts.end_per_start, ends), (facts.start_per_end, starts)):
        for start, found in sorted(partners.items()) if declared == "one" else ():
            if len(found) > 1:
                yield Finding("several_values", (), f"{arrow}: {start} has {', '.join(sorted(found))}")
    for every, label, known in ((facts.every_start, facts.start, ends), (facts.every_end, facts.end, starts)):
        for node in nodes.get(label, ()) if every else ():
            if node.id not in known:
                yield Finding("no_value", (), f"{arrow}: {label} {node.id}")
    for other in facts.entails:
        for start, end in sorted(own - pairs.get((other, facts.start, facts.end), set())):
            yield Finding("not_entailed", (), f"{arrow}: no {other} from {start} to {end}")
