"""What can go wrong with a server."""

from kg.errors import GraphError


class ServerError(GraphError):
    """The Neo4j server cannot be had; the message says why and what to do."""


class DockerUnavailableError(ServerError):
    """Docker cannot give the server; `auto` takes the local process then."""
