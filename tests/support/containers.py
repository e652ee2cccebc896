"""Telling one test's containers from others'."""

from collections.abc import Callable
from dataclasses import dataclass

from docker.models.containers import Container

FindContainer = Callable[[str | None], Container | None]
"""Returns the container of a server, by its control socket."""


@dataclass(frozen=True, slots=True)
class Place:
    """The environment of a program whose servers have their folders apart, and the containers of those."""

    environment: dict[str, str]
    containers: Callable[[], list[Container]]
