"""The Neo4j server: local process, Docker container or a URI, and its supervisor."""

from kg.server._endpoint import Endpoint

__all__ = ["Endpoint"]
