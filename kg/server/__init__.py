"""The Neo4j server: local process, Docker container or a URI, and its supervisor."""

from kg.server._control import ServerStatus, restart, status
from kg.server._driver import connect
from kg.server._endpoint import Endpoint
from kg.server._errors import DockerUnavailableError, ServerError
from kg.server._open import open_server
from kg.server._running import RunningServer
from kg.server._settings import CONCURRENT_TRANSACTIONS, NEO4J_VERSION, TRANSACTION_MEMORY_BYTES

__all__ = [
    "CONCURRENT_TRANSACTIONS",
    "NEO4J_VERSION",
    "TRANSACTION_MEMORY_BYTES",
    "DockerUnavailableError",
    "Endpoint",
    "RunningServer",
    "ServerError",
    "ServerStatus",
    "connect",
    "open_server",
    "restart",
    "status",
]
