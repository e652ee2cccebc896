"""What a variable may be: kinds of node, or types of relationship; a set of them is a bit mask."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from kg.schema import Properties, Schema

Relation: TypeAlias = tuple[int, ...]
"""From each kind, by its number, the set of kinds that can be reached."""


class Truth(NamedTuple):
    """For which choices a predicate may be true, and for which it may be false; null is neither."""

    true: int
    false: int


@dataclass(frozen=True)
class Universe:
    """The choices there are.

    Attributes:
        everything: All of them.
        named: The choices that bear a label or type.
        named_at_all: Those that bear any, which is what ``%`` asks.
        having: The choices that have a property.
        unknown: What a name that the schema lacks says.
    """

    everything: int
    named: Mapping[str, int]
    named_at_all: int
    having: Mapping[str, int]
    unknown: Truth

    def truth(self, name: str) -> Truth:
        """What it says to bear a label or type."""
        if name not in self.named:
            return self.unknown
        return Truth(self.named[name], self.everything & ~self.named[name])


class Kinds:
    """The kinds of node of a schema, which are its sets of labels, and how the types connect them."""

    def __init__(self, schema: Schema) -> None:
        self.labels = sorted(schema.nodes, key=sorted)
        self.types = sorted(schema.types)
        numbers = {labels: number for number, labels in enumerate(self.labels)}
        everything, types = (1 << len(self.labels)) - 1, (1 << len(self.types)) - 1
        having = _having(schema.nodes[labels] for labels in self.labels)
        self.nodes = Universe(
            everything,
            _masks(enumerate(self.labels)),
            sum(1 << number for number, labels in enumerate(self.labels) if labels),
            having,
            # A label that does not exist is an error of its own; it says nothing of what was meant.
            Truth(everything, everything),
        )
        self.relationships = Universe(
            types,
            {name: 1 << number for number, name in enumerate(self.types)},
            types,
            _having(schema.types[name] for name in self.types),
            Truth(0, types),
        )
        self._steps = {
            name: [(numbers[start], numbers[end]) for start, kind, end in schema.connections if kind == name]
            for name in self.types
        }
        self.same: Relation = tuple(1 << number for number in range(len(self.labels)))

    def step(self, types: int) -> Relation:
        """Which kinds one relationship of one of these types leads to."""
        rows = [0] * len(self.labels)
        for number in bits(types):
            for start, end in self._steps[self.types[number]]:
                rows[start] |= 1 << end
        return tuple(rows)


def bits(mask: int) -> Iterator[int]:
    """The numbers in a set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def inverse(relation: Relation) -> Relation:
    """The relation read the other way."""
    rows = [0] * len(relation)
    for start, ends in enumerate(relation):
        for end in bits(ends):
            rows[end] |= 1 << start
    return tuple(rows)


def either(first: Relation, second: Relation) -> Relation:
    """What one relation or the other allows."""
    return tuple(a | b for a, b in zip(first, second, strict=True))


def after(first: Relation, second: Relation) -> Relation:
    """One relation followed by another."""
    rows = []
    for middle in first:
        row = 0
        for number in bits(middle):
            row |= second[number]
        rows.append(row)
    return tuple(rows)


def within(relation: Relation, starts: int, ends: int) -> Relation:
    """A relation between some of the kinds only."""
    return tuple(row & ends if starts >> number & 1 else 0 for number, row in enumerate(relation))


def repeated(relation: Relation, same: Relation, minimum: int, maximum: int | None) -> Relation:
    """A relation followed from ``minimum`` to ``maximum`` times.

    Powers by squaring: a length in a query may be any number. Beyond as many steps as there are kinds, more
    steps of "or stay" reach nothing new.
    """
    more = len(same) if maximum is None else min(len(same), max(maximum - minimum, 0))
    return after(_power(relation, same, minimum), _power(either(relation, same), same, more))


def _power(relation: Relation, same: Relation, exponent: int) -> Relation:
    result = same
    while exponent:
        if exponent & 1:
            result = after(result, relation)
        relation = after(relation, relation)
        exponent >>= 1
    return result


def _masks(numbered: Iterable[tuple[int, Iterable[str]]]) -> dict[str, int]:
    masks: dict[str, int] = {}
    for number, names in numbered:
        for name in names:
            masks[name] = masks.get(name, 0) | 1 << number
    return masks


def _having(owners: Iterable[Properties]) -> dict[str, int]:
    return _masks(enumerate(owners))
