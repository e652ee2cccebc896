"""Property graphs in Neo4j: loading, fingerprint and export."""

import datetime
import logging
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, LiteralString, TypeVar, cast, get_args

from retrocypher.kg.cypher.edits import quote_name
from retrocypher.kg.errors import GraphError
from retrocypher.kg.graph.fingerprint import (
    fingerprint_of_lines,
    node_line,
    read_transaction,
    relationship_line,
)
from retrocypher.kg.graph.loading import batches, require_empty, write_batch
from retrocypher.kg.suites.graph import (
    GraphSchema,
    Node,
    PropertyGraph,
    Relationship,
    RelationshipType,
    ValueType,
)

if TYPE_CHECKING:
    import neo4j

_Item = TypeVar("_Item", Node, Relationship)
_logger = logging.getLogger(__name__)

# The server of our own lets a transaction hold 32 MiB; with 40 properties each, 2,000 nodes need a third.
_AT_ONCE = 2_000

# As elsewhere, id() is sought without an index, and is half as many bytes as elementId().
_CREATE_NODES = "UNWIND $rows AS row CREATE (n:{label}) SET n = row[1] RETURN collect([row[0], id(n)])"
_CREATE_RELATIONSHIPS = """
UNWIND $rows AS row
MATCH (a) WHERE id(a) = row[0]
MATCH (b) WHERE id(b) = row[1]
CREATE (a)-[r:{type}]->(b)
SET r = row[2]
"""
_INDEX = "CREATE INDEX IF NOT EXISTS FOR (n:{label}) ON (n.name)"
_INDEXED_LENGTH = 2_000  # characters; the server refuses longer values in an index, at some 8,000 bytes

MOST_NODES = 2_000_000
"""A larger database is not exported: the graph has to fit into memory."""

MOST_RELATIONSHIPS = 10_000_000
"""Likewise, for relationships."""

_COUNTS: LiteralString = "RETURN COUNT { () }, COUNT { ()-->() }"
_NODES: LiteralString = "MATCH (n) RETURN elementId(n), labels(n), properties(n)"
_RELATIONSHIPS: LiteralString = """
MATCH (a)-[r]->(b)
RETURN type(r), elementId(a), elementId(b), properties(r)
"""


def load_graph(driver: "neo4j.Driver", graph: PropertyGraph, database: str = "neo4j") -> None:
    """Write the graph into an empty database in batches, with an index of the names of each label.

    Raises:
        GraphError: The database holds nodes already, or the server refuses a write.
    """
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        with driver.session(database=database, notifications_min_severity="OFF") as session:
            require_empty(session, database)
            # First, so that no index is still being filled when the server is closed or asked.
            for label in _labels_to_index(graph):
                session.run(_INDEX.format(label=quote_name(label))).consume()
            places = _create_nodes(session, graph.nodes)
            _create_relationships(session, graph.relationships, places)
    except (DriverError, Neo4jError) as error:
        raise GraphError(
            f"The graph {graph.name!r} could not be loaded into database '{database}': {error}"
        ) from error


def _create_nodes(session: "neo4j.Session", nodes: Sequence[Node]) -> dict[str, int]:
    """Return the identifier in the database by that in the graph."""
    places: dict[str, int] = {}
    for label, several in _grouped(nodes, attrgetter("label")).items():
        query = _CREATE_NODES.format(label=quote_name(label))
        for batch in batches(several, _AT_ONCE):
            rows = [[number, node.properties] for number, node in enumerate(batch)]
            created = write_batch(session, query, rows).records[0][0]
            places |= {batch[number].id: place for number, place in created}
    return places


def _create_relationships(
    session: "neo4j.Session", relationships: Sequence[Relationship], places: Mapping[str, int]
) -> None:
    for kind, several in _grouped(relationships, attrgetter("type")).items():
        query = _CREATE_RELATIONSHIPS.format(type=quote_name(kind))
        rows = ([places[each.start], places[each.end], each.properties] for each in several)
        for batch in batches(rows, _AT_ONCE):
            write_batch(session, query, batch)


def _grouped(items: Sequence[Any], key: "attrgetter[str]") -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = defaultdict(list)
    for item in items:
        groups[key(item)].append(item)
    return groups


def _labels_to_index(graph: PropertyGraph) -> Iterator[str]:
    longest: dict[str, int] = {}
    for node in graph.nodes:
        name = node.properties.get("name")
        if isinstance(name, str):
            longest[node.label] = max(longest.get(node.label, 0), len(name))
    yield from (label for label, length in longest.items() if length <= _INDEXED_LENGTH)


def fingerprint_of_graph(graph: PropertyGraph) -> str:
    """Return the fingerprint of a graph; the database gives the same once the graph is loaded.

    The name of the graph, its schema, and the ids of nodes do not matter.
    """
    return fingerprint_of_lines(_lines(graph))


def _lines(graph: PropertyGraph) -> Iterator[str]:
    lines = {node.id: node_line((node.label,), node.properties) for node in graph.nodes}
    yield from lines.values()
    for each in graph.relationships:
        yield relationship_line(lines[each.start], each.type, each.properties, lines[each.end])


