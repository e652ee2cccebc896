"""Talking to a server: connections, passwords, versions."""

import secrets
from typing import TYPE_CHECKING

from kg.server._endpoint import Endpoint
from kg.server._errors import ServerError

if TYPE_CHECKING:
    import neo4j

CONNECT_TIMEOUT_S = 10.0
ANSWER_TIMEOUT_S = 60.0
"""A server of ours that has just started, on a busy machine, may need a while for its first answer."""

USER = "neo4j"
FIRST_PASSWORD = "neo4j"
"""What every new Neo4j store asks to be changed."""


def connect(endpoint: Endpoint) -> "neo4j.Driver":
    """Return a driver for a server; nothing is sent until it is used.

    Args:
        endpoint: The server.

    Returns:
        A driver that reports no usage and asks for no notifications; the caller closes it.
    """
    return driver_for(endpoint.uri, endpoint.user, endpoint.password)


def driver_for(
    uri: str, user: str, password: str, answer_timeout_s: float = ANSWER_TIMEOUT_S
) -> "neo4j.Driver":
    """Return a driver for an address and credentials.

    Args:
        uri: Bolt URI without credentials.
        user: User name.
        password: Password.
        answer_timeout_s: Seconds until a connection is there, its handshake and greeting done.
    """
    # Half a second of imports, here and wherever the driver is imported within a function: most processes
    # of a session, such as its workers, never talk to a server themselves.
    from neo4j import GraphDatabase

    return GraphDatabase.driver(
        uri,
        auth=(user, password),
        connection_timeout=CONNECT_TIMEOUT_S,
        connection_acquisition_timeout=answer_timeout_s,
        telemetry_disabled=True,
        # Hints on query style, one for nearly every generated query, that nobody here reads.
        notifications_min_severity="OFF",
        user_agent="retrocypher",
    )


def new_password() -> str:
    """Return a random password."""
    return secrets.token_urlsafe(24)


def change_password(uri: str, old: str, new: str) -> None:
    """Replace the password of the first user; as parameters, neither shows in a log or process list."""
    with driver_for(uri, USER, old) as driver:
        driver.execute_query(
            "ALTER CURRENT USER SET PASSWORD FROM $old TO $new", old=old, new=new, database_="system"
        )


def server_version(uri: str, user: str, password: str, answer_timeout_s: float = ANSWER_TIMEOUT_S) -> str:
    """Return the server's version, e.g. ``5.26.30``.

    Args:
        uri: Bolt URI without credentials.
        user: User name.
        password: Password.
        answer_timeout_s: Seconds that the server has to answer.

    Raises:
        ServerError: It is not Neo4j 5.
        neo4j.exceptions.Neo4jError: The server refuses.
        neo4j.exceptions.DriverError: It does not answer.
    """
    with driver_for(uri, user, password, answer_timeout_s) as driver:
        agent = driver.get_server_info().agent
    product, _, version = agent.partition("/")
    if product != "Neo4j" or not version.startswith("5."):
        raise ServerError(
            f"The server at {uri} is {agent}; the questions are written in the Cypher of Neo4j 5. "
            "Give a server of a 5.x release (5.26 is the one the project is tested with)."
        )
    return version
