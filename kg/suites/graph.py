"""A property graph in memory, with the schema that it follows."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from retrocypher.kg.semantics.schema import Connection, Properties, Schema

ValueType = Literal[
    "str", "int", "float", "bool", "date", "list[str]", "list[int]", "list[float]", "list[date]"
]
"""Types of properties, as SimpleKG names them."""

Value: TypeAlias = (
    str | int | float | bool | datetime.date | list[str] | list[int] | list[float] | list[datetime.date]
)


@dataclass(frozen=True, slots=True)
class RelationshipType:
    """Relationships of one type between nodes of two labels."""

    type: str
    start: str
    end: str
    properties: Mapping[str, ValueType]


@dataclass(frozen=True, slots=True)
class GraphSchema:
    """Labels with their properties, and relationship types; several may share a ``type``."""

    labels: Mapping[str, Mapping[str, ValueType]]
    relationships: tuple[RelationshipType, ...]

    def described(self) -> Schema:
        """Return the schema in which queries are read; it names properties without their types."""
        return Schema(
            nodes={frozenset([label]): _untyped(found) for label, found in self.labels.items()},
            types={each.type: _untyped(each.properties) for each in self.relationships},
            connections=frozenset(
                Connection(frozenset([each.start]), each.type, frozenset([each.end]))
                for each in self.relationships
            ),
        )


def _untyped(properties: Mapping[str, ValueType]) -> Properties:
    return {name: frozenset() for name in properties}


@dataclass(frozen=True, slots=True)
class Node:
    """A node; ``id`` is unique in its graph and is not a property."""

    id: str
    label: str
    properties: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Relationship:
    """A relationship between the nodes with the ids ``start`` and ``end``."""

    type: str
    start: str
    end: str
    properties: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class PropertyGraph:
    """A whole graph. Each node has one label, and every relationship fits the schema."""

    name: str
    schema: GraphSchema
    nodes: tuple[Node, ...]
    relationships: tuple[Relationship, ...]
