"""What a query means, as far as its text and the schema tell."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

from kg.cypher import ParsedQuery
from kg.reading._terms import Term

Agreement = Literal["as_written", "turned", "both", "never", "unknown"]
ScopeKind = Literal["branch", "call", "exists", "count", "collect", "group"]


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

    Attributes:
        index: Its place in ``QueryReading.scopes``.
        parent: The scope it stands in, None for a branch of the query itself.
        kind: What it is.
        keeps_rows: Whether the rows of its parent remain where nothing in it matches.
    """

    index: int
    parent: int | None
    kind: ScopeKind
    keeps_rows: bool


@dataclass(frozen=True, slots=True)
class NodeReading:
    """A node of the joined pattern; one entry however many patterns name its variable.

    Attributes:
        key: Its place in ``QueryReading.nodes``.
        variable: The first variable it is bound to.
        written: The labels that patterns and conditions demand.
        labels: The labels it can have by the schema; empty where its patterns contradict each other.
        scope: Where it is bound first.
        optional: Whether it may be null.
        start: Offset of the pattern that binds it.
        stop: Offset after that pattern.
    """

    key: int
    variable: str | None
    written: frozenset[str]
    labels: frozenset[str]
    scope: int
    optional: bool
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class EdgeReading:
    """A relationship pattern between two nodes, the same whichever side it was written from.

    Attributes:
        key: Its place in ``QueryReading.edges``.
        start: Key of the node it leaves by its arrow; for an edge without direction, the left one.
        end: Key of the node it enters.
        directed: Whether it has an arrow.
        leftward: Whether its arrow points to the left in the text.
        types: The types it may have; empty where any will do.
        hops: How often it repeats, after conditions on the length.
        written_hops: How often its pattern alone lets it repeat.
        agreement: Whether the schema allows it ``as_written``, only ``turned`` round, in ``both`` ways where
            it has no arrow, or ``never``; ``unknown`` where that cannot be told.
        variable: The variable it binds.
        part: Number of the clause or pattern it belongs to; edges of one part are never the same.
        optional: Whether its absence keeps the row.
        scope: Where it stands.
        inner: For a repeated pattern, the keys of the edges it repeats.
        start_offset: Offset of its text.
        stop_offset: Offset after its text.
    """

    key: int
    start: int
    end: int
    directed: bool
    leftward: bool
    types: frozenset[str]
    hops: Hops
    written_hops: Hops
    agreement: Agreement
    variable: str | None
    part: int
    optional: bool
    scope: int
    inner: tuple[int, ...]
    start_offset: int
    stop_offset: int


@dataclass(frozen=True, slots=True)
class PathReading:
    """A named path: its nodes and edges in the order of the text, and its length.

    Attributes:
        key: Its place in ``QueryReading.paths``.
        variable: Its name.
        nodes: Keys of its nodes, left to right.
        edges: Keys of its edges, left to right.
        hops: Its length after conditions on it.
        shortest: Whether only shortest paths, or the first of several, are found.
        scope: Where it stands.
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

    Attributes:
        term: What has to hold.
        scope: Where it stands.
        part: The clause or pattern it belongs to.
        optional: Whether it only limits an optional part.
        start: Offset of its text.
        stop: Offset after its text.
    """

    term: Term
    scope: int
    part: int
    optional: bool
    start: int
    stop: int


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
    """A WITH or RETURN.

    Attributes:
        kind: Which of the two.
        part: Number of the clause.
        items: Its columns; ``*`` is written out.
        distinct: Whether equal rows are put together.
        grouped: Whether some column is an aggregate, so that the others are what rows are grouped by.
        order: The keys of its ORDER BY.
        skip: What is left out at the beginning.
        limit: How many rows are kept at most.
        scope: Where it stands.
        start: Offset of its text.
        stop: Offset after its text.
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
    """A name that the query uses: a property, label, type, function or variable.

    Attributes:
        name: The name without backticks.
        of: What a property is looked up on.
        start: Offset of its text.
        stop: Offset after its text.
    """

    name: str
    of: Term | None
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Unread:
    """A stretch of the query that the reader does not understand, and why."""

    why: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class QueryReading:
    """What a query means.

    Nodes are joined over clauses by their variables, labels follow from the schema, and edges run from start
    to end whichever side they were written from. What is not understood is in ``unread``; nothing may be
    concluded from its absence elsewhere.

    Attributes:
        parsed: The query with its tree; ``parsed.errors`` says where it leaves the grammar.
        scopes: The branches of the query and its subqueries.
        nodes: The nodes, by key.
        edges: The relationship patterns, by key.
        paths: The paths that have a name or are shortest ones, by key.
        conditions: What has to hold, scope by scope.
        projections: WITH and RETURN in the order of the text.
        properties: Every property that is looked up or matched.
        labels: Every label that is named.
        types: Every relationship type that is named.
        functions: Every function that is called.
        undefined: Variables that are used and not bound.
        unread: What the reader does not understand.
    """

    parsed: ParsedQuery
    scopes: tuple[Scope, ...]
    nodes: tuple[NodeReading, ...]
    edges: tuple[EdgeReading, ...]
    paths: tuple[PathReading, ...]
    conditions: tuple[Condition, ...]
    projections: tuple[Projection, ...]
    properties: tuple[Use, ...]
    labels: tuple[Use, ...]
    types: tuple[Use, ...]
    functions: tuple[Use, ...]
    undefined: tuple[Use, ...]
    unread: tuple[Unread, ...]

    @property
    def branches(self) -> tuple[Scope, ...]:
        """The query itself, or the parts of its UNION."""
        return tuple(scope for scope in self.scopes if scope.parent is None)

    def returned(self, scope: int = 0) -> Projection | None:
        """The RETURN of a branch or subquery; None where it has none."""
        found = [each for each in self.projections if each.kind == "RETURN" and each.scope == scope]
        return found[-1] if found else None
