"""A query seen as a reaction graph: its anchors and links, by the names of ``reaction_graph.yaml``."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, NamedTuple

import yaml

from retrocypher.kg.semantics.builder import walk
from retrocypher.kg.semantics.query_model import (
    Call,
    Condition,
    Constant,
    Element,
    HasLabel,
    Hops,
    ListTerm,
    NodeTerm,
    Operation,
    PatternEdge,
    Property,
    QueryModel,
    Subquery,
    Term,
)
from retrocypher.kg.semantics.schema import Schema

_FILE = "reaction_graph.yaml"
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_PARTS = re.compile(r"[^a-z]+")


@dataclass(frozen=True, slots=True)
class Component:
    """A part of a reaction: the type of its relationship, and whether that points to the reaction."""

    name: str
    type: str
    into: bool


@dataclass(frozen=True, slots=True)
class Domain:
    """The names of ``reaction_graph.yaml``."""

    molecule: str
    molecule_name: str
    reaction: str
    reaction_id: str
    yield_type: str
    yield_name: str
    components: Mapping[str, Component]
    words: Mapping[str, frozenset[str]]

    def fits(self, schema: Schema) -> bool:
        """Whether a schema has all these names."""
        return (
            schema.has_property(self.molecule_name, self.molecule)
            and schema.has_property(self.reaction_id, self.reaction)
            and schema.has_property(self.yield_name, self.yield_type)
            and all(schema.has_type(each.type) for each in self.components.values())
        )

    def hint(self, name: str | None) -> str | None:
        """The component that a name promises; None where it says nothing."""
        if not name:
            return None
        parts = [_singular(part) for part in _PARTS.split(_CAPITAL.sub("_", name).lower()) if part]
        spelled = {"_".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 1, len(parts) + 1)}
        return next((component for component, words in self.words.items() if words & spelled), None)


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


@cache
def load_domain() -> Domain:
    """Return the names, read at the first call."""
    data: dict[str, Any] = yaml.safe_load(resources.files(__package__).joinpath(_FILE).read_text("utf-8"))
    return Domain(
        molecule=data["molecule"]["label"],
        molecule_name=data["molecule"]["property"],
        reaction=data["reaction"]["label"],
        reaction_id=data["reaction"]["property"],
        yield_type=data["yield"]["type"],
        yield_name=data["yield"]["property"],
        components={
            name: Component(name, each["type"], each["into"]) for name, each in data["components"].items()
        },
        words={name: frozenset(words) for name, words in data["words"].items()},
    )


Status = Literal["required", "optional", "negated", "unknown"]
_SPELLED = ("tolower", "toupper", "trim", "ltrim", "rtrim", "tostring")
_LIKE = ("contains", "starts with", "ends with", "=~")


class Anchor(NamedTuple):
    """What fixes the name of a molecule.

    Attributes:
        values: The names it may have.
        kind: ``is`` for one name, ``one_of`` for several, ``like`` where the name only has to resemble it,
            ``spelled`` where letters are changed before they are compared.
        status: Whether it has to hold.
    """

    node: int
    values: tuple[str, ...]
    kind: Literal["is", "one_of", "like", "spelled"]
    status: Status
    condition: Condition


class Link(NamedTuple):
    """An edge with its ends in the direction of the schema, and whether it has to be there."""

    edge: PatternEdge
    start: int
    end: int
    status: Status

    @property
    def types(self) -> frozenset[str]:
        """The types it may have."""
        return self.edge.types

    @property
    def hops(self) -> Hops:
        """How many relationships it follows."""
        return self.edge.hops


class View:
    """The reading of one query, with nodes that must be the same put together.

    `renamed` has other spellings of the question's molecules that the query has, with the right one.
    """

    def __init__(self, reading: QueryModel, domain: Domain, renamed: dict[str, str] | None = None) -> None:
        self.reading = reading
        self.domain = domain
        self._renamed = renamed or {}
        self._same = list(range(len(reading.nodes)))
        self.statuses = _statuses(reading)
        self._join()
        self.links = [self._link(edge) for edge in reading.edges]
        self.anchors = [anchor for each in reading.conditions for anchor in self._anchors(each)]

    def node(self, key: int) -> int:
        """The one key of all nodes that must be the same."""
        while self._same[key] != key:
            key = self._same[key]
        return key

    def name(self, key: int) -> str:
        """What to call a node in a message."""
        for node in self.reading.nodes:
            if self.node(node.key) == self.node(key) and node.variable is not None:
                return f"`{node.variable}`"
        node = self.reading.nodes[key]
        return f"`{self.reading.parsed.text[node.start : node.stop]}`"

    def is_reaction(self, key: int) -> bool:
        """Whether a node can only be a reaction."""
        return self.reading.nodes[key].labels == {self.domain.reaction}

    def is_molecule(self, key: int) -> bool:
        """Whether a node can only be a molecule."""
        return self.reading.nodes[key].labels == {self.domain.molecule}

    def anchored(self, name: str) -> set[int]:
        """The nodes that have to have a name, or one of several names among which it is."""
        return {
            anchor.node
            for anchor in self.anchors
            if name in anchor.values and anchor.kind in ("is", "one_of")
        }

    def of(self, part: Condition | PatternEdge) -> Status:
        """Whether a condition has to hold, or an edge has to be there, for a row of the query."""
        status = self.statuses[part.scope]
        return "optional" if status == "required" and part.optional else status

    def texts(self, term: Term) -> set[str]:
        """The string literals in a term, with the question's molecules as the question spells them."""
        found = (each.value for each in walk(term) if isinstance(each, Constant))
        return {self._renamed.get(value, value) for value in found if isinstance(value, str)}

    def _link(self, edge: PatternEdge) -> Link:
        start, end = self.node(edge.start), self.node(edge.end)
        if edge.agreement == "turned":
            start, end = end, start
        return Link(edge, start, end, self.of(edge))

    def _join(self) -> None:
        for condition in self.reading.conditions:
            term = condition.term
            if not isinstance(term, Operation) or term.operator != "=":
                continue
            left, right = (self._identity(operand) for operand in term.operands)
            if left is not None and right is not None and self.of(condition) != "negated":
                first, second = sorted((self.node(left), self.node(right)))
                self._same[second] = first

    def _identity(self, term: Term) -> int | None:
        """The node that a term stands for, or is the key of."""
        match term:
            case NodeTerm(key):
                return key
            case Property(NodeTerm(key), self.domain.molecule_name | self.domain.reaction_id):
                return key
            case Call("id" | "elementid", (NodeTerm(key),)):
                return key
        return None

    def _anchors(self, condition: Condition) -> Iterator[Anchor]:
        found = self._names(condition.term)
        if found is None:
            return
        node, values, kind = found
        spelled = tuple(self._renamed.get(value, value) for value in values)
        yield Anchor(self.node(node), spelled, kind, self.of(condition), condition)

    def _names(
        self, term: Term
    ) -> tuple[int, tuple[str, ...], Literal["is", "one_of", "like", "spelled"]] | None:
        if not isinstance(term, Operation):
            return None
        if term.operator == "or":
            choices = [self._names(each) for each in term.operands]
            nodes = {choice[0] for choice in choices if choice is not None}
            if None in choices or len(nodes) != 1:
                return None
            values = tuple(value for choice in choices if choice is not None for value in choice[1])
            return nodes.pop(), values, "one_of"
        if len(term.operands) != 2:
            return None
        left, right = term.operands
        if term.operator == "=" and self._named(left) is None:
            left, right = right, left
        named = self._named(left)
        if named is None:
            return None
        node, changed = named
        values = _strings(right)
        changed = changed or _recased(right) != values
        if not values:
            return None
        if term.operator in _LIKE:
            return node, values, "like"
        if changed:
            return node, values, "spelled"
        if term.operator in ("=", "in"):
            return node, values, "is" if len(values) == 1 else "one_of"
        return None

    def _named(self, term: Term) -> tuple[int, bool] | None:
        """The molecule whose name a term is, and whether its letters are changed."""
        match term:
            case Property(NodeTerm(key), self.domain.molecule_name):
                return key, False
            case Call(function, (inner, *_)) if function in _SPELLED:
                found = self._named(inner)
                return None if found is None else (found[0], function in ("tolower", "toupper"))
        return None


