"""The fingerprint of the live graph."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, LiteralString

from kg.errors import GraphError
from kg.reactions import fingerprint_of_lines, node_line, relationship_line

if TYPE_CHECKING:
    import neo4j

# Records cost the driver ten times what lists in one record do, and a list of all nodes would not fit into
# the memory a query may hold. So: identifiers in large parts, and what they stand for in small ones. id() is
# half as many bytes as elementId(), is sought without an index, and need not hold beyond one transaction.
_COUNT: LiteralString = "MATCH (n) RETURN count(n)"
_IDS: LiteralString = "MATCH (n) WHERE id(n) % $parts = $part RETURN collect(id(n))"
_NODES: LiteralString = """
MATCH (n) WHERE id(n) IN $ids
RETURN collect(
  [id(n), labels(n), properties(n), [(n)-[r]->(m) | [type(r), properties(r), id(m)]]]
)
"""
_IDS_AT_ONCE = 250_000
_NODES_AT_ONCE = 2_000


def fingerprint(driver: "neo4j.Driver", database: str = "neo4j") -> str:
    """Return the fingerprint of everything in the database, read in a READ session.

    It equals `kg.reactions.fingerprint_of` of the reactions that were loaded, and differs when a label,
    relationship type, property or value was added, removed or changed since.

    Args:
        driver: Needs no right to write.
        database: Name of the database.

    Raises:
        GraphError: The server cannot be read.
    """
    from neo4j import READ_ACCESS
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        with (
            driver.session(
                database=database,
                default_access_mode=READ_ACCESS,
                notifications_min_severity="OFF",
            ) as session,
            session.begin_transaction() as transaction,
        ):
            return fingerprint_of_lines(_lines(transaction))
    except (DriverError, Neo4jError) as error:
        raise GraphError(f"The graph in database '{database}' could not be read: {error}") from error


def _lines(transaction: "neo4j.Transaction") -> Iterator[str]:
    nodes: dict[int, str] = {}
    relationships: list[tuple[int, str, dict[str, Any], int]] = []
    for ids in _ids(transaction):
        for start in range(0, len(ids), _NODES_AT_ONCE):
            batch = transaction.run(_NODES, ids=ids[start : start + _NODES_AT_ONCE]).single(strict=True)[0]
            for node, labels, properties, outgoing in batch:
                nodes[node] = node_line(labels, properties)
                relationships += ((node, kind, values, end) for kind, values, end in outgoing)
    yield from nodes.values()
    for begin, kind, values, end in relationships:
        yield relationship_line(nodes[begin], kind, values, nodes[end])


def _ids(transaction: "neo4j.Transaction") -> Iterator[list[int]]:
    count = transaction.run(_COUNT).single(strict=True)[0]
    parts = count // _IDS_AT_ONCE + 1
    for part in range(parts):
        yield transaction.run(_IDS, parts=parts, part=part).single(strict=True)[0]
