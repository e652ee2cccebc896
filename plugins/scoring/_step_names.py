"""What a column's name says about the numbers in it: reactions, quantities, or places in a route."""

import re
from collections.abc import Iterable
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from plugins.scoring._column_names import Words, column_names, plain_name, stem_name
from plugins.scoring._keys import ID_KEY, resolve

_NUMBERED = re.compile(r"([^\W\d]*)(\d+)")


class Kind(Enum):
    """What a column's numbers are, as far as its name tells."""

    REACTION = "reaction"
    OTHER = "other"
    POSITION = "position"
    QUANTITY = "quantity"


class StepName(NamedTuple):
    """A column's name as the part of a route.

    Attributes:
        kind: What the numbers are.
        stem: The name without its last number.
        number: That number; None where there is none.
    """

    kind: Kind
    stem: str
    number: int | None


@lru_cache(maxsize=16384)
def step_name(column: str) -> StepName:
    """Read a column's name."""
    name, ordinals = plain_name(column), column_names().ordinals
    parts = name.split("_")
    words, number, place = [], None, 0
    for index, part in enumerate(parts):
        word = part
        if part in ordinals:
            word, number, place = "", ordinals[part], index
        elif numbered := _NUMBERED.fullmatch(part):
            # More than eight digits number no column, and int() refuses very long ones.
            word, number, place = numbered[1], int(numbered[2][:8]), index
        words.append(word)
    if number is not None:
        parts[place] = words[place]
    stems = tuple(stem_name(word) for word in words if word)
    return StepName(_kind(name, stems), "_".join(part for part in parts if part), number)


def most_numbered(columns: Iterable[str]) -> str | None:
    """Return the stem that most columns bear with different numbers; None where no two do.

    A name that tells a place in the route (``step1``) gives way to one that does not.
    """
    found: dict[str, tuple[Kind, set[int]]] = {}
    for name in map(step_name, columns):
        if name.number is not None and name.kind is not Kind.QUANTITY:
            found.setdefault(name.stem, (name.kind, set()))[1].add(name.number)
    groups = {stem: (kind is Kind.OTHER, len(numbers)) for stem, (kind, numbers) in found.items()}
    return max((stem for stem, (_, size) in groups.items() if size > 1), key=groups.__getitem__, default=None)


def _kind(name: str, words: Words) -> Kind:
    table = column_names()
    if resolve(name, (ID_KEY,)) is not None:
        return Kind.REACTION
    if any(words[: len(head)] == head and len(words) > len(head) for head in table.count_words):
        return Kind.QUANTITY
    position, reaction = _longest(words, table.positions), _longest(words, table.reaction_words)
    if reaction > position:
        return Kind.REACTION
    if not table.quantities.isdisjoint(words):
        return Kind.QUANTITY
    return Kind.POSITION if position else Kind.OTHER


def _longest(words: Words, tails: Iterable[Words]) -> int:
    """Return how many words the longest tail has that the name ends in, 0 where it ends in none."""
    return max((len(tail) for tail in tails if words[-len(tail) :] == tail), default=0)
