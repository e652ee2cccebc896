"""Choices that depend on a seed and names alone."""

import random
from collections.abc import Iterable
from typing import TypeVar

_Thing = TypeVar("_Thing")


def chance(seed: int, *names: object) -> random.Random:
    """Return a source of random choices for what the names say, alike on every machine."""
    return random.Random(":".join(map(str, (seed, *names))))


def shuffled(things: Iterable[_Thing], seed: int, *names: object) -> list[_Thing]:
    """Return things in the random order of a seed and names."""
    found = list(things)
    chance(seed, *names).shuffle(found)
    return found
