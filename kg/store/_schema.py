"""The schema text that prompts show, read from the live graph without plugins."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, LiteralString

from kg.errors import GraphError

if TYPE_CHECKING:
    import neo4j

# Every node and relationship is read: exact, where a sample or the counts store would only be likely.
_NODES: LiteralString = """
MATCH (n)
UNWIND CASE WHEN size(keys(n)) = 0 THEN [null] ELSE keys(n) END AS key
RETURN DISTINCT labels(n) AS labels, key, valueType(n[key]) AS type
"""
_PROPERTIES: LiteralString = """
MATCH ()-[r]->() UNWIND keys(r) AS key
RETURN DISTINCT type(r) AS kind, key, valueType(r[key]) AS type
"""
_DIRECTIONS: LiteralString = """
MATCH (a)-[r]->(b)
RETURN DISTINCT labels(a) AS start, type(r) AS kind, labels(b) AS end
"""
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def schema_text(driver: "neo4j.Driver", database: str = "neo4j") -> str:
    """Return labels, properties with types, and relationship types with directions, as prompts show them.

    The text depends on the content of the graph alone: lines and names are sorted. Types are those of
    Cypher 5 (``STRING``, ``INTEGER``, ``FLOAT``, ...). It is read in a READ session, without APOC or any
    other procedure.

    Args:
        driver: Needs no right to write.
        database: Name of the database.

    Raises:
        GraphError: The server cannot be read, or the database is empty.
    """
    from neo4j import READ_ACCESS
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        with driver.session(database=database, default_access_mode=READ_ACCESS) as session:
            nodes = list(session.run(_NODES))
            properties = list(session.run(_PROPERTIES))
            directions = list(session.run(_DIRECTIONS))
    except (DriverError, Neo4jError) as error:
        raise GraphError(f"The schema of database '{database}' could not be read: {error}") from error
    if not nodes:
        raise GraphError(f"Database '{database}' is empty: it has no schema. Load a graph first.")
    labels = _types((_pattern(record["labels"]), record["key"], record["type"]) for record in nodes)
    kinds = _types((_quoted(record["kind"]), record["key"], record["type"]) for record in properties)
    arrows = {f"({_pattern(r['start'])})-[:{_quoted(r['kind'])}]->({_pattern(r['end'])})" for r in directions}
    for record in directions:
        kinds.setdefault(_quoted(record["kind"]), {})
    return "\n".join(
        [
            "Nodes and their properties:",
            *(f"({name}{_braces(labels[name])})" for name in sorted(labels)),
            "Relationships and their properties:",
            *(f"[:{name}{_braces(kinds[name])}]" for name in sorted(kinds)),
            "Directions:",
            *sorted(arrows),
        ]
    )


def _types(rows: Iterable[tuple[str, str | None, str]]) -> dict[str, dict[str, set[str]]]:
    found: dict[str, dict[str, set[str]]] = defaultdict(dict)
    for name, key, kind in rows:
        properties = found[name]
        if key is not None:
            properties.setdefault(key, set()).add(kind.removesuffix(" NOT NULL"))
    return dict(found)


def _braces(properties: Mapping[str, set[str]]) -> str:
    if not properties:
        return ""
    inner = (f"{_quoted(key)}: {' | '.join(sorted(properties[key]))}" for key in sorted(properties))
    return f" {{{', '.join(inner)}}}"


def _pattern(labels: Iterable[str]) -> str:
    return "".join(f":{_quoted(label)}" for label in sorted(labels))


def _quoted(name: str) -> str:
    return name if _PLAIN_NAME.fullmatch(name) else f"`{name.replace('`', '``')}`"
