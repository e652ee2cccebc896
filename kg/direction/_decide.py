"""Which arrows to turn: the fewest that make a query fit the schema, where all ways to do so agree."""

from collections.abc import Iterator

from kg.direction._case import Case
from kg.direction._kinds import Kinds, bits
from kg.direction._least import Domains, Factor, TooLargeError, Variable, least_cost, separate
from kg.direction._outline import Outline, Step

_TURN = 2
"""What a turned arrow costs, beside ``ASKED`` and ``READ``, which a property costs that is not believed."""
_GIVEN_UP = 10_000
"""What a stretch costs that no reading makes fit: more than all arrows of a query together."""
_MOST_STRETCHES = 60
"""Stretches joined by nodes of open kind that are decided together; queries stay far below."""


def decide(outline: Outline, kinds: Kinds) -> list[Step]:
    """Return the steps whose arrows are to be turned, in the order of the text."""
    case = Case(outline, kinds)
    found = {(number, step) for number in case.settled for step in _alone(case, number)}
    found.update(_Problem(case).agreed() if case.unsettled else ())
    steps = [outline.stretches[number].steps[step] for number, step in found]
    return sorted(steps, key=lambda step: step.pattern.start)


def _alone(case: Case, number: int) -> frozenset[int]:
    """The steps to turn as far as the labels of a stretch's own ends tell.

    These are the ones that all shortest readings turn, among those that fit some kinds which labels allow.
    """
    stretch = case.outline.stretches[number]
    lefts = list(bits(case.kinds_of(stretch.left, stretch.part)))
    right = case.kinds_of(stretch.right, stretch.part)
    fitting = [
        way.turned for way in case.readings[number] if any(way.relation[left] & right for left in lefts)
    ]
    if not fitting:
        return frozenset()
    return frozenset.intersection(*(turned for turned in fitting if len(turned) == len(fitting[0])))


class _Problem:
    """The choices that unsettled stretches leave, and what they cost.

    How a stretch is read is one choice for the whole query, and so is whether a property is believed. The
    kind of a node is a choice of each part: a node may be of one kind in one OPTIONAL MATCH and of another
    in the next.
    """

    def __init__(self, case: Case) -> None:
        self._case = case
        self._domains: dict[Variable, int] = {}
        self._factors: list[Factor] = []
        for part in range(len(case.outline.parts)):
            nodes: dict[int, None] = {}
            for number in case.concerning(part):
                self._add_stretch(number, part)
                stretch = case.outline.stretches[number]
                nodes |= dict.fromkeys((stretch.left, stretch.right))
            for node in nodes:
                self._add_properties(node, part)

    def agreed(self) -> Iterator[tuple[int, int]]:
        """Each stretch and the number of a step in it that every cheapest solution turns."""
        for domains, factors in separate(self._domains, self._factors):
            numbers = [number for number in self._case.unsettled if ("stretch", number) in domains]
            try:
                yield from list(self._every(numbers, domains, factors))
            except TooLargeError:
                yield from ((number, step) for number in numbers for step in _alone(self._case, number))

    def _every(
        self, numbers: list[int], domains: Domains, factors: list[Factor]
    ) -> Iterator[tuple[int, int]]:
        """The steps, among some stretches, without whose turn every solution costs more than the cheapest."""
        if len(numbers) > _MOST_STRETCHES:
            raise TooLargeError
        cheapest = least_cost(domains, factors)
        if not cheapest:
            return
        for number in numbers:
            ways = self._case.readings[number]
            for step in sorted(frozenset().union(*(way.turned for way in ways))):
                kept = sum(1 << index for index, way in enumerate(ways) if step not in way.turned)
                narrowed = {**domains, ("stretch", number): kept | 1 << len(ways)}
                if least_cost(narrowed, factors) != cheapest:
                    yield number, step

    def _choice(self, variable: Variable, costs: list[int]) -> None:
        """Add a choice, unless another part has done so."""
        if variable not in self._domains:
            self._domains[variable] = (1 << len(costs)) - 1
            self._factors.append(Factor((variable,), {(index,): cost for index, cost in enumerate(costs)}))

    def _add_stretch(self, number: int, part: int) -> None:
        """Add that one reading must fit in a part, or the stretch be given up, which is the last choice."""
        case, stretch = self._case, self._case.outline.stretches[number]
        ways = case.readings[number]
        costs = [_TURN * len(way.turned) for way in ways] + [_GIVEN_UP * len(stretch.steps)]
        self._choice(("stretch", number), costs)
        ends = tuple(dict.fromkeys((stretch.left, stretch.right)))
        for node in ends:
            self._domains["node", node, part] = case.kinds_of(node, part)
        table: dict[tuple[int, ...], int] = {}
        for left in bits(case.kinds_of(stretch.left, part)):
            for right in bits(case.kinds_of(stretch.right, part)):
                if len(ends) == 1 and left != right:
                    continue
                values = (left, right)[: len(ends)]
                table[(len(ways), *values)] = 0
                table |= {
                    (index, *values): 0 for index, way in enumerate(ways) if way.relation[left] >> right & 1
                }
        self._factors.append(Factor((("stretch", number), *(("node", node, part) for node in ends)), table))

    def _add_properties(self, node: int, part: int) -> None:
        """Add that a node has the properties it is said to have, or that they are not believed."""
        thing, kinds = self._case.outline.things[node], self._case.kinds_of(node, part)
        for key, said in thing.properties.items():
            having = thing.universe.having.get(key, 0) & kinds
            if having in (0, kinds) or said.keys().isdisjoint(self._case.reach(thing, part)):
                continue
            believed: Variable = ("property", node, key)
            self._choice(believed, [max(said.values()), 0])
            table: dict[tuple[int, ...], int] = {(0, kind): 0 for kind in bits(kinds)}
            table |= {(1, kind): 0 for kind in bits(having)}
            self._factors.append(Factor((believed, ("node", node, part)), table))
