"""The fingerprint of a graph: a hash of its content, alike for reactions in memory and the database."""

import datetime
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, LiteralString

from retrocypher.kg.errors import GraphError
from retrocypher.kg.graph.reaction import FactProperties, Reaction, relationships_of

if TYPE_CHECKING:
    import neo4j

_READ_TIMEOUT_S = 1_800.0
"""Limit for reading a whole graph; the server of our own ends a transaction after two minutes otherwise."""

_FORM = "reaction-graph-1"


def _as_the_driver_has_it(value: object) -> str:
    # Values a property may hold but JSON may not (points, times) are distinguished well enough by their repr.
    # A date of a graph in memory is written as the driver's date is, without the driver.
    if isinstance(value, datetime.date):
        return f"neo4j.time.Date({value.year}, {value.month}, {value.day})"
    return repr(value)


_JSON = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=_as_the_driver_has_it
)

# Records cost the driver ten times what lists in one record do, and a list of all nodes would not fit into
# the memory a query may hold. So: identifiers in large parts, and what they stand for in small ones. id() is
# half as many bytes as elementId(), is sought without an index, and need not hold beyond one transaction.
_COUNT: LiteralString = "MATCH (n) RETURN count(n)"
_IDS: LiteralString = (
    "MATCH (n) WHERE id(n) % $parts = $part RETURN collect(id(n)), collect(COUNT { (n)-->() })"
)

_NODES: LiteralString = """
MATCH (n) WHERE id(n) IN $ids
RETURN collect(
  [id(n), labels(n), properties(n), [(n)-[r]->(m) WHERE NOT $is_hub | [type(r), properties(r), id(m)]]]
)
"""

# The relationships of a node with very many do not fit into one record.
_OUTGOING: LiteralString = "MATCH (n)-[r]->(m) WHERE id(n) = $id RETURN type(r), properties(r), id(m)"

_IDS_AT_ONCE = 150_000
_NODES_AT_ONCE = 2_000
_RELATIONSHIPS_AT_ONCE = 10_000


def node_line(labels: Iterable[str], properties: Mapping[str, object]) -> str:
    """Return the line that stands for a node: its labels, sorted, and its properties, by name."""
    return _line(tuple(sorted(labels)), properties)


def relationship_line(start: str, kind: str, properties: Mapping[str, object], end: str) -> str:
    """Return the line that stands for a relationship between the nodes of two `node_line`s."""
    return f"{start} {_line(kind, properties)} {end}"


def _line(head: str | tuple[str, ...], properties: Mapping[str, object]) -> str:
    # The encoder is quick for a text and slow for any other value, and there are 100,000 lines.
    members = ",".join([f"{_JSON.encode(name)}:{_value(properties[name])}" for name in sorted(properties)])
    return f"[{_head(head)},{{{members}}}]"


@lru_cache(maxsize=1024)
def _head(head: str | tuple[str, ...]) -> str:
    return _JSON.encode(head)


def _value(value: object) -> str:
    # 0.0 and -0.0 are equal, in Cypher too, but are not written alike.
    return _JSON.encode(value or 0.0 if isinstance(value, float) else value)


def fingerprint_of_lines(lines: Iterable[str]) -> str:
    """Return the SHA-256 (hexadecimal) of the lines of all nodes and relationships, in any order."""
    digest = sha256(_FORM.encode())
    for line in sorted(lines):
        digest.update(b"\n")
        digest.update(line.encode())
    return digest.hexdigest()


def fingerprint_of(reactions: Iterable[Reaction], more: FactProperties | None = None) -> str:
    """Return the fingerprint of the graph that these reactions make.

    It changes with any molecule, role, yield or identifier and with nothing else: neither the order of
    reactions nor that of molecules within a role matters, nor does where a reaction came from. The live
    graph gives the same value (`fingerprint`), unless it holds anything besides. With more properties of
    relationships it is another graph.
    """
    return fingerprint_of_lines(_lines(reactions, more))


def _lines(reactions: Iterable[Reaction], more: FactProperties | None) -> Iterator[str]:
    molecules: dict[str, str] = {}

    def line_of(name: str) -> str:
        if name not in molecules:
            molecules[name] = node_line(("Molecule",), {"name": name})
        return molecules[name]

    for reaction in reactions:
        here = node_line(("Reaction",), {"id": reaction.id})
        yield here
        for kind, related in relationships_of(reaction, more):
            for name, properties in related:
                start, end = line_of(name), here
                if kind != "REACTS_IN":
                    start, end = end, start
                yield relationship_line(start, kind, properties, end)
    yield from molecules.values()


@contextmanager
def read_transaction(driver: "neo4j.Driver", database: str) -> Iterator["neo4j.Transaction"]:
    """Open a transaction of a READ session that may take as long as a whole graph needs."""
    from neo4j import READ_ACCESS

    with (
        driver.session(
            database=database, default_access_mode=READ_ACCESS, notifications_min_severity="OFF"
        ) as session,
        session.begin_transaction(timeout=_READ_TIMEOUT_S) as transaction,
    ):
        yield transaction


def fingerprint(driver: "neo4j.Driver", database: str = "neo4j") -> str:
    """Return the fingerprint of everything in the database; raise GraphError if it cannot be read.

    It equals `fingerprint_of` of the reactions that were loaded, and differs when a label,
    relationship type, property or value was added, removed or changed since.
    """
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        with read_transaction(driver, database) as transaction:
            return fingerprint_of_lines(_live_lines(transaction))
    except (DriverError, Neo4jError) as error:
        raise GraphError(f"The graph in database '{database}' could not be read: {error}") from error


def _live_lines(transaction: "neo4j.Transaction") -> Iterator[str]:
    nodes: dict[int, str] = {}
    relationships: list[tuple[int, str, int]] = []
    for ids, is_hub in _batches(transaction):
        batch = transaction.run(_NODES, ids=ids, is_hub=is_hub).single(strict=True)[0]
        for node, labels, properties, outgoing in batch:
            nodes[node] = node_line(labels, properties)
            several = transaction.run(_OUTGOING, id=node) if is_hub else outgoing
            relationships += [(node, _line(kind, values), end) for kind, values, end in several]
    yield from nodes.values()
    for begin, line, end in relationships:
        yield f"{nodes[begin]} {line} {nodes[end]}"


def _batches(transaction: "neo4j.Transaction") -> Iterator[tuple[list[int], bool]]:
    """Yield the identifiers of all nodes in lists, and whether a list is a node with many relationships."""
    count = transaction.run(_COUNT).single(strict=True)[0]
    parts = count // _IDS_AT_ONCE + 1
    for part in range(parts):
        batch: list[int] = []
        load = 0
        for node, outgoing in zip(
            *transaction.run(_IDS, parts=parts, part=part).single(strict=True), strict=True
        ):
            if outgoing > _RELATIONSHIPS_AT_ONCE:
                yield [node], True
                continue
            if len(batch) == _NODES_AT_ONCE or load + outgoing > _RELATIONSHIPS_AT_ONCE:
                yield batch, False
                batch, load = [], 0
            batch.append(node)
            load += outgoing
        if batch:
            yield batch, False
