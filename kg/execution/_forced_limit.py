"""A limit put on the rows that a query asks for."""

from collections.abc import Iterator

from kg.cypher import Clause, Edit, Node, Rule, apply_edits, clauses, number_value, parse


def with_limit(text: str, rows: int) -> str:
    """Return a query that asks for no more than some rows, each part of a UNION for itself.

    A LIMIT is added where there is none and lowered where it is higher. A LIMIT that is an expression stays,
    and so does a text that does not parse: the row cap of the executor is there for both.

    Args:
        text: A query.
        rows: At least 1.

    Raises:
        GraphError: The grammar can't be had.
    """
    parsed = parse(text)
    if parsed.errors:
        return text
    last = (clause for clause in clauses(parsed) if clause.kind == "RETURN" and clause.depth == 0)
    return apply_edits(text, [edit for clause in last for edit in _edits(clause, rows)])


def _edits(clause: Clause, rows: int) -> Iterator[Edit]:
    body = next((found for child in clause.node.nodes() for found in child.nodes(Rule.RETURN_BODY)), None)
    limit = body.node(Rule.LIMIT) if body else None
    if limit is None:
        # On a line of its own: a comment may end the one before.
        yield Edit(clause.stop, clause.stop, f"\nLIMIT {rows}")
    elif _number(limit) > rows:
        expression = limit.nodes()[0]
        yield Edit(expression.start, expression.stop, str(rows))


def _number(limit: Node) -> int:
    """The number that a LIMIT names, 0 where it is not a plain one."""
    tokens = list(limit.tokens())
    value = number_value(tokens[1].text) if len(tokens) == 2 else None
    return value if isinstance(value, int) else 0
