"""The clauses of a query and the columns that it returns."""

from dataclasses import dataclass

from kg.cypher._edits import Edit
from kg.cypher._names import name_of
from kg.cypher._parse import ParsedQuery
from kg.cypher._rules import Rule
from kg.cypher._tree import Node

WRITING = frozenset({"CREATE", "INSERT", "MERGE", "SET", "DELETE", "REMOVE", "FOREACH"})
"""Words that a clause that writes begins with, or ends with where it has two."""


@dataclass(frozen=True, slots=True)
class ReturnItem:
    """One item of a RETURN or WITH.

    Attributes:
        expression: The text of its expression as written.
        alias: The name after AS, without backticks; None where there is none.
        start: Offset of its first character.
        stop: Offset after its last character, alias included, comma not.
        node: The node of the tree.
    """

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
    """One clause.

    Attributes:
        kind: Its keyword in capitals: ``MATCH``, ``OPTIONAL MATCH``, ``WITH``, ``RETURN``, ``UNWIND``,
            ``CALL`` (a procedure or a subquery), ``CREATE``, ``LOAD CSV`` and so on.
        start: Offset of its first character.
        stop: Offset after its last character, its WHERE, ORDER BY, SKIP and LIMIT included.
        depth: 0 for the query itself, 1 within a subquery, and so on.
        items: The items of a RETURN or WITH, without ``*``.
        node: The node of the tree.
    """

    kind: str
    start: int
    stop: int
    depth: int
    items: tuple[ReturnItem, ...]
    node: Node


_LEADING = {"OPTIONAL": 2, "DETACH": 2, "NODETACH": 2, "LOAD": 2, "ORDER": 2}
"""Keywords that say what a clause is only together with the next one."""


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
    """Return the edit that takes an item out of a RETURN or WITH, with its comma.

    Args:
        clause: A clause with at least two items.
        index: Place of the item in ``clause.items``.

    Raises:
        ValueError: There is no such item, or no other.
    """
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
