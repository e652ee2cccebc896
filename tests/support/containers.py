"""Telling one test's containers from others'."""

from collections.abc import Callable
from dataclasses import dataclass

from docker.models.containers import Container

FindContainer = Callable[[str | None], Container | None]
"""Returns the container of a server, by its control socket."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a program that a test starts has its servers' private folders.

    Attributes:
        environment: For the program.
        containers: Returns the containers of servers that were started there.
    """

    environment: dict[str, str]
    containers: Callable[[], list[Container]]
