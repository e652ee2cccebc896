"""How a Neo4j server is reached: address, credentials, driver and ports; and the errors of having none."""

import random
import socket
import ssl
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from retrocypher.kg.errors import GraphError

if TYPE_CHECKING:
    import neo4j

LENGTH_MAX = 300
"""Characters of a server's or driver's own message that are shown."""

CONNECT_TIMEOUT_S = 10.0

ANSWER_TIMEOUT_S = 60.0
"""A server of ours that has just started, on a busy machine, may need a while for its first answer."""

PORTS = range(20_000, 32_000)
"""Below the ports that Linux gives to outgoing connections: a client that tries again and again while its
server restarts could otherwise be given the server's own port, and connect to itself."""

USER = "neo4j"

FIRST_PASSWORD = "neo4j"
"""What every new Neo4j store wants changed at the first connection."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A Neo4j server that answers.

    Attributes:
        uri: Bolt URI without credentials.
        owned: Whether this project started it, and so may load, restart and replace it.
        control: Path of the supervisor's control socket; None where the server is not ours.
        notes: What cannot be enforced on this server, one sentence each, for header and manifest.
    """

    uri: str
    user: str
    password: str = field(repr=False)
    database: str = "neo4j"
    kind: Literal["local", "docker", "uri"] = "local"
    owned: bool = False
    control: str | None = None
    version: str = ""
    notes: tuple[str, ...] = ()


class ServerError(GraphError):
    """The Neo4j server cannot be had; the message says why and what to do."""


class DockerUnavailableError(ServerError):
    """Docker cannot give the server; `auto` takes the local process then."""


def port_taken(port: int) -> ServerError:
    """Return the error for a port that was asked for and cannot be had."""
    return ServerError(
        f"Port {port} is taken by another program. Choose another with --port, or end that program."
    )


def cause_of(error: BaseException) -> str:
    """Return the cause of a failed connection in a few words, from under what the driver wrapped it in."""
    inner = _innermost(error)
    match inner:
        case socket.gaierror():
            return f"DNS: the host name cannot be resolved ({inner.strerror})"
        case ConnectionRefusedError():
            return "connection refused"
        case ssl.SSLCertVerificationError():
            return f"TLS: the certificate is not accepted ({inner.verify_message})"
        case ssl.SSLError():
            return f"TLS: the handshake failed ({inner.reason or inner.strerror})"
        case TimeoutError():
            return "no answer to the connection or its handshake in time"
        case OSError():
            return inner.strerror or str(inner)
        case _:
            lines = str(inner).splitlines() or [type(inner).__name__]
            return lines[-1][:LENGTH_MAX]


def _innermost(error: BaseException) -> BaseException:
    while True:
        group = error.exceptions if isinstance(error, BaseExceptionGroup) else ()
        under = group[0] if group else error.__cause__ or error.__context__
        if under is None:
            return error
        error = under


def connect(endpoint: Endpoint) -> "neo4j.Driver":
    """Return a driver for a server, which connects when it is used; the caller closes it."""
    return driver_for(endpoint.uri, endpoint.user, endpoint.password)


def driver_for(
    uri: str, user: str, password: str, answer_timeout_s: float = ANSWER_TIMEOUT_S
) -> "neo4j.Driver":
    """Return a driver that has `answer_timeout_s` seconds to connect, handshake and greeting included."""
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


def change_password(uri: str, old: str, new: str) -> None:
    """Replace the password of the first user; as parameters, neither shows in a log or process list."""
    with driver_for(uri, USER, old) as driver:
        driver.execute_query(
            "ALTER CURRENT USER SET PASSWORD FROM $old TO $new", old=old, new=new, database_="system"
        )


def server_version(uri: str, user: str, password: str, answer_timeout_s: float = ANSWER_TIMEOUT_S) -> str:
    """Return the server's version, e.g. ``5.26.30``; raise ServerError if it is not Neo4j 5.

    Raise the driver's Neo4jError if the server refuses, DriverError if it does not answer.
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


def free_port() -> int:
    """Return a port that nothing listens on at this moment."""
    for port in random.sample(PORTS, len(PORTS)):
        if port_is_free(port):
            return port
    raise OSError("no free port on the loopback address")


def port_is_free(port: int) -> bool:
    """Return whether a server could listen on a port of the loopback address."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
