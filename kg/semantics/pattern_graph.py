"""The pattern of a query as a graph: what its variables may be, and what joins them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from typing import NamedTuple

from retrocypher.kg.semantics.builder import walk
from retrocypher.kg.semantics.direction_kinds import Kinds, Truth, Universe
from retrocypher.kg.semantics.query_model import (
    EdgeTerm,
    Element,
    HasLabel,
    NodeTerm,
    Operation,
    PatternEdge,
    Property,
    QueryModel,
    Term,
    Test,
)

ASKED, READ = 3, 2
"""How much a property tells of its owner: where a pattern or WHERE needs it, and where it is only read."""
_COMPARED = frozenset({"=", "<>", "<", "<=", ">", ">="})
_TESTED = _COMPARED | {"in", "contains", "starts with", "ends with", "=~"}


@dataclass
class Variable:
    """A node or a relationship, whatever names it goes by.

    Attributes:
        home: The block of the query that brings it in.
        source: The variable that it is one of, where it comes from a list.
        labels: What labels or types, by the block that says so, leave of its universe.
        properties: The properties it is said to have, with how much each block's word for it counts.
    """

    home: int
    universe: Universe
    source: int | None = None
    labels: list[tuple[int, int]] = field(default_factory=list)
    properties: dict[str, dict[int, int]] = field(default_factory=dict)

    def say_property(self, block: int, key: str, weight: int) -> None:
        """Note that it is said to have a property."""
        said = self.properties.setdefault(key, {})
        said[block] = max(weight, said.get(block, 0))

    def whole(self) -> int:
        """What all that is said of it, its properties included, leaves of its choices."""
        left = self.universe.everything
        for _, choices in self.labels:
            left &= choices
        for key in self.properties:
            left = (left & self.universe.having.get(key, left)) or left
        return left


class Step(NamedTuple):
    """A relationship pattern and the variable it binds."""

    edge: PatternEdge
    variable: int


@dataclass(frozen=True)
class Stretch:
    """What joins two nodes: a relationship pattern, or a parenthesised path with a quantifier.

    Only a parenthesised path has several steps and inner nodes, one more than steps. ``minimum`` and
    ``maximum`` are how often it is followed; None is no bound.
    """

    left: int
    right: int
    block: int
    steps: tuple[Step, ...]
    inner: tuple[int, ...]
    minimum: int
    maximum: int | None


class _Subject(NamedTuple):
    """What a condition is asked about: a variable, which may be a list, and a property whose absence counts.

    Without a property, labels and types alone are looked at. What is said of others is either way.
    """

    number: int
    key: str
    listed: bool


class PatternGraph:
    """The variables, stretches and blocks (see ``QueryModel.blocks``) of a query."""

    def __init__(self, model: QueryModel, kinds: Kinds) -> None:
        self._model = model
        self._kinds = kinds
        self._numbers: dict[tuple[str, int], int] = {}
        self.blocks = model.blocks
        self.variables: list[Variable] = []
        for test in model.tests:
            self._note(test)
        for use in model.properties:
            number = self._variable(use.of)
            if number is not None:
                self.variables[number].say_property(use.block, use.name, READ)
        repeated = {key for edge in model.edges for key in edge.inner}
        found = (self._stretch(edge) for edge in model.edges if edge.key not in repeated)
        self.stretches = [stretch for stretch in found if stretch is not None]

    def _variable(self, term: Term | None, *, listed: bool = False) -> int | None:
        """The variable that a term stands for (a list of relationships only where ``listed``), or None."""
        match term:
            case NodeTerm():
                return self._node(term)
            case Element(_, number) if number:
                return self._element(number)
            case EdgeTerm(key, 0) if listed or self._model.edges[key].written_hops == (1, 1):
                return self._edge(key)
        return None

    def _node(self, term: NodeTerm) -> int:
        node = self._model.nodes[term.key]
        number = term.element or node.element
        return self._element(number) if number else self._number("node", term.key, node.block)

    def _edge(self, key: int) -> int:
        first = self._model.edges[self._model.edges[key].same]
        return self._number("edge", first.key, first.block)

    def _element(self, number: int) -> int:
        block, of = self._model.elements[number - 1]
        source = self._node(of) if isinstance(of, NodeTerm) else None
        return self._number("element", number, block, source)

    def _number(self, what: str, key: int, block: int, source: int | None = None) -> int:
        if (what, key) not in self._numbers:
            self._numbers[what, key] = len(self.variables)
            universe = self._kinds.relationships if what == "edge" else self._kinds.nodes
            self.variables.append(Variable(block, universe, source))
        return self._numbers[what, key]

    def _note(self, test: Test) -> None:
        """Note what a condition that must be true says of labels, types and properties."""
        asked: dict[int, set[str]] = {}
        named: set[str] = set()
        for each in walk(test.term):
            match each:
                case HasLabel(of, labels):
                    key = ""
                    named.update(labels)
                case Operation("labelled", (of,)):
                    key = ""
                case Property(of, key):
                    pass
                case _:
                    continue
            number = self._variable(of, listed=test.pattern)
            if number is not None:
                asked.setdefault(number, set()).add(key)
        for number, keys in asked.items():
            variable = self.variables[number]
            universe = variable.universe
            choices = self._truth(test.term, _Subject(number, "", test.pattern)).true
            if test.pattern and not choices:
                # Labels stand together that the schema knows only apart: a node with any of them. A schema
                # written by hand may not tell which go together.
                choices = reduce(or_, (universe.named.get(name, 0) for name in named), 0)
            if choices != universe.everything:
                variable.labels.append((test.block, choices))
            for key in keys & universe.having.keys():
                needed = self._truth(test.term, _Subject(number, key, test.pattern)).true
                if needed & choices & ~universe.having[key] == 0:
                    variable.say_property(test.block, key, ASKED)

    def _truth(self, term: Term, subject: _Subject) -> Truth:
        """For which choices of its subject a condition may be true, and for which false."""
        universe = self.variables[subject.number].universe
        everything = universe.everything
        having = universe.having.get(subject.key, everything)
        match term:
            case Operation("and" | "or" | "xor" | "not" as operator, operands):
                truths = [self._truth(operand, subject) for operand in operands]
                return _JOINED[operator](truths)
            case HasLabel(of, labels) if self._is(subject, of):
                return _any(universe.truth(label) for label in labels)
            case Operation("labelled", (of,)) if self._is(subject, of):
                return Truth(universe.named_at_all, everything & ~universe.named_at_all)
            case Operation("is null", (Property(of, subject.key),)) if self._is(subject, of):
                return Truth(everything, having)
            case Operation("is not null", (Property(of, subject.key),)) if self._is(subject, of):
                return Truth(having, everything)
            case Operation(operator, (left, right)) if operator in _TESTED:
                # Null, which is neither, unless the property is there.
                for side in (left, right) if operator in _COMPARED else (left,):
                    match side:
                        case Property(of, subject.key) if self._is(subject, of):
                            return Truth(having, having)
        return Truth(everything, everything)

    def _is(self, subject: _Subject, term: Term) -> bool:
        return self._variable(term, listed=subject.listed) == subject.number

    def _stretch(self, edge: PatternEdge) -> Stretch | None:
        """What an edge joins; None for a repeated path that is too involved to be steps in a row."""
        edges = [self._model.edges[key] for key in edge.inner] or [edge]
        nodes = tuple(self._node(each) for each in (edges[0].left, *(each.right for each in edges)))
        times = edge.written_hops
        if edge.inner:
            lefts = tuple(self._node(each.left) for each in edges)
            if lefts != nodes[:-1] or any(each.inner or each.written_hops != (1, 1) for each in edges):
                return None
        steps = tuple(Step(each, self._edge(each.key)) for each in edges)
        return Stretch(
            self._node(edge.left),
            self._node(edge.right),
            edge.block,
            steps,
            nodes if edge.inner else (),
            times.minimum // len(steps),
            None if times.maximum is None else times.maximum // len(steps),
        )


def _all(truths: Iterable[Truth]) -> Truth:
    true, false = -1, 0
    for truth in truths:
        true, false = true & truth.true, false | truth.false
    return Truth(true, false)


def _any(truths: Iterable[Truth]) -> Truth:
    return _not(_all(map(_not, truths)))


def _not(truth: Truth) -> Truth:
    return Truth(truth.false, truth.true)


def _one(truths: Iterable[Truth]) -> Truth:
    """Whether an odd number of them is true, as XOR asks."""
    found = Truth(0, -1)
    for truth in truths:
        found = Truth(
            found.true & truth.false | found.false & truth.true,
            found.true & truth.true | found.false & truth.false,
        )
    return found


_JOINED: Mapping[str, Callable[[Sequence[Truth]], Truth]] = {
    "and": _all,
    "or": _any,
    "xor": _one,
    "not": lambda truths: _not(truths[0]),
}
