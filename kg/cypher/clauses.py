"""The clauses and relationship patterns of a query, and edits that change them."""

from dataclasses import dataclass
from typing import Literal

from retrocypher.kg.cypher.edits import Edit, Span, labels_of, name_of, variable_of
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery, number_value
from retrocypher.kg.cypher.tokens import Node

_NODE_PATTERNS = (Rule.NODE_PATTERN, Rule.INSERT_NODE_PATTERN)

WRITING = frozenset({"CREATE", "INSERT", "MERGE", "SET", "DELETE", "REMOVE", "FOREACH"})
"""Words that a clause that writes begins with, or ends with where it has two."""

_LEADING = {"OPTIONAL": 2, "DETACH": 2, "NODETACH": 2, "LOAD": 2, "ORDER": 2}
"""Keywords that say what a clause is only together with the next one."""


@dataclass(frozen=True, slots=True)
class LengthRange:
    """How often a relationship or path repeats, as ``*1..3`` or a quantifier such as ``{1,3}`` says it.

    It starts at the ``*``, ``+`` or ``{``. A maximum of None is no bound. A quantifier stands after a
    pattern, a length within ``[]``.
    """

    start: int
    stop: int
    minimum: int
    maximum: int | None
    quantifier: bool


@dataclass(frozen=True, slots=True)
class NodePattern:
    """A node pattern: its place, variable and the labels its label expression names."""

    start: int
    stop: int
    variable: str | None
    labels: tuple[str, ...]
    node: Node


@dataclass(frozen=True, slots=True)
class RelationshipPattern:
    """A relationship pattern, without its quantifier.

    Attributes:
        direction: ``right`` for ``-->``, ``left`` for ``<--``, ``either`` for ``--`` and ``<-->``.
        type_expression: Where the expression stands, colon included.
        left: The node pattern written before it; None where a parenthesised path stands there.
    """

    start: int
    stop: int
    left_arrow: Span | None
    right_arrow: Span | None
    direction: Literal["right", "left", "either"]
    variable: str | None
    types: tuple[str, ...]
    type_expression: Span | None
    length: LengthRange | None
    left: NodePattern | None
    right: NodePattern | None
    node: Node


def relationship_patterns(parsed: ParsedQuery) -> list[RelationshipPattern]:
    """Return every relationship pattern of a query in the order of the text.

    Those of subqueries, pattern comprehensions, pattern expressions, ``shortestPath`` and quantified paths
    are among them.
    """
    found = parsed.root.find_all(Rule.RELATIONSHIP_PATTERN, Rule.INSERT_RELATIONSHIP_PATTERN)
    return [_relationship(parsed, node) for node in found]


def length_ranges(parsed: ParsedQuery) -> list[LengthRange]:
    """Return every path length and quantifier of a query, those of parenthesised paths included."""
    return [length_of(node) for node in parsed.root.find_all(Rule.PATH_LENGTH, Rule.QUANTIFIER)]


def reverse(pattern: RelationshipPattern) -> tuple[Edit, ...]:
    """Return the edits that turn a pattern's arrow round; none where it points neither way or both."""
    if pattern.direction == "right" and pattern.right_arrow:
        return (Edit(pattern.start, pattern.start, "<"), Edit(*pattern.right_arrow, ""))
    if pattern.direction == "left" and pattern.left_arrow:
        return (Edit(*pattern.left_arrow, ""), Edit(pattern.stop, pattern.stop, ">"))
    return ()


def _relationship(parsed: ParsedQuery, node: Node) -> RelationshipPattern:
    left_arrow, right_arrow = _span(node.node(Rule.LEFT_ARROW)), _span(node.node(Rule.RIGHT_ARROW))
    direction: Literal["right", "left", "either"] = "either"
    if bool(left_arrow) != bool(right_arrow):
        direction = "left" if left_arrow else "right"
    types = node.node(Rule.LABEL_EXPRESSION) or node.node(Rule.INSERT_RELATIONSHIP_LABELS)
    before, after = _neighbours(node)
    length = node.node(Rule.PATH_LENGTH)
    if after is not None and after.rule == Rule.QUANTIFIER:
        length, after = after, _neighbours(after)[1]
    return RelationshipPattern(
        start=node.start,
        stop=node.stop,
        left_arrow=left_arrow,
        right_arrow=right_arrow,
        direction=direction,
        variable=variable_of(parsed, node),
        types=labels_of(parsed, node),
        type_expression=_span(types),
        length=None if length is None else length_of(length),
        left=_node_pattern(parsed, before),
        right=_node_pattern(parsed, after),
        node=node,
    )


