"""A server that someone else runs."""

import os
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit, urlunsplit

from kg.errors import InputError
from kg.server._cause import cause_of
from kg.server._driver import USER, server_version
from kg.server._endpoint import Endpoint
from kg.server._errors import ServerError

SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")

ANSWER_TIMEOUT_S = 12.0
"""A server that accepts a connection and says nothing is given up after that."""

NOTES = (
    "Memory limits, allowed procedures and file or network access of LOAD CSV are those of the given server.",
    "A query that the given server cannot end keeps it busy; the server is not replaced.",
)


@dataclass(frozen=True, slots=True)
class Address:
    """A server's address and the credentials for it, apart from each other."""

    uri: str
    user: str
    password: str = field(repr=False)


def is_uri(spec: str) -> bool:
    """Return whether a ``--graph`` value is an address."""
    return "://" in spec


def parse_address(spec: str) -> Address:
    """Read an address; the user and password in it win over ``NEO4J_USER`` and ``NEO4J_PASSWORD``.

    Raises:
        InputError: It is no Bolt address. The message does not repeat a password.
    """
    try:
        parts = urlsplit(spec)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise InputError(f"--graph: the address cannot be read ({error}). {_FORM}") from None
    if parts.scheme not in SCHEMES:
        raise InputError(f"--graph: '{parts.scheme}://' is no scheme of Neo4j's. {_FORM}")
    if not host or parts.path.strip("/"):
        raise InputError(f"--graph: the address needs a host and takes no path. {_FORM}")
    name = f"[{host}]" if ":" in host else host
    uri = urlunsplit((parts.scheme, f"{name}:{port or 7687}", "", parts.query, ""))
    user = unquote(parts.username) if parts.username else os.environ.get("NEO4J_USER", USER)
    password = unquote(parts.password) if parts.password else os.environ.get("NEO4J_PASSWORD", "")
    return Address(uri, user, password)


_FORM = f"Give SCHEME://HOST:PORT with one of the schemes {', '.join(SCHEMES)}."


def open_uri(spec: str) -> Endpoint:
    """Return a given server, once it has answered and shown its version.

    Raises:
        InputError: The address cannot be read.
        ServerError: The server does not answer, refuses the credentials, or is no Neo4j 5.
    """
    from neo4j.exceptions import AuthError, ClientError, ConfigurationError, DriverError, Neo4jError

    address = parse_address(spec)
    try:
        version = server_version(address.uri, address.user, address.password, ANSWER_TIMEOUT_S)
    except AuthError:
        raise _refused(address) from None
    except ClientError as error:
        # After some wrong passwords Neo4j refuses the right one too, for a while.
        if error.code and ".Security." in error.code:
            raise _refused(address) from None
        raise _unreachable(address, error) from None
    except (ConfigurationError, DriverError, Neo4jError, OSError, ValueError) as error:
        raise _unreachable(address, error) from None
    return Endpoint(
        uri=address.uri,
        user=address.user,
        password=address.password,
        kind="uri",
        version=version,
        notes=NOTES,
    )


def _refused(address: Address) -> ServerError:
    return ServerError(
        f"The server at {address.uri} refuses the user '{address.user}' with the password given. "
        "Set NEO4J_USER and NEO4J_PASSWORD, or write both into the address."
    )


def _unreachable(address: Address, error: Exception) -> ServerError:
    return ServerError(
        f"No Neo4j answers at {address.uri}: {cause_of(error)}. Check host, port and scheme "
        "(bolt+s or neo4j+s where the server wants TLS), and that the server runs."
    )
