"""The ways to read a stretch: as it is written, or with some of its arrows turned."""

from dataclasses import dataclass
from itertools import product

from kg.direction._kinds import Kinds, Relation, after, either, inverse, repeated, within
from kg.direction._outline import Step, Stretch, Thing

_MOST_ARROWS = 4
"""Arrows within one quantified path that are tried in all combinations; with more, all stay."""


@dataclass(frozen=True)
class Reading:
    """One way to read a stretch: which of its steps are turned, and what it then connects."""

    turned: frozenset[int]
    relation: Relation


def readings(stretch: Stretch, things: list[Thing], kinds: Kinds) -> list[Reading]:
    """Return the ways to read a stretch, as it is written first; none where its types say nothing."""
    forward = [_forward(step, things[step.thing], kinds) for step in stretch.steps]
    if not all(any(relation) for relation in forward):
        return []
    arrows = [number for number, step in enumerate(stretch.steps) if step.pattern.direction != "either"]
    if len(arrows) > _MOST_ARROWS:
        arrows = []
    inner = [whole(things[node]) for node in stretch.inner]
    found: dict[frozenset[int], Relation] = {}
    for choice in product((False, True), repeat=len(arrows)):
        turned = frozenset(number for number, turn in zip(arrows, choice, strict=True) if turn)
        relation = kinds.same
        for number, step in enumerate(forward):
            here = inverse(step) if number in turned else step
            if inner:
                here = within(here, inner[number], inner[number + 1])
            relation = after(relation, here) if number else here
        found[turned] = repeated(relation, kinds.same, stretch.minimum, stretch.maximum)
    return [
        Reading(turned, relation) for turned, relation in sorted(found.items(), key=lambda way: len(way[0]))
    ]


def whole(thing: Thing) -> int:
    """What all that is said of a thing, its properties included, leaves of its choices."""
    left = thing.universe.everything
    for _, choices in thing.labels:
        left &= choices
    for key in thing.properties:
        left = (left & thing.universe.having.get(key, left)) or left
    return left


def _forward(step: Step, thing: Thing, kinds: Kinds) -> Relation:
    """What one relationship connects, read from left to right as its arrow stands."""
    relation = kinds.step(whole(thing))
    if step.pattern.direction == "right":
        return relation
    backward = inverse(relation)
    return backward if step.pattern.direction == "left" else either(relation, backward)
