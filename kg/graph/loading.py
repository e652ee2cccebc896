"""Loading reactions into an empty database, and reading the schema of a database."""

import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, LiteralString, TypeVar

from retrocypher.kg.cypher.edits import quote_name
from retrocypher.kg.errors import GraphError
from retrocypher.kg.graph.reaction import FactProperties, Reaction, relationships_of

if TYPE_CHECKING:
    import neo4j

_CONSTRAINTS: tuple[LiteralString, ...] = (
    "CREATE CONSTRAINT molecule_name IF NOT EXISTS FOR (m:Molecule) REQUIRE m.name IS UNIQUE",
    "CREATE CONSTRAINT reaction_id IF NOT EXISTS FOR (r:Reaction) REQUIRE r.id IS UNIQUE",
)
_MOLECULES: LiteralString = "UNWIND $rows AS name CREATE (:Molecule {name: name})"

# One pass a reaction: its node is at hand, and only the molecules are looked up, in the constraint's index.
_REACTIONS: LiteralString = """
UNWIND $rows AS row
CREATE (r:Reaction {id: row[0]})
FOREACH (e IN row[1] | MERGE (m:Molecule {name: e[0]}) CREATE (m)-[to:REACTS_IN]->(r) SET to = e[1])
FOREACH (e IN row[2] | MERGE (m:Molecule {name: e[0]}) CREATE (r)-[to:PRODUCES]->(m) SET to = e[1])
FOREACH (e IN row[3] | MERGE (m:Molecule {name: e[0]}) CREATE (r)-[to:USES_AGENT]->(m) SET to = e[1])
FOREACH (e IN row[4] | MERGE (m:Molecule {name: e[0]}) CREATE (r)-[to:USES_SOLVENT]->(m) SET to = e[1])
"""

_Item = TypeVar("_Item")

# The server of our own lets a transaction hold 32 MiB; these batches need less than half of it.
_MOLECULES_AT_ONCE = 2_000
_REACTIONS_AT_ONCE = 1_000

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


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What was written, and how long it took in seconds."""

    reactions: int
    molecules: int
    relationships: int
    seconds: float


def load(
    driver: "neo4j.Driver",
    reactions: Sequence[Reaction],
    database: str = "neo4j",
    more: FactProperties | None = None,
) -> LoadReport:
    """Write the reactions into an empty database, constraints first, in batches.

    Relationships have the properties of `relationships_of`, and ``more``.

    Raises:
        GraphError: The database holds nodes already, or the server refuses a write.
    """
    from neo4j.exceptions import DriverError, Neo4jError

    started = time.perf_counter()
    try:
        with driver.session(database=database) as session:
            require_empty(session, database)
            for constraint in _CONSTRAINTS:
                session.run(constraint).consume()
            names = dict.fromkeys(name for reaction in reactions for name in reaction.molecules)
            for names_batch in batches(names, _MOLECULES_AT_ONCE):
                write_batch(session, _MOLECULES, names_batch)
            rows = (_row(reaction, more) for reaction in reactions)
            written = 0
            for batch in batches(rows, _REACTIONS_AT_ONCE):
                written += write_batch(session, _REACTIONS, batch).summary.counters.relationships_created
    except (DriverError, Neo4jError) as error:
        raise GraphError(f"The graph could not be loaded into database '{database}': {error}") from error
    return LoadReport(len(reactions), len(names), written, time.perf_counter() - started)


def require_empty(session: "neo4j.Session", database: str) -> None:
    """Raise GraphError if the database holds a node."""
    record = session.run("MATCH (n) RETURN count(n) AS nodes").single(strict=True)
    if record["nodes"]:
        raise GraphError(
            f"Database '{database}' holds {record['nodes']} nodes already; a graph is loaded only into an "
            "empty one. Empty it first, or give another database."
        )


def write_batch(session: "neo4j.Session", query: str, rows: Sequence[object]) -> "neo4j.EagerResult":
    """Write one batch, ``$rows``, in a transaction that the driver may repeat; return what comes back."""

    def work(transaction: "neo4j.ManagedTransaction") -> "neo4j.EagerResult":
        return transaction.run(query, rows=rows).to_eager_result()

    return session.execute_write(work)


def _row(reaction: Reaction, more: FactProperties | None) -> list[object]:
    return [reaction.id, *(related for _, related in relationships_of(reaction, more))]


def batches(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    """Yield the items in lists of ``size``; the last may be shorter."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def schema_text(driver: "neo4j.Driver", database: str = "neo4j") -> str:
    """Return labels, properties with types, and relationship types with directions, as prompts show them.

    The text depends on the content of the graph alone: lines and names are sorted. Types are those of
    Cypher 5 (``STRING``, ``INTEGER``, ``FLOAT``, ...). It is read in a READ session, without APOC or any
    other procedure.

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
    kinds = _types((quote_name(record["kind"]), record["key"], record["type"]) for record in properties)
    arrows = {
        f"({_pattern(r['start'])})-[:{quote_name(r['kind'])}]->({_pattern(r['end'])})" for r in directions
    }
    for record in directions:
        kinds.setdefault(quote_name(record["kind"]), {})
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
    inner = (f"{quote_name(key)}: {' | '.join(sorted(properties[key]))}" for key in sorted(properties))
    return f" {{{', '.join(inner)}}}"


def _pattern(labels: Iterable[str]) -> str:
    return "".join(f":{quote_name(label)}" for label in sorted(labels))
