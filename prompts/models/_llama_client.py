"""HTTP to the session's llama.cpp process."""

import http.client
import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

TIMEOUT_S = 900.0
_HEALTH_S = 5.0


class LlamaClient:
    """Sends requests over loopback, each on a connection of its own.

    Args:
        address: Where the process listens.
        api_key: Its token.
    """

    def __init__(self, address: str, api_key: str) -> None:
        self._host, self._port = urlsplit(address).hostname or "", urlsplit(address).port or 0
        self._headers = {"Authorization": f"Bearer {api_key}", "Content-Type": "application/json"}

    def post(self, path: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        """Return status and JSON of a reply.

        Raises:
            TimeoutError: If there is none within 15 minutes.
            OSError, http.client.HTTPException, ValueError: If the process is gone, or ends in between.
        """
        connection = http.client.HTTPConnection(self._host, self._port, timeout=TIMEOUT_S)
        try:
            connection.request("POST", path, json.dumps(body).encode(), self._headers)
            response = connection.getresponse()
            return response.status, json.loads(response.read())
        finally:
            connection.close()

    def is_up(self) -> bool:
        """Return whether the process answers."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=_HEALTH_S)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
