"""Errors of completeness: something asked for is not returned."""

from collections.abc import Sequence

from kg.cypher import ParsedQuery, ReturnItem, clauses, without_item
from prompts.models.mutations._operator import Mutation, Operator


def _one_returned_item(query: ParsedQuery) -> Sequence[Mutation]:
    returns = [each for each in clauses(query) if each.kind == "RETURN" and each.depth == 0]
    return [
        (without_item(clause, place),)
        for clause in returns
        if len(clause.items) > 1
        for place, item in enumerate(clause.items)
        if not _tells_reactions_apart(item)
    ]


def _tells_reactions_apart(item: ReturnItem) -> bool:
    """The id is what rows are grouped by and is not scored: without it another error would be made."""
    return item.column == "id" or item.expression.endswith(".id")


DROP_COMPONENT = Operator(
    "drop_component", "return one component of the reactions less, such as the agents", _one_returned_item
)
