"""When no query can be judged."""

from kg.errors import GraphError


class GraphUnavailable(GraphError):  # noqa: N818 - the name that records and callers know
    """The server is gone and cannot be brought back, or refuses the connection: nobody's wrong answer."""