def _strings(term: Term) -> tuple[str, ...]:
    match term:
        case Constant(str() as value):
            return (value,)
        case ListTerm(items):
            values = [each.value for each in items if isinstance(each, Constant)]
            strings = tuple(value for value in values if isinstance(value, str))
            return strings if len(strings) == len(items) else ()
        case Element(inner, _):
            return _strings(inner)
        case Call(function, (inner, *_)) if function in _SPELLED:
            return _strings(inner)
    return ()


def _recased(term: Term) -> tuple[str, ...]:
    """The strings of a term as the server compares them, in the case of letters that it gives them."""
    match term:
        case Call("tolower", (inner,)):
            return tuple(value.lower() for value in _recased(inner))
        case Call("toupper", (inner,)):
            return tuple(value.upper() for value in _recased(inner))
        case Call(function, (inner, *_)) if function in _SPELLED:
            return _recased(inner)
    return _strings(term)


def _statuses(reading: QueryModel) -> list[Status]:
    """Whether what stands in a scope has to be there, scope by scope."""
    asserted: dict[int, Status] = {}
    for condition in reading.conditions:
        found = _asserted(condition.term)
        if found is not None and not condition.optional:
            asserted[found[0]] = found[1]
    statuses: list[Status] = []
    for scope in reading.scopes:
        outer: Status = "required" if scope.parent is None else statuses[scope.parent]
        if outer != "required" or scope.parent is None or scope.kind == "group":
            statuses.append(outer)
        elif scope.kind == "call":
            statuses.append("optional" if scope.keeps_rows else "required")
        else:
            statuses.append(asserted.get(scope.index, "optional" if scope.kind == "collect" else "unknown"))
    return statuses


def _asserted(term: Term) -> tuple[int, Status] | None:
    match term:
        case (
            Subquery("exists", scope, _)
            | Operation(">", (Subquery("count", scope, _), Constant(0)))
            | Operation(">=", (Subquery("count", scope, _), Constant(1)))
        ):
            return scope, "required"
        case Operation("not", (Subquery("exists", scope, _),)) | Operation(
            "=", (Subquery("count", scope, _), Constant(0))
        ):
            return scope, "negated"
    return None


def calls(term: Term, *names: str) -> bool:
    """Whether one of these functions is called within a term."""
    return any(isinstance(each, Call) and each.name in names for each in walk(term))


def labels_in(term: Term) -> set[str]:
    """The labels that are tested within a term."""
    return {label for each in walk(term) if isinstance(each, HasLabel) for label in each.labels}


def subqueries(term: Term) -> set[int]:
    """The scopes of the subqueries within a term."""
    return {each.scope for each in walk(term) if isinstance(each, Subquery)}
