"""A schema and what can be asked of it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, TypeAlias

Properties: TypeAlias = Mapping[str, frozenset[str]]
"""Property names, each with the value types it has, as Cypher names them (``STRING``, ``FLOAT``, ...)."""


class Connection(NamedTuple):
    """Relationships of a type run from nodes with exactly these labels to nodes with exactly those."""

    start: frozenset[str]
    type: str
    end: frozenset[str]


class SchemaEdge(NamedTuple):
    """Relationships of a type run from some node with the label ``start`` to some node with ``end``."""

    start: str
    type: str
    end: str


@dataclass(frozen=True)
class Schema:
    """The schema of a graph. Names are plain: without backticks.

    Where every node has one label, ``labels`` and ``edges`` say all. ``nodes`` and ``connections`` also tell
    which labels a node has together, and that it has none.

    Attributes:
        nodes: The sets of labels that nodes have, each with the properties of such nodes.
        types: The relationship types, each with its properties.
        connections: Which way the types run, between which nodes.
    """

    nodes: Mapping[frozenset[str], Properties]
    types: Mapping[str, Properties]
    connections: frozenset[Connection]

    def __hash__(self) -> int:
        # What is read of a query is kept by query and schema; the mappings have no hash.
        return hash(self.connections)

    @cached_property
    def labels(self) -> Mapping[str, Properties]:
        """The labels, each with the properties that some node with this label has."""
        names = sorted({label for labels in self.nodes for label in labels})
        return {name: _merged(self.nodes[kind] for kind in self.nodes if name in kind) for name in names}

    @cached_property
    def edges(self) -> frozenset[SchemaEdge]:
        """The connections, label by label; those of nodes without a label are not among them."""
        return frozenset(
            SchemaEdge(start, connection.type, end)
            for connection in self.connections
            for start in connection.start
            for end in connection.end
        )

    @cached_property
    def properties(self) -> frozenset[str]:
        """Every property name of a node or a relationship."""
        owners = (*self.nodes.values(), *self.types.values())
        return frozenset(name for properties in owners for name in properties)

    def ends(self, type_name: str) -> frozenset[tuple[str, str]]:
        """The pairs of start and end label that a type connects; none for an unknown type."""
        return frozenset((edge.start, edge.end) for edge in self.edges if edge.type == type_name)

    def allows(self, start: str | None, type_name: str | None, end: str | None) -> bool:
        """Whether an edge may run from a label by a type to a label; None stands for any, also for none."""
        return any(
            type_name in (None, connection.type)
            and (start is None or start in connection.start)
            and (end is None or end in connection.end)
            for connection in self.connections
        )

    def has_label(self, label: str) -> bool:
        """Whether some node has the label."""
        return label in self.labels

    def has_type(self, type_name: str) -> bool:
        """Whether some relationship has the type."""
        return type_name in self.types

    def has_property(self, name: str, owner: str | None = None) -> bool:
        """Whether a label or a type (any node or relationship where None) has a property of this name."""
        if owner is None:
            return name in self.properties
        return name in self.labels.get(owner, {}) or name in self.types.get(owner, {})

    def labels_with(self, name: str) -> frozenset[str]:
        """The labels of nodes that have a property of this name."""
        return frozenset(label for label, properties in self.labels.items() if name in properties)

    def types_with(self, name: str) -> frozenset[str]:
        """The relationship types that have a property of this name."""
        return frozenset(kind for kind, properties in self.types.items() if name in properties)


def _merged(several: Iterable[Properties]) -> Properties:
    merged: dict[str, frozenset[str]] = {}
    for properties in several:
        for name, types in properties.items():
            merged[name] = merged.get(name, frozenset()) | types
    return merged
