"""Correction of directions: arrows that contradict the schema are turned."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from retrocypher.kg.cypher.clauses import NodePattern, RelationshipPattern, relationship_patterns, reverse
from retrocypher.kg.cypher.edits import Edit, apply_edits
from retrocypher.kg.cypher.parser import ParsedQuery, parse
from retrocypher.kg.semantics.direction_kinds import (
    Choice,
    Domains,
    Factor,
    Kinds,
    Relation,
    TooLargeError,
    after,
    bits,
    either,
    inverse,
    least_cost,
    repeated,
    separate,
    within,
)
from retrocypher.kg.semantics.pattern_graph import PatternGraph, Step, Stretch, Variable
from retrocypher.kg.semantics.reader import read_draft
from retrocypher.kg.semantics.schema import Schema

_MOST_ARROWS = 4
"""Arrows within one quantified path that are tried in all combinations; with more, all stay."""

_TURN = 2
"""What a turned arrow costs, beside ``ASKED`` and ``READ``, which a property costs that is not believed."""

_GIVEN_UP = 10_000
"""What a stretch costs that no reading makes fit: more than all arrows of a query together."""

_MOST_STRETCHES = 60
"""Stretches joined by nodes of open kind that are decided together; queries stay far below."""

_MOST_RULES = 4


@dataclass(frozen=True)
class Way:
    """One way to read a stretch: which of its steps are turned, and what it then connects."""

    turned: frozenset[int]
    relation: Relation


def _ways(stretch: Stretch, variables: list[Variable], kinds: Kinds) -> list[Way]:
    """Return the ways to read a stretch, as it is written first; none where its types say nothing."""
    forward = [_forward(step, variables[step.variable], kinds) for step in stretch.steps]
    if not all(any(relation) for relation in forward):
        return []
    arrows = [number for number, step in enumerate(stretch.steps) if step.edge.directed]
    if len(arrows) > _MOST_ARROWS:
        arrows = []
    inner = [variables[node].whole() for node in stretch.inner]
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
    return [Way(turned, relation) for turned, relation in sorted(found.items(), key=lambda way: len(way[0]))]


def _forward(step: Step, variable: Variable, kinds: Kinds) -> Relation:
    """What one relationship connects, read from left to right as its arrow stands."""
    relation = kinds.step(variable.whole())
    if step.edge.directed:
        return inverse(relation) if step.edge.leftward else relation
    return either(relation, inverse(relation))


class _Case:
    """What there is to decide on: stretches with an end whose kind labels leave open, and the settled ones.

    Neither holds those that say nothing and those whose end is disputed.
    """

    def __init__(self, graph: PatternGraph, kinds: Kinds) -> None:
        self.graph = graph
        self.ways = [_ways(stretch, graph.variables, kinds) for stretch in graph.stretches]
        self._chains: list[frozenset[int]] = []
        for block, parent in enumerate(graph.blocks):
            self._chains.append(frozenset({block}) if parent is None else self._chains[parent] | {block})
        self._known: dict[tuple[int, int], int] = {}
        self.unsettled: list[int] = []
        self.settled: list[int] = []
        for number, stretch in enumerate(graph.stretches):
            if self.ways[number] and not self.disputed(stretch, stretch.block):
                ends = (stretch.left, stretch.right)
                settled = not any(self.open(end, stretch.block) for end in ends)
                (self.settled if settled else self.unsettled).append(number)

    def kinds_of(self, number: int, block: int) -> int:
        """What labels leave a node in a block; empty where they contradict each other."""
        if (number, block) not in self._known:
            variable = self.graph.variables[number]
            left = variable.universe.everything
            if variable.source is not None:
                left = self.kinds_of(variable.source, self.graph.variables[variable.source].home)
            for said_in, choices in variable.labels:
                if said_in in self.reach(variable, block):
                    left &= choices
            self._known[number, block] = left
        return self._known[number, block]

    def reach(self, variable: Variable, block: int) -> frozenset[int]:
        """The blocks whose word on a variable holds in a block: its own chain and that of its home."""
        return self._chains[block] | self._chains[variable.home]

    def open(self, number: int, block: int) -> bool:
        """Whether labels leave a node more than one kind in a block."""
        return self.kinds_of(number, block).bit_count() > 1

    def disputed(self, stretch: Stretch, block: int) -> bool:
        return not (self.kinds_of(stretch.left, block) and self.kinds_of(stretch.right, block))

    def concerning(self, block: int) -> list[int]:
        """The unsettled stretches on which a block has a say.

        These are its own, and those of the blocks it hangs on that touch a node of which it says something
        or that are joined to such by nodes of open kind. All others are decided where they stand.
        """
        stretches, variables = self.graph.stretches, self.graph.variables
        taken = {number for number in self.unsettled if stretches[number].block == block}
        waiting = [end for number in taken for end in (stretches[number].left, stretches[number].right)]
        waiting += [
            number
            for number, variable in enumerate(variables)
            if variable.home != block and any(said_in == block for said_in, _ in variable.labels)
        ]
        seen: set[int] = set()
        while waiting:
            node = waiting.pop()
            if node in seen:
                continue
            seen.add(node)
            reach = self.reach(variables[node], block)
            for number in self.unsettled:
                stretch = stretches[number]
                ends = (stretch.left, stretch.right)
                if number not in taken and stretch.block in reach and node in ends:
                    taken.add(number)
                    waiting += [end for end in ends if self.open(end, block)]
        return sorted(number for number in taken if not self.disputed(stretches[number], block))


def decide(graph: PatternGraph, kinds: Kinds) -> list[Step]:
    """Return the steps whose arrows are to be turned, in the order of the text."""
    case = _Case(graph, kinds)
    found = {(number, step) for number in case.settled for step in _alone(case, number)}
    found.update(_Problem(case).agreed() if case.unsettled else ())
    steps = [graph.stretches[number].steps[step] for number, step in found]
    return sorted(steps, key=lambda step: step.edge.start_offset)


def _alone(case: _Case, number: int) -> frozenset[int]:
    """The steps to turn as far as the labels of a stretch's own ends tell.

    These are the ones that all shortest readings turn, among those that fit some kinds which labels allow.
    """
    stretch = case.graph.stretches[number]
    lefts = list(bits(case.kinds_of(stretch.left, stretch.block)))
    right = case.kinds_of(stretch.right, stretch.block)
    fitting = [way.turned for way in case.ways[number] if any(way.relation[left] & right for left in lefts)]
    if not fitting:
        return frozenset()
    return frozenset.intersection(*(turned for turned in fitting if len(turned) == len(fitting[0])))


class _Problem:
    """The choices that unsettled stretches leave, and what they cost.

    How a stretch is read is one choice for the whole query, and so is whether a property is believed. The
    kind of a node is a choice of each block: a node may be of one kind in one OPTIONAL MATCH and of another
    in the next.
    """

    def __init__(self, case: _Case) -> None:
        self._case = case
        self._domains: dict[Choice, int] = {}
        self._factors: list[Factor] = []
        for block in range(len(case.graph.blocks)):
            nodes: dict[int, None] = {}
            for number in case.concerning(block):
                self._add_stretch(number, block)
                stretch = case.graph.stretches[number]
                nodes |= dict.fromkeys((stretch.left, stretch.right))
            for node in nodes:
                self._add_properties(node, block)

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
            ways = self._case.ways[number]
            for step in sorted(frozenset().union(*(way.turned for way in ways))):
                kept = sum(1 << index for index, way in enumerate(ways) if step not in way.turned)
                narrowed = {**domains, ("stretch", number): kept | 1 << len(ways)}
                if least_cost(narrowed, factors) != cheapest:
                    yield number, step

    def _choice(self, choice: Choice, costs: list[int]) -> None:
        """Add a choice, unless another block has done so."""
        if choice not in self._domains:
            self._domains[choice] = (1 << len(costs)) - 1
            self._factors.append(Factor((choice,), {(index,): cost for index, cost in enumerate(costs)}))

    def _add_stretch(self, number: int, block: int) -> None:
        """Add that one reading must fit in a block, or the stretch be given up, which is the last choice."""
        case, stretch = self._case, self._case.graph.stretches[number]
        ways = case.ways[number]
        costs = [_TURN * len(way.turned) for way in ways] + [_GIVEN_UP * len(stretch.steps)]
        self._choice(("stretch", number), costs)
        ends = tuple(dict.fromkeys((stretch.left, stretch.right)))
        for node in ends:
            self._domains["node", node, block] = case.kinds_of(node, block)
        table: dict[tuple[int, ...], int] = {}
        for left in bits(case.kinds_of(stretch.left, block)):
            for right in bits(case.kinds_of(stretch.right, block)):
                if len(ends) == 1 and left != right:
                    continue
                values = (left, right)[: len(ends)]
                table[(len(ways), *values)] = 0
                table |= {
                    (index, *values): 0 for index, way in enumerate(ways) if way.relation[left] >> right & 1
                }
        self._factors.append(Factor((("stretch", number), *(("node", node, block) for node in ends)), table))

    def _add_properties(self, node: int, block: int) -> None:
        """Add that a node has the properties it is said to have, or that they are not believed."""
        variable, kinds = self._case.graph.variables[node], self._case.kinds_of(node, block)
        for key, said in variable.properties.items():
            having = variable.universe.having.get(key, 0) & kinds
            if having in (0, kinds) or said.keys().isdisjoint(self._case.reach(variable, block)):
                continue
            believed: Choice = ("property", node, key)
            self._choice(believed, [max(said.values()), 0])
            table: dict[tuple[int, ...], int] = {(0, kind): 0 for kind in bits(kinds)}
            table |= {(1, kind): 0 for kind in bits(having)}
            self._factors.append(Factor((believed, ("node", node, block)), table))


@dataclass(frozen=True, slots=True)
class Turned:
    """One arrow that was turned: its relationship pattern before and after, and its place in the query given.

    The message says what was turned, where and why, without the literals of the query.
    """

    start: int
    stop: int
    before: str
    after: str
    message: str


@dataclass(frozen=True, slots=True)
class Corrected:
    """A query after correction; the text as given where nothing was turned."""

    query: str
    turned: tuple[Turned, ...]


def correct_directions(query: str | ParsedQuery, schema: Schema) -> Corrected:
    """Turn each arrow that contradicts the schema, where the schema leaves one way to read it.

    Only arrow heads are edited, at the places of their tokens; all other characters stay. A query with
    syntax errors, or one nested too deeply to be read, is left as it is. Correcting a corrected query changes
    nothing more. ``docs/errors-and-loops.md`` says how it decides.
    """
    parsed = parse(query) if isinstance(query, str) else query
    kinds = Kinds(schema)
    graph = PatternGraph(read_draft(parsed), kinds)
    steps = decide(graph, kinds)
    if not steps:
        return Corrected(parsed.text, ())
    patterns = {pattern.start: pattern for pattern in relationship_patterns(parsed)}
    turned = [(patterns[step.edge.start_offset], graph.variables[step.variable]) for step in steps]
    edits = [edit for pattern, _ in turned for edit in reverse(pattern)]
    return Corrected(
        apply_edits(parsed.text, edits),
        tuple(_describe(parsed, pattern, kinds, variable.whole()) for pattern, variable in turned),
    )


def _describe(parsed: ParsedQuery, pattern: RelationshipPattern, kinds: Kinds, types: int) -> Turned:
    """Say what the turn of an arrow changes, and which rules of the schema ask for it."""
    before = parsed.text[pattern.start : pattern.stop]
    moved = [Edit(at - pattern.start, to - pattern.start, new) for at, to, new in reverse(pattern)]
    left, right = _node(pattern.left), _node(pattern.right)
    inner = _inner(pattern)
    was, now = (f"<-{inner}-", f"-{inner}->")[:: 1 if pattern.direction == "left" else -1]
    rules = _rules(types, kinds)
    return Turned(
        pattern.start,
        pattern.stop,
        before,
        apply_edits(before, moved),
        f"Turned {left}{was}{right} at character {pattern.start} into {left}{now}{right}: {rules}.",
    )


def _node(node: NodePattern | None) -> str:
    if node is None:
        return "()"
    return f"({node.variable or ''}{''.join(f':{label}' for label in node.labels)})"


def _inner(pattern: RelationshipPattern) -> str:
    variable = pattern.variable or ""
    types = f":{'|'.join(pattern.types)}" if pattern.types else ""
    length = pattern.length
    times = ""
    if length is not None:
        most = "" if length.maximum is None else length.maximum
        times = f"*{most if length.minimum == length.maximum else f'{length.minimum}..{most}'}"
    return f"[{variable}{types}{times}]"


def _rules(types: int, kinds: Kinds) -> str:
    rules = [
        f"{kinds.types[number]} runs from {_kind(kinds, start)} to {_kind(kinds, end)}"
        for number in bits(types)
        for start, row in enumerate(kinds.step(1 << number))
        for end in bits(row)
    ]
    return ", ".join(rules[:_MOST_RULES]) + (" and so on" if len(rules) > _MOST_RULES else "")


def _kind(kinds: Kinds, number: int) -> str:
    return f"({''.join(f':{label}' for label in sorted(kinds.labels[number]))})"
