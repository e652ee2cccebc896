"""The fingerprint of the live graph."""

from collections.abc import Iterator
from typing import LiteralString

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from kg.errors import GraphError
from kg.reactions import fingerprint_of_lines, node_line, relationship_line

# Collected into lists: a record of its own for each costs the driver ten times as much. id() is half as many
# bytes as elementId(), and needs to hold within one transaction only.
_NODES: LiteralString = """
MATCH (n)
WITH id(n) / 1000 AS part, collect([id(n), labels(n), properties(n)]) AS nodes
RETURN nodes
"""
_RELATIONSHIPS: LiteralString = """
MATCH (a)-[r]->(b)
WITH id(r) / 1000 AS part, collect([id(a), type(r), properties(r), id(b)]) AS relationships
RETURN relationships
"""


def fingerprint(driver: neo4j.Driver, database: str = "neo4j") -> str:
    """Return the fingerprint of everything in the database, read in a READ session.

    It equals `kg.reactions.fingerprint_of` of the reactions that were loaded, and differs when a label,
    relationship type, property or value was added, removed or changed since.

    Args:
        driver: Needs no right to write.
        database: Name of the database.

    Raises:
        GraphError: The server cannot be read.
    """
    try:
        with (
            driver.session(
                database=database,
                default_access_mode=neo4j.READ_ACCESS,
                notifications_min_severity="OFF",
            ) as session,
            session.begin_transaction() as transaction,
        ):
            return fingerprint_of_lines(_lines(transaction))
    except (DriverError, Neo4jError) as error:
        raise GraphError(f"The graph in database '{database}' could not be read: {error}") from error


def _lines(transaction: neo4j.Transaction) -> Iterator[str]:
    nodes: dict[int, str] = {}
    for (part,) in transaction.run(_NODES):
        for number, labels, properties in part:
            nodes[number] = node_line(labels, properties)
    yield from nodes.values()
    for (part,) in transaction.run(_RELATIONSHIPS):
        for start, kind, properties, end in part:
            yield relationship_line(nodes[start], kind, properties, nodes[end])
