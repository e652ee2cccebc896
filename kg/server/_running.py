"""A server in use."""

from types import TracebackType
from typing import Self

from kg.server._endpoint import Endpoint
from kg.server._launch import Supervised


class RunningServer:
    """A server that a session uses, and ends if it started it.

    Args:
        endpoint: How to reach it.
        supervised: Its supervisor; None where someone else started the server.
    """

    def __init__(self, endpoint: Endpoint, supervised: Supervised | None = None) -> None:
        self.endpoint = endpoint
        self._supervised = supervised

    def stop(self) -> None:
        """End the server if this process started it; may be called again."""
        if self._supervised:
            self._supervised.end()
            self._supervised = None

    def detach(self) -> None:
        """Let a server that this process started run on after it."""
        if self._supervised:
            self._supervised.detach()
            self._supervised = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
