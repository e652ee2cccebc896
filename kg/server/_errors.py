"""What can go wrong with a server."""

from kg.errors import GraphError


class ServerError(GraphError):
    """The Neo4j server cannot be had; the message says why and what to do."""


class DockerUnavailableError(ServerError):
    """Docker cannot give the server; `auto` takes the local process then."""


def port_taken(port: int) -> ServerError:
    """Return the error for a port that was asked for and cannot be had."""
    return ServerError(
        f"Port {port} is taken by another program. Choose another with --port, or end that program."
    )
