"""Errors of completeness: something asked for is not returned."""

from collections.abc import Sequence

from kg.cypher import Clause, Edit, ParsedQuery, without_item
from prompts.models.mutations._component_names import component_of, is_id
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import last_return, matches, variables_in, without_clause


def _one_returned_item(query: ParsedQuery) -> Sequence[Mutation]:
    clause = last_return(query)
    if clause is None or len(clause.items) < 2:
        return []
    return [
        Mutation((without_item(clause, place),), component_of(query, item))
        for place, item in enumerate(clause.items)
        if not is_id(item)
    ]


def _one_match(query: ParsedQuery) -> Sequence[Mutation]:
    """The OPTIONAL MATCH of a component goes with the items that it is for."""
    clause = last_return(query)
    if clause is None:
        return []
    optional = [each for each in matches(query) if each.kind == "OPTIONAL MATCH"]
    found = []
    for each in optional:
        others = [other for other in matches(query) if other.start != each.start]
        own = variables_in(query, each.node).difference(*(variables_in(query, o.node) for o in others))
        places = [n for n, item in enumerate(clause.items) if variables_in(query, item.node) & own]
        if len(places) == 1 and len(clause.items) > 1:
            edits = (without_clause(query, each), without_item(clause, places[0]))
            found.append(Mutation(edits, component_of(query, clause.items[places[0]])))
    return found


def _all_but_one(query: ParsedQuery) -> Sequence[Mutation]:
    clause = last_return(query)
    if clause is None:
        return []
    kept = [item for item in clause.items if is_id(item)]
    others = [item for item in clause.items if not is_id(item)]
    if len(others) < 3:
        return []
    span = clause.items[0].start, clause.items[-1].stop
    written = [[*kept, item] for item in others]
    return [
        Mutation((Edit(*span, ", ".join(query.text[item.start : item.stop] for item in items)),))
        for items in written
    ]


def _no_id(query: ParsedQuery) -> Sequence[Mutation]:
    clause = last_return(query)
    if clause is None or len(clause.items) < 2:
        return []
    places = [place for place, item in enumerate(clause.items) if is_id(item)]
    return [Mutation((without_item(clause, place),), "id") for place in places if _aggregates(clause)]


def _aggregates(clause: Clause) -> bool:
    """Rows of several reactions run together only where what is left is aggregated."""
    return any("collect" in item.expression.lower() for item in clause.items)


DROP_COMPONENT = Operator(
    "drop_component",
    "return one component of the reactions less, such as the agents",
    "error",
    "missing_component",
    _one_returned_item,
)
DROP_COMPONENT_MATCH = Operator(
    "drop_component_match",
    "neither match nor return one component of the reactions",
    "error",
    "missing_component",
    _one_match,
)
ONLY_ONE_COMPONENT = Operator(
    "only_one_component",
    "return one component of the reactions only, without their context",
    "error",
    "missing_component",
    _all_but_one,
)
DROP_ID = Operator(
    "drop_id",
    "leave out the reactions' ids, so that their molecules run together",
    "error",
    "missing_component",
    _no_id,
)
