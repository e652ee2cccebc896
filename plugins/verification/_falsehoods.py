"""One falsehood, planted in what an answer tells."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import TypeVar

from kg.molecules import canonical_name
from plugins.verification._graph_sample import GraphSample
from plugins.verification._story import ROLES, Role, Row, Story

Plant = Callable[[Story, GraphSample, Random], Iterator[Story]]
"""Yields false versions of a story, the likeliest to be told first; none where the kind does not apply."""

_Item = TypeVar("_Item")
_CHANGED_BY = (5.0, 40.0)
_REVERSED: tuple[tuple[Role, Role], ...] = (
    ("reactants", "products"),
    ("agents", "solvents"),
    ("agents", "reactants"),
    ("solvents", "reactants"),
)


def molecule_swapped(story: Story, graph: GraphSample, random: Random) -> Iterator[Story]:
    """Put another molecule of the graph in the place of one, in a role that it has elsewhere."""
    for place, row in _rows(story, random):
        for role in _shuffled(ROLES, random):
            yield from _replaced(story, place, row, role, graph, random)
    ids = [row.id for _, row in _rows(story, random)]
    other = graph.molecule("products", ids, random)
    products = tuple(other if name == story.target else name for name in story.products)
    yield replace(story, target=other, products=products)


def molecule_invented(story: Story, graph: GraphSample, random: Random) -> Iterator[Story]:
    """Put a molecule that the graph does not hold in the place of one: the same with a methyl group more."""
    for place, row in _rows(story, random):
        for role in _shuffled(ROLES, random):
            for name in _shuffled(getattr(row, role), random):
                other = canonical_name(f"C{name}")
                if other is not None and not graph.knows(other):
                    names = tuple(other if each == name else each for each in getattr(row, role))
                    yield _with_row(story, place, row.with_role(role, names))


def role_reversed(story: Story, graph: GraphSample, random: Random) -> Iterator[Story]:
    """Exchange molecules of two roles, a reactant and a product first; else two steps of a route."""
    for place, row in _rows(story, random):
        for one, other in _REVERSED:
            first, second = getattr(row, one), getattr(row, other)
            if first and second:
                a, b = random.choice(first), random.choice(second)
                changed = row.with_role(one, tuple(b if name == a else name for name in first))
                changed = changed.with_role(other, tuple(a if name == b else name for name in second))
                yield _with_row(story, place, changed)
    for number, route in enumerate(story.routes):
        for step in range(len(route) - 1):
            turned = (*route[:step], route[step + 1], route[step], *route[step + 2 :])
            if not graph.leads(turned[step].id, turned[step + 1].id):
                yield _with_route(story, number, turned)


def yield_changed(story: Story, graph: GraphSample, random: Random) -> Iterator[Story]:
    """Change a yield by 5 to 40 percentage points."""
    for place, row in _rows(story, random):
        if row.target_yield is None:
            continue
        change = random.uniform(*_CHANGED_BY) * random.choice((-1, 1))
        value = row.target_yield + change
        value = row.target_yield - change if not 0 <= value <= 100 else value
        known = [each for each in graph.reactions[row.id].yields if each is not None]
        value = round(min(max(value, 0.0), 100.0), 1)
        if all(abs(value - each) > _CHANGED_BY[0] - 1 for each in known):
            yield _with_row(story, place, replace(row, target_yield=value))


def reaction_id_changed(story: Story, graph: GraphSample, random: Random) -> Iterator[Story]:
    """Put the id of another reaction of the graph in the place of one, of which the rest is not true."""
    for number, route in _shuffled(tuple(enumerate(story.routes)), random):
        step = random.randrange(len(route))
        other = graph.reaction(route[step], random)
        ids = [row.id for row in route]
        ids[step] = other
        if not graph.is_route(ids, story.target, story.start, story.steps):
            changed = replace(route[step], id=other)
            yield _with_route(story, number, (*route[:step], changed, *route[step + 1 :]))
    if story.routes:
        return
    for place, row in _rows(story, random):
        other = graph.reaction(row, random)
        # An answer that names no more than products is false only where the other does not make them.
        if story.best or not all(graph.makes(other, name) for name in story.products):
            yield _with_row(story, place, replace(row, id=other))
        while all(graph.makes(other, name) for name in story.products):
            other = graph.reaction(row, random)
        yield _with_row(story, place, replace(row, id=other))


def step_dropped(story: Story, graph: GraphSample, random: Random) -> Iterator[Story]:
    """Leave out a step of a route."""
    for number, route in _shuffled(tuple(enumerate(story.routes)), random):
        step = random.randrange(len(route))
        yield _with_route(story, number, (*route[:step], *route[step + 1 :]))


KINDS: Mapping[str, Plant] = {
    "molecule swapped": molecule_swapped,
    "role reversed": role_reversed,
    "yield changed": yield_changed,
    "reaction id changed": reaction_id_changed,
    "step dropped": step_dropped,
    "molecule invented": molecule_invented,
}
"""The kinds of falsehood by name."""


def _rows(story: Story, random: Random) -> list[tuple[tuple[int, int], Row]]:
    """The rows of a story in random order, with their places: (-1, row) or (route, step)."""
    places = [((-1, number), row) for number, row in enumerate(story.rows)]
    places += [((one, two), row) for one, route in enumerate(story.routes) for two, row in enumerate(route)]
    return _shuffled(tuple(places), random)


def _shuffled(items: tuple[_Item, ...], random: Random) -> list[_Item]:
    return random.sample(items, len(items))


def _replaced(
    story: Story, place: tuple[int, int], row: Row, role: Role, graph: GraphSample, random: Random
) -> Iterator[Story]:
    for name in _shuffled(getattr(row, role), random):
        other = graph.molecule(role, [row.id], random)
        names = tuple(other if each == name else each for each in getattr(row, role))
        yield _with_row(story, place, row.with_role(role, names))


def _with_row(story: Story, place: tuple[int, int], row: Row) -> Story:
    route, number = place
    if route < 0:
        return replace(story, rows=(*story.rows[:number], row, *story.rows[number + 1 :]))
    steps = story.routes[route]
    return _with_route(story, route, (*steps[:number], row, *steps[number + 1 :]))


def _with_route(story: Story, number: int, route: tuple[Row, ...]) -> Story:
    return replace(story, routes=(*story.routes[:number], route, *story.routes[number + 1 :]))