def export_graph(driver: "neo4j.Driver", name: str, database: str = "neo4j") -> PropertyGraph:
    """Read a whole database, in a READ session; the schema is that of the content.

    The ids of nodes are those of the database. A property with a value of a type that `ValueType` lacks, or
    with values of several types within a label or relationship type, is left out, and this is logged.

    Raises:
        GraphError: The server cannot be read, the database is empty or has more than `MOST_NODES` or
            `MOST_RELATIONSHIPS`, or a node has no label or several.
    """
    from neo4j.exceptions import DriverError, Neo4jError

    nodes: dict[str, Node] = {}
    relationships: list[Relationship] = []
    try:
        with read_transaction(driver, database) as transaction:
            _require_exportable(transaction, database)
            for identity, labels, properties in transaction.run(_NODES):
                nodes[identity] = Node(identity, _one_label(identity, labels), _plain(properties))
            for kind, start, end, properties in transaction.run(_RELATIONSHIPS):
                relationships.append(Relationship(kind, nodes[start].id, nodes[end].id, _plain(properties)))
    except (DriverError, Neo4jError) as error:
        raise GraphError(f"The graph in database '{database}' could not be exported: {error}") from error
    except KeyError as error:
        # Nodes and relationships are read one after the other.
        raise GraphError(f"Database '{database}' was written to during the export. Repeat it.") from error
    return _with_schema(name, nodes, relationships)


def _require_exportable(transaction: "neo4j.Transaction", database: str) -> None:
    nodes, relationships = transaction.run(_COUNTS).single(strict=True).values()
    if not nodes:
        raise GraphError(f"Database '{database}' is empty. Load a graph first.")
    if nodes > MOST_NODES or relationships > MOST_RELATIONSHIPS:
        raise GraphError(
            f"Database '{database}' has {nodes:,} nodes and {relationships:,} relationships; a graph is "
            f"exported up to {MOST_NODES:,} and {MOST_RELATIONSHIPS:,}. Export a part of it into a database "
            "of its own, or give the graph as a SimpleKG file."
        )


def _one_label(identity: str, labels: Sequence[str]) -> str:
    if len(labels) != 1:
        which = f"the labels {', '.join(sorted(labels))}" if labels else "no label"
        raise GraphError(
            f"The node {identity} has {which}; in a suite each node has one. Set one label, for instance "
            "with MATCH (n:A:B) REMOVE n:B."
        )
    return labels[0]


def _plain(properties: Mapping[str, Any]) -> dict[str, Any]:
    from neo4j.time import Date

    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return [plain(each) for each in value]
        return value.to_native() if isinstance(value, Date) else value

    return {name: plain(value) for name, value in properties.items()}


_SCALARS: Mapping[type, str] = {str: "str", int: "int", float: "float", bool: "bool", datetime.date: "date"}
_TYPES = frozenset(get_args(ValueType))


def _kind(value: Any) -> ValueType | None:
    """The type of a value; None for one that suites do not know, and for an empty list."""
    kind = _SCALARS.get(type(value))
    if isinstance(value, float) and not math.isfinite(value):
        # JSON, and so SimpleKG, has neither NaN nor infinity.
        kind = None
    elif isinstance(value, list):
        kinds = {_kind(each) for each in value}
        kind = f"list[{kinds.pop()}]" if len(kinds) == 1 else None
    return cast(ValueType, kind) if kind in _TYPES else None


def _with_schema(
    name: str, nodes: Mapping[str, Node], relationships: Sequence[Relationship]
) -> PropertyGraph:
    labels, typed_nodes = _typed(nodes.values(), lambda each: (each.label,))
    types, typed_relationships = _typed(
        relationships, lambda each: (each.type, nodes[each.start].label, nodes[each.end].label)
    )
    schema = GraphSchema(
        {label: kinds for (label,), kinds in labels.items()},
        tuple(RelationshipType(kind, start, end, own) for (kind, start, end), own in types.items()),
    )
    return PropertyGraph(name, schema, typed_nodes, typed_relationships)


def _typed(
    items: Collection[_Item], owner_of: Callable[[_Item], tuple[str, ...]]
) -> tuple[dict[tuple[str, ...], dict[str, ValueType]], tuple[_Item, ...]]:
    """Return the types of properties by label or relationship, and the items without other properties."""
    found: dict[tuple[str, ...], dict[str, set[ValueType | None]]] = defaultdict(dict)
    for each in items:
        kinds = found[owner_of(each)]
        for name, value in each.properties.items():
            kinds.setdefault(name, set()).add(_kind(value))
    typed: dict[tuple[str, ...], dict[str, ValueType]] = {owner: {} for owner in sorted(found)}
    for owner, own in typed.items():
        for name, (kind, *others) in sorted(found[owner].items()):
            if kind and not others:
                own[name] = kind
                continue
            whose = "({1})-[{0}]->({2})".format(*owner) if len(owner) > 1 else owner[0]
            why = "values of several types" if others else "values of a type that suites do not have"
            _logger.warning(f"The property {name!r} of {whose} has {why}, and is left out.")

    def kept(each: _Item) -> _Item:
        own = typed[owner_of(each)]
        if each.properties.keys() <= own.keys():
            return each
        return replace(
            each, properties={name: value for name, value in each.properties.items() if name in own}
        )

    return typed, tuple(map(kept, items))