def _neighbours(node: Node) -> tuple[Node | None, Node | None]:
    siblings: list[Node | None] = [None, *(node.parent.nodes() if node.parent else [node]), None]
    place = siblings.index(node)
    return siblings[place - 1], siblings[place + 1]


def _node_pattern(parsed: ParsedQuery, node: Node | None) -> NodePattern | None:
    if node is None or node.rule not in _NODE_PATTERNS:
        return None
    return NodePattern(node.start, node.stop, variable_of(parsed, node), labels_of(parsed, node), node)


def _span(node: Node | None) -> Span | None:
    return None if node is None else Span(node.start, node.stop)


def length_of(node: Node) -> LengthRange:
    """Return what a path length or quantifier says."""
    quantifier = node.rule == Rule.QUANTIFIER
    tokens = list(node.tokens())
    between = next((token for token in tokens if token.name in ("DOTDOT", "COMMA")), None)
    minimum, maximum = 0 if quantifier and tokens[0].name != "PLUS" else 1, None
    for token in tokens:
        if token.name == "UNSIGNED_DECIMAL_INTEGER":
            count = number_value(token.text)
            if not isinstance(count, int):
                continue
            if between is None:
                minimum = maximum = count
            elif token.start < between.start:
                minimum = count
            else:
                maximum = count
    return LengthRange(node.start, node.stop, minimum, maximum, quantifier)


@dataclass(frozen=True, slots=True)
class ReturnItem:
    """One item of a RETURN or WITH, alias included, comma not; the alias is None where there is no AS."""

    expression: str
    alias: str | None
    start: int
    stop: int
    node: Node

    @property
    def column(self) -> str:
        """The name of the column it makes: the alias, or else the expression as written."""
        return self.expression if self.alias is None else self.alias


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause, its WHERE, ORDER BY, SKIP and LIMIT included.

    Attributes:
        kind: Its keyword in capitals: ``MATCH``, ``OPTIONAL MATCH``, ``WITH``, ``RETURN``, ``UNWIND``,
            ``CALL`` (a procedure or a subquery), ``CREATE``, ``LOAD CSV`` and so on.
        depth: 0 for the query itself, 1 within a subquery, and so on.
        items: The items of a RETURN or WITH, without ``*``.
    """

    kind: str
    start: int
    stop: int
    depth: int
    items: tuple[ReturnItem, ...]
    node: Node


def clauses(parsed: ParsedQuery) -> list[Clause]:
    """Return the clauses of a query in the order of the text, those of subqueries included."""
    return [_clause(parsed, node) for node in parsed.root.find_all(Rule.CLAUSE)]


def writing_clauses(parsed: ParsedQuery) -> list[Clause]:
    """Return the clauses that write to the graph, in the order of the text."""
    # Most queries have no such word at all.
    if not any(token.name in WRITING for token in parsed.tokens):
        return []
    return [clause for clause in clauses(parsed) if clause.kind.split(" ")[-1] in WRITING]


def without_item(clause: Clause, index: int) -> Edit:
    """Return the edit that takes an item and its comma out; raise ValueError if there is no other."""
    items = clause.items
    if not 0 <= index < len(items) or len(items) < 2:
        raise ValueError(f"item {index} cannot be taken out of a {clause.kind} with {len(items)} items")
    if index + 1 < len(items):
        return Edit(items[index].start, items[index + 1].start, "")
    return Edit(items[index - 1].stop, items[index].stop, "")


def _clause(parsed: ParsedQuery, node: Node) -> Clause:
    words = [token.name for token, _ in zip(node.tokens(), range(2), strict=False)]
    body = next((found for child in node.nodes() for found in child.nodes(Rule.RETURN_BODY)), None)
    listed = body.node(Rule.RETURN_ITEMS) if body else None
    return Clause(
        kind=" ".join(words[: _LEADING.get(words[0], 1)]),
        start=node.start,
        stop=node.stop,
        depth=sum(ancestor.rule == Rule.CLAUSE for ancestor in node.ancestors()),
        items=tuple(_item(parsed, item) for item in listed.nodes(Rule.RETURN_ITEM)) if listed else (),
        node=node,
    )


def _item(parsed: ParsedQuery, node: Node) -> ReturnItem:
    expression, alias = node.node(Rule.EXPRESSION), node.node(Rule.VARIABLE)
    return ReturnItem(
        expression="" if expression is None else parsed.source(expression),
        alias=None if alias is None else name_of(parsed, alias),
        start=node.start,
        stop=node.stop,
        node=node,
    )
