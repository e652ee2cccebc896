"""Writes reactions into an empty database."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, LiteralString, TypeVar

from kg.errors import GraphError
from kg.reactions import Reaction

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
FOREACH (name IN row[1] | MERGE (m:Molecule {name: name}) CREATE (m)-[:REACTS_IN]->(r))
FOREACH (made IN row[2] | MERGE (m:Molecule {name: made[0]}) CREATE (r)-[:PRODUCES {yield: made[1]}]->(m))
FOREACH (name IN row[3] | MERGE (m:Molecule {name: name}) CREATE (r)-[:USES_AGENT]->(m))
FOREACH (name IN row[4] | MERGE (m:Molecule {name: name}) CREATE (r)-[:USES_SOLVENT]->(m))
"""
_Item = TypeVar("_Item")

# The server of our own lets a transaction hold 32 MiB; these batches need less than half of it.
_MOLECULES_AT_ONCE = 2_000
_REACTIONS_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What was written, and how long it took (seconds)."""

    reactions: int
    molecules: int
    relationships: int
    seconds: float


def load(driver: "neo4j.Driver", reactions: Sequence[Reaction], database: str = "neo4j") -> LoadReport:
    """Write the reactions into an empty database, constraints first, in batches.

    ``PRODUCES`` has the property ``yield`` (a float, in percent) only where the yield is known.

    Args:
        driver: May write.
        reactions: The graph.
        database: Name of the database.

    Raises:
        GraphError: The database holds nodes already, or the server refuses a write.
    """
    from neo4j.exceptions import DriverError, Neo4jError

    started = time.perf_counter()
    try:
        with driver.session(database=database) as session:
            _require_empty(session, database)
            for constraint in _CONSTRAINTS:
                session.run(constraint).consume()
            names = dict.fromkeys(name for reaction in reactions for name in _names(reaction))
            for names_batch in _batches(names, _MOLECULES_AT_ONCE):
                _write(session, _MOLECULES, names_batch)
            rows = (_row(reaction) for reaction in reactions)
            written = sum(_write(session, _REACTIONS, batch) for batch in _batches(rows, _REACTIONS_AT_ONCE))
    except (DriverError, Neo4jError) as error:
        raise GraphError(f"The graph could not be loaded into database '{database}': {error}") from error
    return LoadReport(len(reactions), len(names), written, time.perf_counter() - started)


def _require_empty(session: "neo4j.Session", database: str) -> None:
    record = session.run("MATCH (n) RETURN count(n) AS nodes").single(strict=True)
    if record["nodes"]:
        raise GraphError(
            f"Database '{database}' holds {record['nodes']} nodes already; a graph is loaded only into an "
            "empty one. Empty it first, or give another database."
        )


def _write(session: "neo4j.Session", query: LiteralString, rows: Sequence[object]) -> int:
    """Write one batch in a transaction that the driver may repeat; return the relationships created."""

    def work(transaction: "neo4j.ManagedTransaction") -> int:
        return transaction.run(query, rows=rows).consume().counters.relationships_created

    return session.execute_write(work)


def _names(reaction: Reaction) -> Iterator[str]:
    yield from (*reaction.reactants, *reaction.products, *reaction.agents, *reaction.solvents)


def _row(reaction: Reaction) -> list[object]:
    made = [
        [name, None if value is None else float(value)]
        for name, value in zip(reaction.products, reaction.yields, strict=True)
    ]
    return [reaction.id, list(reaction.reactants), made, list(reaction.agents), list(reaction.solvents)]


def _batches(items: Iterable[_Item], size: int) -> Iterator[list[_Item]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
