"""Other ways to return the same."""

from collections.abc import Sequence

from kg.cypher import Edit, ParsedQuery, Rule
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import calls, last_return, matches, text_of


def _reordered(query: ParsedQuery) -> Sequence[Mutation]:
    clause = last_return(query)
    if clause is None or len(clause.items) < 2:
        return []
    items = list(clause.items)
    orders = (items[::-1], items[1:] + items[:1])
    return [
        Mutation(
            tuple(
                Edit(place.start, place.stop, text_of(query, item))
                for place, item in zip(items, order, strict=True)
            )
        )
        for order in orders
    ]


def _path(query: ParsedQuery) -> Sequence[Mutation]:
    """The path itself, its nodes, or the ids of its reactions."""
    clause, first = last_return(query), matches(query)[:1]
    path = next((call.find(Rule.VARIABLE) for call in calls(query.root, "nodes")), None)
    if clause is None or path is None or not first or clause.node.find("limit"):
        return []
    name = query.source(path)
    returned = (
        f"DISTINCT {name}",
        f"nodes({name}) AS route",
        f"DISTINCT [n IN nodes({name}) WHERE n:Reaction | n.id] AS reaction_ids",
        f"[n IN nodes({name}) WHERE 'Reaction' IN labels(n)] AS reactions",
    )
    return [Mutation((Edit(first[0].stop, clause.stop, f"\nRETURN {text}"),)) for text in returned]


def _uncollected(query: ParsedQuery) -> Sequence[Mutation]:
    """A row for each combination of molecules instead of lists of them."""
    clause = last_return(query)
    if clause is None:
        return []
    edits = []
    for item in clause.items:
        call = next(calls(item.node, "collect"), None)
        argument = call.node("functionArgument") if call else None
        if call and argument and text_of(query, call) == item.expression:
            edits.append(Edit(call.start, call.stop, query.source(argument)))
    return [Mutation(tuple(edits))] if edits else []


REORDER_ITEMS = Operator("reorder_items", "return the columns in another order", "neutral", None, _reordered)
RETURN_PATH = Operator(
    "return_path", "return the path itself, its nodes or its reactions' ids", "neutral", None, _path
)
UNCOLLECTED = Operator(
    "uncollected",
    "return a row for each combination of molecules",
    "style",
    "duplicate_or_incomplete",
    _uncollected,
)
