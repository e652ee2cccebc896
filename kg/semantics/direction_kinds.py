"""What a variable may be (kinds of node, types of relationship) as bit masks, and the cheapest choice."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import NamedTuple, TypeAlias

from retrocypher.kg.semantics.schema import Schema

Relation: TypeAlias = tuple[int, ...]
"""From each kind, by its number, the set of kinds that can be reached."""

Choice: TypeAlias = Hashable

Domains: TypeAlias = Mapping[Choice, int]
"""The values of each variable, as a bit mask."""

Table: TypeAlias = Mapping[tuple[int, ...], int]

_LARGEST = 20_000
"""Combinations looked at in one step; queries stay far below unless a schema has many kinds of node."""


class Truth(NamedTuple):
    """For which choices a predicate may be true, and for which it may be false; null is neither."""

    true: int
    false: int


@dataclass(frozen=True)
class Universe:
    """All choices there are; those that bear a name, that bear any (``%``), and that have a property.

    ``unknown`` is what a name that the schema lacks says.
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
        having = _masks(enumerate(schema.nodes[labels] for labels in self.labels))
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
            _masks(enumerate(schema.types[name] for name in self.types)),
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


class TooLargeError(Exception):
    """The problem is too much entangled to be solved quickly."""


@dataclass(frozen=True)
class Factor:
    """What some variables cost together; a combination that is not in the table is impossible."""

    choices: tuple[Choice, ...]
    table: Table


def separate(domains: Domains, factors: Sequence[Factor]) -> Iterator[tuple[Domains, list[Factor]]]:
    """Return the problems that a problem falls into, each with its variables and factors."""
    touching = _touching(domains, factors)
    left = dict.fromkeys(domains)
    while left:
        waiting, taken = [next(iter(left))], dict[Choice, int]()
        while waiting:
            variable = waiting.pop()
            if variable not in taken:
                taken[variable] = domains[variable]
                left.pop(variable)
                waiting += touching[variable]
        yield taken, [factor for factor in factors if factor.choices[0] in taken]


def least_cost(domains: Domains, factors: Sequence[Factor]) -> int | None:
    """Return the least sum of costs over all combinations of values; None where all are impossible.

    Choices are taken out one after another, each time the one that leaves the smallest table; TooLargeError
    where that is too large.
    """
    values = {variable: tuple(bits(mask)) for variable, mask in domains.items()}
    remaining = list(factors)
    touching = _touching(domains, factors)
    sizes = {variable: prod(len(values[each]) for each in touching[variable]) for variable in values}
    total = 0
    while sizes:
        gone = min(sizes, key=sizes.__getitem__)
        if sizes.pop(gone) > _LARGEST:
            raise TooLargeError
        others = tuple(each for each in touching.pop(gone) if each != gone)
        joined = _without(gone, others, values, [each for each in remaining if gone in each.choices])
        if not joined:
            return None
        remaining = [each for each in remaining if gone not in each.choices]
        if others:
            remaining.append(Factor(others, joined))
        else:
            total += joined[()]
        for other in others:
            touching[other] |= dict.fromkeys(others)
            touching[other].pop(gone)
            sizes[other] = prod(len(values[each]) for each in touching[other])
    return total


def _touching(domains: Domains, factors: Sequence[Factor]) -> dict[Choice, dict[Choice, None]]:
    """The variables that share a factor with each, itself among them."""
    touching: dict[Choice, dict[Choice, None]] = {variable: {variable: None} for variable in domains}
    for factor in factors:
        for variable in factor.choices:
            touching[variable] |= dict.fromkeys(factor.choices)
    return touching


def _without(
    gone: Choice,
    others: tuple[Choice, ...],
    values: Mapping[Choice, tuple[int, ...]],
    factors: Sequence[Factor],
) -> dict[tuple[int, ...], int]:
    """What the other variables cost together when the one that goes takes its best value."""
    places = {variable: place for place, variable in enumerate((gone, *others))}
    reads = [(factor.table, [places[each] for each in factor.choices]) for factor in factors]
    best: dict[tuple[int, ...], int] = {}
    for combination in product(*(values[variable] for variable in (gone, *others))):
        cost = 0
        for table, taken in reads:
            here = table.get(tuple([combination[place] for place in taken]))
            if here is None:
                break
            cost += here
        else:
            kept = combination[1:]
            if cost < best.get(kept, cost + 1):
                best[kept] = cost
    return best
