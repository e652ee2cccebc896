"""Matching patterns: which a schema serves, and instances of them in a graph.

``patterns.yaml`` lists the patterns. A shape is a pattern with labels and relationship types. Shapes whose
questions would be trivial for every instance are left out, by the facts in ``suite.yaml``:

- redundant relation: two hops between the same nodes are of one type, or one entails the other;
- unnecessary leaf: each node has the relationship, and nothing else is asked of its other end;
- one-to-x pair: two hops of one type lead from one node, which has at most one of them;
- invalid grouping: what is counted for a node is at most one.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal, TypeAlias

import msgspec

from retrocypher.kg.suites.graph import PropertyGraph, Relationship
from retrocypher.kg.suites.instances import Hop, Match, Period
from retrocypher.kg.suites.suite import Generation, RelationshipFacts, suite_data

_TRIES = 20

_Side: TypeAlias = tuple[str, str, str, bool]
"""A relationship type with its labels, and whether it is seen from its start."""


class Form(msgspec.Struct, frozen=True):
    """A pattern with directions, as ``patterns.yaml`` has it."""

    task: str
    hops: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    period: Literal["", "now", "year"] = ""

    def ends(self, place: int) -> tuple[str, str]:
        """Return the node variables at start and end of a hop."""
        first, arrow, second = self.hops[place].split()
        return (first, second) if arrow == ">" else (second, first)

    @property
    def mirrored(self) -> bool:
        """Whether both hops play the same part."""
        directions = {each.split()[1] for each in self.hops}
        return self.task in ("intersection", "union", "same_pair") and len(directions) == 1


class _Patterns(msgspec.Struct):
    forms: list[Form]
    templates: dict[str, list[str]]
    time_properties: list[list[str]]


@dataclass(frozen=True, slots=True)
class Shape:
    """A form with labels, and the facts on the relationship type of each hop."""

    form: Form
    labels: Mapping[str, str]
    facts: tuple[RelationshipFacts, ...]


def _patterns() -> _Patterns:
    return suite_data("patterns.yaml", _Patterns)


def tasks() -> list[str]:
    """Return the names of the twelve patterns in their order."""
    return list(dict.fromkeys(form.task for form in _patterns().forms))


def templates(task: str) -> list[str]:
    """Return the templates of RETURN that go with a pattern."""
    found = _patterns().templates
    return found.get(task, found["basic"])


def time_properties() -> list[list[str]]:
    """Return the names of properties that may be the start and the end of a relationship."""
    return _patterns().time_properties


def shapes(graph: PropertyGraph, generation: Generation) -> tuple[dict[str, list[Shape]], dict[str, str]]:
    """Return the shapes of each pattern that can be served, and for each other pattern the reason."""
    served: dict[str, list[Shape]] = defaultdict(list)
    refused: dict[str, Counter[str]] = defaultdict(Counter)
    for form in _patterns().forms:
        for shape in _all_shapes(form, graph, generation):
            reason = _refusal(shape, generation)
            if reason:
                refused[form.task][reason] += 1
            else:
                served[form.task].append(shape)
    missing = {task: _reason(refused[task]) for task in tasks() if task not in served}
    return served, missing


def _reason(refused: Counter[str]) -> str:
    return "; ".join(reason for reason, _ in refused.most_common(2)) or "no relationship types fit together"


def _all_shapes(form: Form, graph: PropertyGraph, generation: Generation) -> Iterator[Shape]:
    if not form.hops:
        variables = form.named or ("n",)
        for label in graph.schema.labels:
            yield Shape(form, dict.fromkeys(variables, label), ())
    for chosen in product(range(len(generation.relationships)), repeat=len(form.hops)):
        # In a mirrored form both orders of two relationships ask the same.
        if not chosen or (form.mirrored and chosen[0] > chosen[1]):
            continue
        facts = tuple(generation.relationships[place] for place in chosen)
        labels: dict[str, str] = {}
        places = [
            (variable, label)
            for place, each in enumerate(facts)
            for variable, label in zip(form.ends(place), (each.start, each.end), strict=True)
        ]
        if all(labels.setdefault(variable, label) == label for variable, label in places):
            yield Shape(form, labels, facts)


def _refusal(shape: Shape, generation: Generation) -> str:
    form, facts, labels = shape.form, shape.facts, shape.labels
    # Special patterns return the names of n, but the number of a union needs none.
    asked = {*form.named, *(["n"] if templates(form.task) != templates("one_hop") and form.hops else [])}
    unnamed = [labels[each] for each in asked if labels[each] not in generation.keys]
    if unnamed:
        return f"{' and '.join(sorted(set(unnamed)))} without key property in suite.yaml"
    if form.period and not all(each.time for each in facts):
        return "no relationship names the properties of its start and end (time) in suite.yaml"
    if form.task == "same_pair" and _redundant(form, facts):
        return "one of the two relationships is redundant"
    if form.task == "one_hop" and _every(form, 0, "n", facts):
        return "every node has the relationship (unnecessary leaf)"
    if len(facts) == 2 and form.task not in ("union", "same_pair") and _one_to_x(form, facts):
        return "a node has at most one of the two relationships"
    if form.task in ("group_by", "optional_match") and _at_most_one(form, 0, "n", facts):
        return "at most one node is counted for each"
    if form.task == "group_by" and _at_most_one(form, 1, "m1", facts):
        return "at most one node is counted for each"
    return ""


def _redundant(form: Form, facts: Sequence[RelationshipFacts]) -> bool:
    first, second = facts
    if form.ends(0) != form.ends(1):
        return False
    return first.type == second.type or second.type in first.entails or first.type in second.entails


def _every(form: Form, place: int, node: str, facts: Sequence[RelationshipFacts]) -> bool:
    return facts[place].every_start if form.ends(place)[0] == node else facts[place].every_end


def _at_most_one(form: Form, place: int, node: str, facts: Sequence[RelationshipFacts]) -> bool:
    leads_out = form.ends(place)[0] == node
    return (facts[place].end_per_start if leads_out else facts[place].start_per_end) == "one"


def _one_to_x(form: Form, facts: Sequence[RelationshipFacts]) -> bool:
    shared = (set(form.ends(0)) & set(form.ends(1))).pop()
    same_side = (form.ends(0)[0] == shared) == (form.ends(1)[0] == shared)
    same = facts[0] is facts[1] and same_side
    return same and _at_most_one(form, 0, shared, facts)


class Sampler:
    """Draws instances of shapes from a graph, such that each finds something."""

    def __init__(self, graph: PropertyGraph, generation: Generation) -> None:
        self._keys = generation.keys
        self._nodes = {node.id: node for node in graph.nodes}
        names = {
            node.id: (node.label, str(node.properties[self._keys[node.label]]))
            for node in graph.nodes
            if node.label in self._keys
        }
        seen = Counter(names.values())
        # A name that several nodes of a label share would leave open which is meant.
        self._unique: dict[str, list[str]] = defaultdict(list)
        for node_id, (label, name) in names.items():
            if name and seen[label, name] == 1:
                self._unique[label].append(node_id)
        self._nameable = {each for found in self._unique.values() for each in found}
        self._near: dict[_Side, dict[str, list[Relationship]]] = {}
        self._common: dict[tuple[_Side, ...], list[str]] = {}
        for each in graph.relationships:
            kind = (each.type, self._nodes[each.start].label, self._nodes[each.end].label)
            for outward, node_id in ((True, each.start), (False, each.end)):
                self._near.setdefault((*kind, outward), {}).setdefault(node_id, []).append(each)

    def draw(self, shape: Shape, rng: random.Random) -> Match | None:
        """Return an instance, None if there is none or chance finds none."""
        form = shape.form
        if not form.hops:
            return self._named_nodes(shape, rng)
        if form.task == "union":
            arms = [self._around(shape, "n", (place,), rng) for place in (0, 1)]
            found = arms[0] + arms[1] if all(arms) else []
        elif form.task == "same_pair":
            return Match(form.task, shape.labels, _hops(shape))
        else:
            places = (1,) if form.task == "optional_match" else tuple(range(len(form.hops)))
            shared = "n" if all("n" in form.ends(place) for place in places) else "m0"
            found = self._around(shape, shared, places, rng)
        named = {variable: node for variable, node in found if variable in form.named}
        if not found or len(set(named.values())) < len(form.named):
            return None
        period = None
        if form.period:
            start, end = shape.facts[0].time
            year = next((node for variable, node in found if variable == "year"), "")
            period = Period(start, end, int(year) if year else None)
        alike = form.mirrored and shape.facts[0] is shape.facts[1]
        return Match(form.task, shape.labels, _hops(shape), self._names(named, alike), period)

    def _named_nodes(self, shape: Shape, rng: random.Random) -> Match | None:
        form = shape.form
        candidates = self._unique[shape.labels["n"]] if form.named else []
        if len(candidates) < len(form.named):
            return None
        drawn = rng.sample(candidates, len(form.named))
        return Match(
            form.task, shape.labels, (), self._names(dict(zip(form.named, drawn, strict=True)), True)
        )

    def _around(
        self, shape: Shape, shared: str, places: Sequence[int], rng: random.Random
    ) -> list[tuple[str, str]]:
        """Return variables with ids of nodes, for hops that meet in one node; empty if none is found."""
        sides = tuple(_side(shape, place, shared) for place in places)
        near = [self._near.get(side, {}) for side in sides]
        if sides not in self._common:
            self._common[sides] = [node for node in near[0] if all(node in each for each in near[1:])]
        common = self._common[sides]
        for _ in range(_TRIES if common else 0):
            middle = rng.choice(common)
            chosen = [rng.choice(each[middle]) for each in near]
            found = [(shared, middle)]
            for place, each in zip(places, chosen, strict=True):
                other = each.end if shape.form.ends(place)[0] == shared else each.start
                found.append((next(end for end in shape.form.ends(place) if end != shared), other))
            if len({id(each) for each in chosen}) < len(chosen):
                continue
            if any(variable in shape.form.named and node not in self._nameable for variable, node in found):
                continue
            if not shape.form.period:
                return found
            since, until = (chosen[0].properties.get(each) for each in shape.facts[0].time)
            if shape.form.period == "year" and since is not None:
                return [*found, ("year", str(since))]
            if shape.form.period == "now" and since is not None and until is None:
                return found
        return []

    def _names(self, named: Mapping[str, str], alike: bool) -> dict[str, Any]:
        """Return the names by variable, in their order if the nodes play the same part."""
        names: list[Any] = [
            self._nodes[each].properties[self._keys[self._nodes[each].label]] for each in named.values()
        ]
        return dict(zip(named, sorted(names) if alike else names, strict=True))


def _side(shape: Shape, place: int, node: str) -> _Side:
    facts = shape.facts[place]
    return (facts.type, facts.start, facts.end, shape.form.ends(place)[0] == node)


def _hops(shape: Shape) -> tuple[Hop, ...]:
    return tuple(
        Hop(f"r{place}", facts.type, *shape.form.ends(place)) for place, facts in enumerate(shape.facts)
    )
