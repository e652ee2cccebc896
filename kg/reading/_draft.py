"""What is gathered while a query is read."""

from dataclasses import dataclass, field

from kg.cypher import Node, ParsedQuery, string_literals
from kg.reading._model import Condition, Hops, PathReading, Projection, Scope, ScopeKind, Unread, Use
from kg.reading._terms import Term


@dataclass(slots=True)
class NodeDraft:
    """A node before its labels are inferred; ``choices`` holds the labels of each `:A|B`."""

    variable: str | None
    scope: int
    optional: bool
    start: int
    stop: int
    written: set[str] = field(default_factory=set)
    choices: list[frozenset[str]] = field(default_factory=list)


@dataclass(slots=True)
class EdgeDraft:
    """A relationship pattern before the schema is asked."""

    start: int
    end: int
    directed: bool
    leftward: bool
    types: frozenset[str]
    hops: Hops
    variable: str | None
    part: int
    optional: bool
    scope: int
    inner: tuple[int, ...]
    start_offset: int
    stop_offset: int


@dataclass(frozen=True, slots=True)
class Context:
    """Where something is read: the variables that can be seen, the scope, the clause."""

    variables: dict[str, Term]
    scope: int
    part: int
    optional: bool

    def with_variables(self, more: dict[str, Term]) -> "Context":
        """The same place, with more variables."""
        return Context({**self.variables, **more}, self.scope, self.part, self.optional)


class Draft:
    """Everything that is found in a query, in the order of the text."""

    def __init__(self, parsed: ParsedQuery) -> None:
        self.parsed = parsed
        self.strings = {literal.start: literal.value for literal in string_literals(parsed.text)}
        self.scopes: list[Scope] = []
        self.nodes: list[NodeDraft] = []
        self.edges: list[EdgeDraft] = []
        self.paths: list[PathReading] = []
        self.conditions: list[Condition] = []
        self.projections: list[Projection] = []
        self.properties: list[Use] = []
        self.labels: list[Use] = []
        self.types: list[Use] = []
        self.functions: list[Use] = []
        self.undefined: list[Use] = []
        self.unread: list[Unread] = []
        self._parts = 0
        self._elements = 0

    def scope(self, parent: int | None, kind: ScopeKind, *, keeps_rows: bool) -> int:
        """Open a scope."""
        self.scopes.append(Scope(len(self.scopes), parent, kind, keeps_rows))
        return len(self.scopes) - 1

    def keep_rows(self, scope: int) -> None:
        """Note that the rows of a scope's parent remain where nothing in it matches."""
        old = self.scopes[scope]
        self.scopes[scope] = Scope(old.index, old.parent, old.kind, True)

    def part(self) -> int:
        """Number the next clause."""
        self._parts += 1
        return self._parts

    def element(self) -> int:
        """Number the next variable that goes through a list."""
        self._elements += 1
        return self._elements

    def source(self, node: Node) -> str:
        """The text of a part of the tree."""
        return self.parsed.text[node.start : node.stop]

    def name(self, node: Node) -> str:
        """The name that a part of the tree spells."""
        text = self.source(node)
        return text[1:-1].replace("``", "`") if text.startswith("`") else text

    def miss(self, why: str, node: Node) -> None:
        """Note that a part of the query is not understood."""
        self.unread.append(Unread(why, node.start, node.stop))
