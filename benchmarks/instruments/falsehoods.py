"""False versions of what an answer states, each with one planted falsehood."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import TypeVar

from retrocypher.benchmarks.instruments.answers import ROLES, AnswerFacts, ReactionFacts, Role
from retrocypher.kg.graph.molecules import canonical_name
from retrocypher.kg.graph.reaction import Reaction


class GraphSample:
    """Other molecules and reactions of the graph, from which falsehoods are made.

    Args:
        reactions: The reactions of the graph.
    """

    def __init__(self, reactions: Sequence[Reaction]) -> None:
        self.reactions: Mapping[int, Reaction] = {each.id: each for each in reactions}
        self._ids = sorted(self.reactions)
        names: dict[Role, set[str]] = {role: set() for role in ROLES}
        self._makers: dict[str, list[int]] = defaultdict(list)
        for each in reactions:
            for role in ROLES:
                names[role].update(getattr(each, role))
            for name in each.products:
                self._makers[name].append(each.id)
        self._names = {role: sorted(found) for role, found in names.items()}
        self._known = {name for found in names.values() for name in found}

    def molecule(self, role: Role, outside: Sequence[int], random: Random) -> str:
        """Return a random molecule with a role in some reaction and no part in the reactions ``outside``."""
        held = {
            name for number in outside for each in ROLES for name in getattr(self.reactions[number], each)
        }
        while True:
            name = random.choice(self._names[role])
            if name not in held:
                return name

    def reaction(self, row: ReactionFacts, random: Random) -> int:
        """Return the id of a reaction for which the row is false, half of the time one with its products."""
        siblings = [
            number
            for name in row.products
            for number in self._makers[name]
            if number != row.id and not self._is_true(row, number)
        ]
        if siblings and random.random() < 0.5:
            return random.choice(sorted(set(siblings)))
        while True:
            number = random.choice(self._ids)
            if number != row.id and not self._is_true(row, number):
                return number

    def _is_true(self, row: ReactionFacts, number: int) -> bool:
        found = self.reactions[number]
        return all(set(getattr(row, role)) <= set(getattr(found, role)) for role in ROLES)

    def makes(self, number: int, names: Sequence[str]) -> bool:
        """Return whether a reaction makes all of these molecules."""
        return set(names) <= set(self.reactions[number].products)

    def leads(self, first: int, second: int) -> bool:
        """Return whether a product of one reaction is a reactant of the other."""
        made = self.reactions[first].products
        return any(name in self.reactions[second].reactants for name in made)

    def is_route(self, ids: Sequence[int], facts: AnswerFacts) -> bool:
        """Return whether the reactions are a route with the steps, target and start of an answer."""
        linked = all(self.leads(one, other) for one, other in pairwise(ids))
        begins = facts.start is None or (bool(ids) and facts.start in self.reactions[ids[0]].reactants)
        return len(ids) == facts.steps and linked and begins and self.makes(ids[-1], [facts.target])

    def knows(self, name: str) -> bool:
        """Return whether the graph contains a molecule."""
        return name in self._known


Falsify = Callable[[AnswerFacts, GraphSample, Random], Iterator[AnswerFacts]]
"""Yields false versions of the facts, the preferred ones first; none where the kind does not apply."""

_Item = TypeVar("_Item")
_LEAST_CHANGE, _MOST_CHANGE = 5.0, 40.0
_EXCHANGED: tuple[tuple[Role, Role], ...] = (
    ("reactants", "products"),
    ("agents", "solvents"),
    ("agents", "reactants"),
    ("solvents", "reactants"),
)


def molecule_swapped(facts: AnswerFacts, graph: GraphSample, random: Random) -> Iterator[AnswerFacts]:
    """Replace a molecule by another one of the graph that has its role in some other reaction."""
    for place, row in _rows(facts, random):
        for role in _shuffled(ROLES, random):
            for name in _shuffled(getattr(row, role), random):
                other = graph.molecule(role, [row.id], random)
                yield _with_row(facts, place, row.with_role(role, _replaced(row, role, name, other)))
    ids = [row.id for _, row in _rows(facts, random)]
    other = graph.molecule("products", ids, random)
    products = tuple(other if name == facts.target else name for name in facts.products)
    yield replace(facts, target=other, products=products)


def molecule_invented(facts: AnswerFacts, graph: GraphSample, random: Random) -> Iterator[AnswerFacts]:
    """Add a methyl group to a molecule, where the graph does not contain the result."""
    for place, row in _rows(facts, random):
        for role in _shuffled(ROLES, random):
            for name in _shuffled(getattr(row, role), random):
                other = canonical_name(f"C{name}")
                if other is not None and not graph.knows(other):
                    yield _with_row(facts, place, row.with_role(role, _replaced(row, role, name, other)))


def role_reversed(facts: AnswerFacts, graph: GraphSample, random: Random) -> Iterator[AnswerFacts]:
    """Exchange molecules of two roles, a reactant and a product first, or two steps of a route."""
    for place, row in _rows(facts, random):
        for one, other in _EXCHANGED:
            first, second = getattr(row, one), getattr(row, other)
            if first and second:
                a, b = random.choice(first), random.choice(second)
                changed = row.with_role(one, _replaced(row, one, a, b))
                changed = changed.with_role(other, tuple(a if name == b else name for name in second))
                yield _with_row(facts, place, changed)
    for number, route in enumerate(facts.routes):
        for step in range(len(route) - 1):
            turned = (*route[:step], route[step + 1], route[step], *route[step + 2 :])
            if not graph.leads(turned[step].id, turned[step + 1].id):
                yield _with_route(facts, number, turned)


def yield_changed(facts: AnswerFacts, graph: GraphSample, random: Random) -> Iterator[AnswerFacts]:
    """Change a yield by 5 to 40 percentage points."""
    for place, row in _rows(facts, random):
        if row.target_yield is None:
            continue
        change = random.uniform(_LEAST_CHANGE, _MOST_CHANGE) * random.choice((-1, 1))
        value = row.target_yield + change
        value = row.target_yield - change if not 0 <= value <= 100 else value
        known = [each for each in graph.reactions[row.id].yields if each is not None]
        value = round(min(max(value, 0.0), 100.0), 1)
        if all(abs(value - each) > _LEAST_CHANGE - 1 for each in known):
            yield _with_row(facts, place, replace(row, target_yield=value))


def reaction_id_changed(facts: AnswerFacts, graph: GraphSample, random: Random) -> Iterator[AnswerFacts]:
    """Replace the id of a reaction by that of another one, for which the rest is false."""
    for number, route in _shuffled(tuple(enumerate(facts.routes)), random):
        step = random.randrange(len(route))
        changed = (*route[:step], replace(route[step], id=graph.reaction(route[step], random)))
        changed += route[step + 1 :]
        if not graph.is_route([row.id for row in changed], facts):
            yield _with_route(facts, number, changed)
    if facts.routes:
        return
    for place, row in _rows(facts, random):
        other = graph.reaction(row, random)
        # An answer that names only products is false only where the other reaction does not make them.
        if facts.best or not graph.makes(other, facts.products):
            yield _with_row(facts, place, replace(row, id=other))
        while graph.makes(other, facts.products):
            other = graph.reaction(row, random)
        yield _with_row(facts, place, replace(row, id=other))


def step_dropped(facts: AnswerFacts, graph: GraphSample, random: Random) -> Iterator[AnswerFacts]:
    """Leave out a step of a route."""
    for number, route in _shuffled(tuple(enumerate(facts.routes)), random):
        step = random.randrange(len(route))
        yield _with_route(facts, number, (*route[:step], *route[step + 1 :]))


KINDS: Mapping[str, Falsify] = {
    "molecule swapped": molecule_swapped,
    "role reversed": role_reversed,
    "yield changed": yield_changed,
    "reaction id changed": reaction_id_changed,
    "step dropped": step_dropped,
    "molecule invented": molecule_invented,
}
"""The kinds of falsehood by name."""


def _rows(facts: AnswerFacts, random: Random) -> list[tuple[tuple[int, int], ReactionFacts]]:
    """Return the reactions in random order with their places: (-1, row) or (route, step)."""
    places = [((-1, number), row) for number, row in enumerate(facts.rows)]
    places += [((one, two), row) for one, route in enumerate(facts.routes) for two, row in enumerate(route)]
    return _shuffled(tuple(places), random)


def _shuffled(items: tuple[_Item, ...], random: Random) -> list[_Item]:
    return random.sample(items, len(items))


def _replaced(row: ReactionFacts, role: Role, name: str, other: str) -> tuple[str, ...]:
    return tuple(other if each == name else each for each in getattr(row, role))


def _with_row(facts: AnswerFacts, place: tuple[int, int], row: ReactionFacts) -> AnswerFacts:
    route, number = place
    if route < 0:
        return replace(facts, rows=(*facts.rows[:number], row, *facts.rows[number + 1 :]))
    steps = facts.routes[route]
    return _with_route(facts, route, (*steps[:number], row, *steps[number + 1 :]))


def _with_route(facts: AnswerFacts, number: int, route: tuple[ReactionFacts, ...]) -> AnswerFacts:
    return replace(facts, routes=(*facts.routes[:number], route, *facts.routes[number + 1 :]))
