"""Running queries of our own."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kg.errors import GraphError

if TYPE_CHECKING:
    import neo4j

Ask = Callable[[str, Mapping[str, Any]], list[list[Any]]]
"""Runs a query of ours with its parameters, and returns the rows."""


def asking(driver: "neo4j.Driver", database: str = "neo4j") -> Ask:
    """Return what runs queries of ours on a server, each as one read that is tried again where it may be.

    Only for text of this project: nothing guards it.

    Args:
        driver: Needs no right to write.
        database: Name of the database.

    Returns:
        A function that raises `GraphError` where the server cannot be read.
    """

    def ask(query: str, parameters: Mapping[str, Any]) -> list[list[Any]]:
        from neo4j import READ_ACCESS
        from neo4j.exceptions import DriverError, Neo4jError

        def work(transaction: "neo4j.ManagedTransaction") -> list[list[Any]]:
            return [each.values() for each in transaction.run(query, dict(parameters))]

        try:
            with driver.session(database=database, default_access_mode=READ_ACCESS) as session:
                return session.execute_read(work)
        except (DriverError, Neo4jError) as error:
            raise GraphError(f"The claims cannot be looked up in database '{database}': {error}") from error

    return ask
