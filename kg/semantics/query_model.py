"""What a query means, as far as its text and the schema tell.

Terms say what an expression stands for, with every variable replaced by what it was bound to. In all classes
``key`` and ``index`` are places in a list of the model; ``scope``, ``block`` and ``part`` (a clause or a
pattern) say where something stands; ``start`` and ``stop`` are the offsets of its text.
"""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from retrocypher.kg.cypher.parser import ParsedQuery

Agreement = Literal["as_written", "turned", "both", "never", "unknown"]
ComprehensionKind = Literal["list", "all", "any", "none", "single"]
SubqueryKind = Literal["exists", "count", "collect"]
ScopeKind = Literal["branch", "call", SubqueryKind, "group"]


@dataclass(frozen=True, slots=True)
class NodeTerm:
    """A node that a pattern binds.

    ``element`` tells which one it is of a list of such nodes (see ``QueryModel.elements``); 0 for the node
    itself. What is asked of rows does not depend on it, so terms are equal without it.
    """

    key: int
    element: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class EdgeTerm:
    """A relationship, or the list of those of a variable length; ``key`` as in ``QueryModel.edges``."""

    key: int
    element: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class PathTerm:
    """A named path; ``key`` is its place in ``QueryModel.paths``."""

    key: int


@dataclass(frozen=True, slots=True)
class GroupTerm:
    """What a variable within a repeated pattern holds outside of it: one value a repetition."""

    of: "Term"


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal; strings are decoded as the server decodes them."""

    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter, by its name without the dollar."""

    name: str


@dataclass(frozen=True, slots=True)
class Property:
    """A property of a node, relationship or map."""

    of: "Term"
    name: str


@dataclass(frozen=True, slots=True)
class Call:
    """A function call; the name is in lower case, and ``count(*)`` has no arguments."""

    name: str
    arguments: tuple["Term", ...]
    distinct: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator with its operands: ``and``, ``or``, ``not``, ``=``, ``in``, ``is null``, ``+``, ..."""

    operator: str
    operands: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class HasLabel:
    """A label test: whether a node has one of these labels, or a relationship one of these types."""

    of: "Term"
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ListTerm:
    """A list written out."""

    items: tuple["Term", ...]


@dataclass(frozen=True, slots=True)
class MapTerm:
    """A map or map projection, entry by entry; ``everything`` where it also holds ``.*``."""

    entries: tuple[tuple[str, "Term"], ...]
    everything: "Term | None" = None


@dataclass(frozen=True, slots=True)
class Element:
    """One element of a list: what UNWIND or the variable of a comprehension goes through."""

    of: "Term"
    key: int


@dataclass(frozen=True, slots=True)
class Comprehension:
    """A list comprehension, or a test of a list's elements (``all``, ``any``, ``none``, ``single``)."""

    kind: ComprehensionKind
    element: Element
    where: "Term | None"
    projection: "Term | None"


@dataclass(frozen=True, slots=True)
class Subquery:
    """A pattern within an expression, with its own scope (a place in ``QueryModel.scopes``).

    A pattern comprehension is of the kind ``collect``, a pattern as a test of the kind ``exists``.
    """

    kind: SubqueryKind
    scope: int
    projection: "Term | None"


@dataclass(frozen=True, slots=True)
class Case:
    """A CASE: conditions with their results, and what holds otherwise."""

    branches: tuple[tuple["Term", "Term"], ...]
    default: "Term | None"


@dataclass(frozen=True, slots=True)
class Unknown:
    """What the reader does not read, with the terms it is made of; nothing may be concluded from it."""

    text: str
    parts: tuple["Term", ...] = ()


Term: TypeAlias = (
    NodeTerm
    | EdgeTerm
    | PathTerm
    | GroupTerm
    | Constant
    | Parameter
    | Property
    | Call
    | Operation
    | HasLabel
    | ListTerm
    | MapTerm
    | Element
    | Comprehension
    | Subquery
    | Case
    | Unknown
)


class Hops(NamedTuple):
    """How many relationships a pattern follows: at least and at most; None where there is no bound."""

    minimum: int
    maximum: int | None

    @property
    def exact(self) -> int | None:
        """The one number it can be, None where there are several."""
        return self.minimum if self.minimum == self.maximum else None


@dataclass(frozen=True, slots=True)
class Scope:
    """A query, a branch of a UNION, a subquery, or the inside of a repeated pattern.

    The parent of a branch of the query itself is None. ``keeps_rows`` is whether the rows of its parent
    remain where nothing in it matches.
    """

    index: int
    parent: int | None
    kind: ScopeKind
    keeps_rows: bool


