"""The schema of a graph, read from its text."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import NamedTuple, TypeAlias

from retrocypher.kg.cypher.tokens import unescape
from retrocypher.kg.errors import InputError

_NAME = r"(?:`(?:[^`]|``)*`|[^\W\d]\w*)"
_LABELS = rf"\(\s*((?::\s*{_NAME}\s*)*)"
_ITEM = rf"\s*{_NAME}\s*:[^,:{{}}`]+"
_BRACES = rf"(?:\{{((?:{_ITEM}(?:,{_ITEM})*)?\s*)\}}\s*)?"
_LINES = {
    "Nodes and their properties:": re.compile(rf"{_LABELS}{_BRACES}\)"),
    "Relationships and their properties:": re.compile(rf"\[\s*:\s*({_NAME})\s*{_BRACES}\]"),
    "Directions:": re.compile(rf"{_LABELS}\)\s*-\[\s*:\s*({_NAME})\s*\]->\s*{_LABELS}\)"),
}
_NODES, _TYPES, _DIRECTIONS = _LINES
_WHAT = {
    _NODES: "a node such as (:Molecule {name: STRING})",
    _TYPES: "a type such as [:PRODUCES {yield: FLOAT}]",
    _DIRECTIONS: "a direction such as (:Molecule)-[:REACTS_IN]->(:Reaction)",
}
_PROPERTY = re.compile(rf"\s*({_NAME})\s*:([^,]+)")
_ONE_NAME = re.compile(_NAME)
_SPACE = re.compile(r"\s*")
_BAR = re.compile(r"\|(?![^<]*>)")  # not one within LIST<...>
_REMEDY = "Give the schema as prompts show it; docs/errors-and-loops.md has an example."

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

    Where every node has one label, ``labels`` and ``edges`` say all. ``nodes``, which has the sets of labels
    that nodes have, and ``connections`` also tell which labels a node has together, and that it has none.
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


def default_schema() -> Schema:
    """Return the schema of the default graph, as ``default.txt`` holds it."""
    return parse_schema(default_schema_text())


def default_schema_text() -> str:
    """Return the text of ``default.txt``, as prompts show it."""
    return resources.files(__package__).joinpath("default.txt").read_text("utf-8")


def parse_schema(text: str) -> Schema:
    """Read a schema text as `kg.graph.loading.schema_text` writes it; raise InputError for another.

    Blank lines and space are free; labels and types that only the directions name are taken up too.
    """
    nodes: dict[frozenset[str], Properties] = {}
    types: dict[str, Properties] = {}
    connections: set[Connection] = set()
    for heading, groups in _entries(text):
        if heading == _NODES:
            nodes[_labels(groups[0])] = _properties(groups[1])
        elif heading == _TYPES:
            types[_plain(groups[0])] = _properties(groups[1])
        else:
            connections.add(Connection(_labels(groups[0]), _plain(groups[1]), _labels(groups[2])))
    for start, kind, end in connections:
        types.setdefault(kind, {})
        nodes.setdefault(start, {})
        nodes.setdefault(end, {})
    return Schema(nodes, types, frozenset(connections))


def _entries(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each entry with its heading; a name in backticks may hold any character, so lines are not cut first."""
    heading: str | None = None
    missing = list(_LINES)
    position = _after_space(text, 0)
    while position < len(text):
        found = next((name for name in missing if text.startswith(name, position)), None)
        if found is not None:
            heading = found
            missing.remove(found)
            position += len(found)
        else:
            match = None if heading is None else _LINES[heading].match(text, position)
            if heading is None or match is None:
                wanted = f"the heading '{missing[0]}'" if heading is None else _WHAT[heading]
                line = text[position:].splitlines()[0][:200]
                number = text.count("\n", 0, position) + 1
                raise InputError(f"Schema text, line {number}: '{line}' is not {wanted}. {_REMEDY}")
            yield heading, match.groups(default="")
            position = match.end()
        position = _after_space(text, position)
    if missing:
        raise InputError(f"The schema text has no heading '{missing[0]}'. {_REMEDY}")


def _after_space(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _labels(text: str) -> frozenset[str]:
    return frozenset(_plain(name) for name in _ONE_NAME.findall(text))


def _properties(text: str) -> Properties:
    return {
        _plain(name): frozenset(kind.strip() for kind in _BAR.split(types))
        for name, types in _PROPERTY.findall(text)
    }


def _plain(name: str) -> str:
    plain = unescape(name).text
    return plain[1:-1].replace("``", "`") if plain.startswith("`") else plain


def _merged(several: Iterable[Properties]) -> Properties:
    merged: dict[str, frozenset[str]] = {}
    for properties in several:
        for name, types in properties.items():
            merged[name] = merged.get(name, frozenset()) | types
    return merged
