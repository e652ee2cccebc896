"""The Neo4j server: local process, Docker container or a URI, and its supervisor."""

from kg.server._background import background_server, end_background, leave_running
from kg.server._control import ServerStatus, restart, status
from kg.server._driver import connect
from kg.server._endpoint import Endpoint
from kg.server._errors import DockerUnavailableError, ServerError
from kg.server._java import java_version
from kg.server._open import open_server, start_server
from kg.server._private import SessionFolder, joined_folder, session_folder
from kg.server._running import RunningServer
from kg.server._settings import CONCURRENT_TRANSACTIONS, NEO4J_VERSION, TRANSACTION_MEMORY_BYTES
from kg.server._state_file import Background, state_file
from kg.server._uri import is_uri

__all__ = [
    "CONCURRENT_TRANSACTIONS",
    "NEO4J_VERSION",
    "TRANSACTION_MEMORY_BYTES",
    "Background",
    "DockerUnavailableError",
    "Endpoint",
    "RunningServer",
    "ServerError",
    "ServerStatus",
    "SessionFolder",
    "background_server",
    "connect",
    "end_background",
    "is_uri",
    "java_version",
    "joined_folder",
    "leave_running",
    "open_server",
    "restart",
    "session_folder",
    "start_server",
    "state_file",
    "status",
]
