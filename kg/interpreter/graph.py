"""A small property graph in memory, and the values of Cypher that come from it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True, eq=False)
class GraphNode:
    """A node; two are equal only where they are one."""

    id: int
    labels: frozenset[str]
    properties: Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class GraphRelationship:
    """A relationship; two are equal only where they are one."""

    id: int
    type: str
    start: GraphNode
    end: GraphNode
    properties: Mapping[str, Any]

    def other(self, node: GraphNode) -> GraphNode:
        """The node at the other end."""
        return self.end if self.start is node else self.start


@dataclass(frozen=True, slots=True)
class GraphPath:
    """A path: one node more than it has relationships."""

    nodes: tuple[GraphNode, ...]
    relationships: tuple[GraphRelationship, ...]


Value: TypeAlias = Any
"""None, a boolean, integer, float or string, a list or dict of values, a node, relationship or path."""


class SmallGraph:
    """A graph that is small enough to be searched without an index."""

    def __init__(self, nodes: Sequence[GraphNode], relationships: Sequence[GraphRelationship]) -> None:
        self.nodes = tuple(nodes)
        self.relationships = tuple(relationships)
        self._outgoing: dict[GraphNode, list[GraphRelationship]] = defaultdict(list)
        self._incoming: dict[GraphNode, list[GraphRelationship]] = defaultdict(list)
        for each in relationships:
            self._outgoing[each.start].append(each)
            self._incoming[each.end].append(each)

    def outgoing(self, node: GraphNode) -> Sequence[GraphRelationship]:
        """The relationships that start at a node."""
        return self._outgoing.get(node, ())

    def incoming(self, node: GraphNode) -> Sequence[GraphRelationship]:
        """The relationships that end at a node."""
        return self._incoming.get(node, ())


def to_json(value: Value) -> Any:
    """Return a value in the form that rows have on records: nodes, relationships and paths are tagged."""
    match value:
        case GraphNode():
            return {"$node": _node(value)}
        case GraphRelationship():
            return {"$relationship": _relationship(value)}
        case GraphPath(nodes, relationships):
            parts = {"nodes": [*map(_node, nodes)], "relationships": [*map(_relationship, relationships)]}
            return {"$path": parts}
        case list():
            return [to_json(each) for each in value]
        case dict():
            return {key: to_json(each) for key, each in value.items()}
    return value


def _node(node: GraphNode) -> dict[str, Any]:
    return {"id": element_id(node), "labels": sorted(node.labels), "properties": dict(node.properties)}


def _relationship(relationship: GraphRelationship) -> dict[str, Any]:
    return {
        "id": element_id(relationship),
        "type": relationship.type,
        "start": element_id(relationship.start),
        "end": element_id(relationship.end),
        "properties": dict(relationship.properties),
    }


def element_id(element: GraphNode | GraphRelationship) -> str:
    """Return the id that `elementId` gives; its form is the server's, its numbers are the graph's own."""
    return f"{4 if isinstance(element, GraphNode) else 5}:small:{element.id}"
