"""What schema and conditions add to a query's text: labels of nodes, ways of edges, lengths of paths."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from retrocypher.kg.semantics.builder import Draft
from retrocypher.kg.semantics.query_model import (
    Call,
    Comprehension,
    Constant,
    EdgeTerm,
    HasLabel,
    Hops,
    ListTerm,
    NodeTerm,
    Operation,
    PathTerm,
    PatternEdge,
    Term,
)
from retrocypher.kg.semantics.schema import Schema

Kind = frozenset[str]
"""The labels that a node has together."""

Pairs = frozenset[tuple[Kind, Kind]]

_LONGEST = 24
"""Hops beyond which nothing new is reached in any schema worth asking."""

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "<>": "<>"}


class Labels:
    """Labels of the nodes of a draft, found by going round the edges until nothing changes."""

    def __init__(self, draft: Draft, schema: Schema) -> None:
        self._draft = draft
        self._kinds = frozenset(schema.nodes)
        self._schema = schema
        self._narrow()
        self.possible: list[frozenset[Kind]] = [self._kinds_of(place) for place in range(len(draft.nodes))]
        self._infer()
        for node in draft.nodes:
            node.labels = self.labels(node.key)

    def labels(self, node: int) -> frozenset[str]:
        """The labels that a node can have."""
        return frozenset(label for kind in self.possible[node] for label in kind)

    def _narrow(self) -> None:
        """Types that a condition leaves to an edge count as if they stood in its pattern."""
        for condition in self._draft.conditions:
            match condition.term:
                case HasLabel(EdgeTerm(key), types):
                    edge = self._draft.edges[key]
                    holds = edge.optional or not condition.optional
                    kept = edge.types & set(types) if edge.types else frozenset(types)
                    if kept and holds and condition.scope == edge.scope:
                        edge.types = kept

    def _kinds_of(self, place: int) -> frozenset[Kind]:
        node = self._draft.nodes[place]
        found = [
            kind
            for kind in self._kinds
            if node.written <= kind and all(choice & kind for choice in node.choices)
        ]
        return frozenset(found) or self._kinds

    def _infer(self) -> None:
        draft = self._draft
        edges = range(len(draft.edges))
        looked_up = dict.fromkeys(
            (use.of.key, use.name)
            for use in draft.properties
            if isinstance(use.of, NodeTerm) and not draft.nodes[use.of.key].written
        )
        for key, name in looked_up:
            having = frozenset(k for k in self.possible[key] if name in self._schema.nodes[k])
            self.possible[key] = having or self.possible[key]
        # The edges of which both ends are known come first: they decide, the others follow.
        waiting = sorted(edges, key=self._freedom)
        while waiting:
            place = waiting.pop(0)
            self._decide(place)
            waiting.sort(key=self._freedom)

    def _freedom(self, place: int) -> int:
        edge = self._draft.edges[place]
        return len(self.possible[edge.start]) * len(self.possible[edge.end])

    def _decide(self, place: int) -> None:
        edge = self._draft.edges[place]
        starts, ends = self.possible[edge.start], self.possible[edge.end]
        pairs = self.pairs(edge)
        forward = {(start, end) for start, end in pairs if start in starts and end in ends}
        backward = {(start, end) for start, end in pairs if start in ends and end in starts}
        if edge.directed:
            if forward:
                self._keep(edge.start, edge.end, forward)
                edge.agreement = "as_written"
            elif backward:
                self._keep(edge.end, edge.start, backward)
                edge.agreement = "turned"
            else:
                edge.agreement = "never"
        elif forward and backward:
            self.possible[edge.start] = frozenset({s for s, _ in forward} | {e for _, e in backward})
            self.possible[edge.end] = frozenset({e for _, e in forward} | {s for s, _ in backward})
            edge.agreement = "both"
        elif forward or backward:
            if backward:
                edge.start, edge.end = edge.end, edge.start
            self._keep(edge.start, edge.end, forward or backward)
            edge.agreement = "as_written"
        else:
            edge.agreement = "never"

    def _keep(self, start: int, end: int, pairs: Iterable[tuple[Kind, Kind]]) -> None:
        pairs = list(pairs)
        self.possible[start] = frozenset(each for each, _ in pairs)
        self.possible[end] = frozenset(each for _, each in pairs)

    def pairs(self, edge: PatternEdge) -> Pairs:
        """The ends that an edge can join by the schema, in the direction of its arrow."""
        if edge.inner:
            # A repeated part joins what its own ends can be: they are read before it.
            return frozenset((s, e) for s in self.possible[edge.start] for e in self.possible[edge.end])
        known = {kind for kind in edge.types if self._schema.has_type(kind)}
        if edge.types and not known:
            return frozenset((start, end) for start in self._kinds for end in self._kinds)
        # A single relationship without an arrow still runs one way in the graph: which one, its ends tell.
        one_way = edge.directed or edge.hops == (1, 1)
        return reachable(self._schema.connections, frozenset(known), edge.hops, one_way)


@lru_cache(maxsize=512)
def reachable(
    connections: frozenset[tuple[Kind, str, Kind]], types: frozenset[str], hops: Hops, directed: bool
) -> Pairs:
    """The pairs of kinds between which there can be a walk of so many relationships of these types."""
    steps = {(start, end) for start, kind, end in connections if not types or kind in types}
    if not directed:
        steps |= {(end, start) for start, end in steps}
    every = {kind for start, _, end in connections for kind in (start, end)}
    after: Mapping[Kind, set[Kind]] = {kind: {e for s, e in steps if s == kind} for kind in every}
    found: set[tuple[Kind, Kind]] = set()
    maximum = min(_LONGEST if hops.maximum is None else hops.maximum, max(_LONGEST, hops.minimum))
    front = {(kind, kind) for kind in every}
    seen: dict[frozenset[tuple[Kind, Kind]], int] = {}
    count = 0
    while front and count <= maximum:
        if count >= hops.minimum:
            found |= front
        elif (before := seen.setdefault(frozenset(front), count)) < count:
            # Fronts repeat with this period, so that a huge minimum need not be walked to.
            count += (hops.minimum - count) // (count - before) * (count - before)
            seen.clear()
            continue
        front = {(start, further) for start, end in front for further in after[end]}
        count += 1
    return frozenset(found)


class _Measure(NamedTuple):
    """A number that depends on a length: ``factor * hops + offset``."""

    of: PathTerm | EdgeTerm | None
    factor: Fraction
    offset: Fraction


def limit_lengths(draft: Draft, labels: Labels) -> None:
    """Narrow the lengths of paths and edges by the conditions that speak of them."""
    for condition in draft.conditions:
        term = condition.term
        if not isinstance(term, Operation) or len(term.operands) != 2:
            continue
        left, right = (_measure(draft, labels, operand) for operand in term.operands)
        operator = term.operator
        if left is None or (right is None and operator != "in"):
            continue
        if operator == "in" and left.of is not None:
            _limit_to(draft, left, term.operands[1])
        elif right is not None and left.of is not None and right.of is None:
            _limit(draft, left, operator, right.offset)
        elif right is not None and right.of is not None and left.of is None and operator in _MIRRORED:
            _limit(draft, right, _MIRRORED[operator], left.offset)


def _measure(draft: Draft, labels: Labels, term: Term) -> _Measure | None:
    match term:
        case Constant(int() | float() as value) if not isinstance(value, bool):
            return _Measure(None, Fraction(0), Fraction(value))
        case Call("length", (PathTerm() as path,)):
            return _Measure(path, Fraction(1), Fraction(0))
        case Call("size" | "length", (EdgeTerm() as edge,)):
            return _Measure(edge, Fraction(1), Fraction(0))
        case Call("size", (Call("relationships", (PathTerm() as path,)),)):
            return _Measure(path, Fraction(1), Fraction(0))
        case Call("size", (Call("nodes", (PathTerm() as path,)),)):
            return _Measure(path, Fraction(1), Fraction(1))
        case Call("size", (Comprehension("list", element, HasLabel(of, (label,)), _),)) if of == element:
            match element.of:
                case Call("nodes", (PathTerm() as path,)):
                    return _labelled(draft, labels, path, label)
        case Operation("+" | "-" | "*" | "/" as operator, (first, second)):
            return _combined(operator, _measure(draft, labels, first), _measure(draft, labels, second))
        case Call("tointeger" | "tofloat" | "toint" | "round" | "floor", (inner,)):
            return _measure(draft, labels, inner)
    return None


def _labelled(draft: Draft, labels: Labels, path: PathTerm, label: str) -> _Measure | None:
    """How many nodes of a path have a label, where every second one has."""
    nodes = draft.paths[path.key].nodes
    ends = [labels.labels(nodes[0]), labels.labels(nodes[-1])]
    if any(label in end and len(end) > 1 for end in ends):
        return None
    having = sum(label in end for end in ends)
    return _Measure(path, Fraction(1, 2), Fraction(having, 2))


def _combined(operator: str, left: _Measure | None, right: _Measure | None) -> _Measure | None:
    if left is None or right is None or (left.of is not None and right.of is not None):
        return None
    if operator in "+-":
        sign = 1 if operator == "+" else -1
        return _Measure(
            left.of or right.of, left.factor + sign * right.factor, left.offset + sign * right.offset
        )
    if operator == "*":
        scale, other = (left, right) if left.of is None else (right, left)
        return _Measure(other.of, other.factor * scale.offset, other.offset * scale.offset)
    if right.of is None and right.offset:
        return _Measure(left.of, left.factor / right.offset, left.offset / right.offset)
    return None


def _limit_to(draft: Draft, measure: _Measure, choices: Term) -> None:
    if not isinstance(choices, ListTerm):
        return
    values = [each.value for each in choices.items if isinstance(each, Constant)]
    numbers = [Fraction(value) for value in values if isinstance(value, int)]
    if numbers and len(numbers) == len(choices.items):
        _limit(draft, measure, ">=", min(numbers))
        _limit(draft, measure, "<=", max(numbers))


def _limit(draft: Draft, measure: _Measure, operator: str, value: Fraction) -> None:
    if not measure.factor or measure.of is None:
        return
    bound = (value - measure.offset) / measure.factor
    if measure.factor < 0:
        operator = _MIRRORED[operator]
    minimum, maximum = 0, None
    if operator == "=":
        # A length that is no whole number is never reached.
        minimum, maximum = (int(bound), int(bound)) if bound.denominator == 1 else (1, 0)
    elif operator in (">", ">="):
        minimum = int(bound // 1) + 1 if operator == ">" else -int(-bound // 1)
    elif operator in ("<", "<="):
        maximum = -int(-bound // 1) - 1 if operator == "<" else int(bound // 1)
    else:
        return
    if isinstance(measure.of, EdgeTerm):
        edge = draft.edges[measure.of.key]
        edge.hops = narrowed(edge.hops, Hops(minimum, maximum))
        _measure_paths(draft, measure.of.key)
    else:
        _limit_path(draft, measure.of.key, Hops(minimum, maximum))


def _limit_path(draft: Draft, key: int, limits: Hops) -> None:
    path = draft.paths[key]
    hops = narrowed(path.hops, limits)
    draft.paths[key] = replace(path, hops=hops)
    free = [edge for edge in path.edges if draft.edges[edge].hops.exact is None]
    if len(free) == 1:
        rest = sum(draft.edges[edge].hops.minimum for edge in path.edges if edge != free[0])
        edge = draft.edges[free[0]]
        most = None if hops.maximum is None else hops.maximum - rest
        edge.hops = narrowed(edge.hops, Hops(max(hops.minimum - rest, 0), most))
    elif not free and hops != path.hops and path.edges:
        # Fixed by its pattern and fixed otherwise by a condition: nothing is found.
        edge = draft.edges[path.edges[-1]]
        edge.hops = hops if len(path.edges) == 1 else Hops(1, 0)


def _measure_paths(draft: Draft, edge: int) -> None:
    for key, path in enumerate(draft.paths):
        if edge in path.edges and len(path.edges) == 1:
            draft.paths[key] = replace(path, hops=draft.edges[edge].hops)


def narrowed(first: Hops, second: Hops) -> Hops:
    """The lengths that both allow; the least is above the greatest where there is none."""
    bounds = [each for each in (first.maximum, second.maximum) if each is not None]
    return Hops(max(first.minimum, second.minimum), min(bounds) if bounds else None)