@dataclass(slots=True, eq=False)
class PatternNode:
    """A node of the joined pattern; one entry however many patterns name its variable.

    Attributes:
        optional: Whether it may be null.
        element: Number of the list element that it is; 0 for others.
        written: The labels that patterns and conditions demand.
        choices: The labels of each ``:A|B`` that they demand.
        labels: The labels it can have by the schema; empty where its patterns contradict each other.
    """

    key: int
    variable: str | None
    scope: int
    block: int
    optional: bool
    start: int
    stop: int
    element: int = 0
    written: frozenset[str] = frozenset()
    choices: tuple[frozenset[str], ...] = ()
    labels: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class PatternEdge:
    """A relationship pattern between two nodes, the same whichever side it was written from.

    Attributes:
        types: The types it may have; empty where any will do.
        hops: How often it repeats, after conditions on the length; ``written_hops`` are those before.
        same: Key of the edge that bound its variable first; its own where none did.
        part: Number of the clause or pattern it belongs to; edges of one part are never the same.
        optional: Whether its absence keeps the row.
        inner: For a repeated pattern, the keys of the edges it repeats.
        start: Key of the node it leaves by its arrow; without an arrow, by the schema, or else the left one.
        agreement: Whether the schema allows it ``as_written``, only ``turned`` round, in ``both`` ways where
            it has no arrow, or ``never``; ``unknown`` where that cannot be told.
    """

    key: int
    left: NodeTerm
    right: NodeTerm
    directed: bool
    leftward: bool
    types: frozenset[str]
    hops: Hops
    variable: str | None
    same: int
    part: int
    optional: bool
    scope: int
    block: int
    inner: tuple[int, ...]
    start_offset: int
    stop_offset: int
    start: int = field(init=False)
    end: int = field(init=False)
    written_hops: Hops = field(init=False)
    agreement: Agreement = "unknown"

    def __post_init__(self) -> None:
        self.written_hops = self.hops
        ends = (self.left.key, self.right.key)
        self.start, self.end = ends[::-1] if self.leftward else ends


@dataclass(frozen=True, slots=True)
class PatternPath:
    """A named path: the keys of its nodes and edges, left to right, and its length after conditions on it.

    ``shortest`` is whether only shortest paths, or the first of several, are found.
    """

    key: int
    variable: str | None
    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    hops: Hops
    shortest: bool
    scope: int


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition that has to hold (one operand of the ANDs of a WHERE, or one entry of a property map).

    ``optional`` is whether it only limits an optional part.
    """

    term: Term
    scope: int
    part: int
    optional: bool
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Test:
    """A condition as a whole, or what a label expression or property map of a pattern asks (``pattern``)."""

    term: Term
    block: int
    pattern: bool


@dataclass(frozen=True, slots=True)
class Item:
    """A column of a WITH or RETURN."""

    column: str
    term: Term
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Order:
    """One key of an ORDER BY."""

    term: Term
    descending: bool


@dataclass(frozen=True, slots=True)
class Projection:
    """A WITH or RETURN, its ``*`` written out.

    ``grouped`` is whether some column is an aggregate, so that the others are what rows are grouped by.
    """

    kind: Literal["WITH", "RETURN"]
    part: int
    items: tuple[Item, ...]
    distinct: bool
    grouped: bool
    order: tuple[Order, ...]
    skip: Term | None
    limit: Term | None
    scope: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Use:
    """A name that the query uses: a property (looked up on ``of``), label, type, function or variable."""

    name: str
    of: Term | None
    block: int
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Unread:
    """A stretch of the query that the reader does not understand, and why."""

    why: str
    start: int
    stop: int


@dataclass(eq=False)
class QueryModel:
    """What a query means.

    Nodes are joined over clauses by their variables, labels follow from the schema, and edges run from start
    to end whichever side they were written from. What is not understood is in ``unread``; nothing may be
    concluded from its absence elsewhere.

    Attributes:
        parsed: The query with its tree; ``parsed.errors`` says where it leaves the grammar.
        blocks: What has to hold together: the MATCHes of a branch; each OPTIONAL MATCH or CALL, subquery
            expression or pattern in an expression. For each the block it hangs on.
        elements: What UNWIND and list expressions go through, by number from 1: the block, and the node or
            relationship of whose kind the elements are, None where that cannot be told.
        paths: The paths that have a name or are shortest ones, by key.
        conditions: What has to hold, scope by scope.
        tests: The same before ANDs are taken apart, with what patterns and list expressions ask.
        undefined: Variables that are used and not bound.
    """

    parsed: ParsedQuery
    scopes: list[Scope] = field(default_factory=list)
    blocks: list[int | None] = field(default_factory=list)
    elements: list[tuple[int, Term | None]] = field(default_factory=list)
    nodes: list[PatternNode] = field(default_factory=list)
    edges: list[PatternEdge] = field(default_factory=list)
    paths: list[PatternPath] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    projections: list[Projection] = field(default_factory=list)
    properties: list[Use] = field(default_factory=list)
    labels: list[Use] = field(default_factory=list)
    types: list[Use] = field(default_factory=list)
    functions: list[Use] = field(default_factory=list)
    undefined: list[Use] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)

    @property
    def branches(self) -> tuple[Scope, ...]:
        """The query itself, or the parts of its UNION."""
        return tuple(scope for scope in self.scopes if scope.parent is None)

    def returned(self, scope: int = 0) -> Projection | None:
        """The RETURN of a branch or subquery; None where it has none."""
        found = [each for each in self.projections if each.kind == "RETURN" and each.scope == scope]
        return found[-1] if found else None
