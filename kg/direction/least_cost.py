"""The cheapest way to satisfy all constraints of a small problem, exactly."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TypeAlias

from kg.direction.kinds import bits

Choice: TypeAlias = Hashable
Domains: TypeAlias = Mapping[Choice, int]
"""The values of each variable, as a bit mask."""
Table: TypeAlias = Mapping[tuple[int, ...], int]

_LARGEST = 20_000
"""Combinations looked at in one step; queries stay far below unless a schema has many kinds of node."""


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

    Choices are taken out one after another, each time the one that leaves the smallest table.

    Args:
        domains: The variables and their values.
        factors: The costs.

    Raises:
        TooLargeError: A table would get too large.
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
