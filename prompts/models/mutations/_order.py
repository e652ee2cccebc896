"""Errors in order and aggregation."""

from collections.abc import Sequence

from kg.cypher import Edit, Node, ParsedQuery
from prompts.models.mutations._component_names import is_id
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import (
    CALL_NAME,
    calls,
    conjuncts,
    end_before,
    last_return,
    main_clauses,
    where_of,
    without_conjunct,
)

_DESCENDING = "descToken"


def _ascending(query: ParsedQuery) -> Sequence[Mutation]:
    found = []
    for clause in main_clauses(query):
        for item in clause.node.find_all(_DESCENDING):
            start = end_before(query, item.start)
            found += [Mutation((Edit(start, item.stop, text),)) for text in ("", " ASC")]
    return found


def _unordered(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((Edit(end_before(query, order.start), order.stop, ""),))
        for clause in main_clauses(query)
        for order in clause.node.find_all("orderBy")
    ]


def _unchecked(query: ParsedQuery) -> Sequence[Mutation]:
    found = []
    for clause in main_clauses(query):
        where = where_of(clause)
        for index, condition in enumerate(conjuncts(where) if where else []):
            names = [token.name for token in condition.tokens()]
            if where and names[-3:] == ["IS", "NOT", "NULL"]:
                found.append(Mutation((without_conjunct(query, where, index),)))
    return found


def _counted(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((Edit(name.start, name.stop, "count"),))
        for item in _returned(query)
        for call in calls(item, "collect")
        if (name := call.node(CALL_NAME))
    ]


def _first_only(query: ParsedQuery) -> Sequence[Mutation]:
    found = []
    for item in _returned(query):
        for call in calls(item, "collect"):
            wrapped = (Edit(call.start, call.start, "head("), Edit(call.stop, call.stop, ")"))
            found += [Mutation(wrapped), Mutation((Edit(call.stop, call.stop, "[0]"),))]
    return found


def _one_group(query: ParsedQuery) -> Sequence[Mutation]:
    """Without the ids as they are, nothing keeps the reactions' rows apart."""
    clause = last_return(query)
    items = [item for item in clause.items if is_id(item)] if clause else []
    collected = any(True for item in _returned(query) for _ in calls(item, "collect"))
    return [
        Mutation(
            (
                Edit(item.start, item.start, "collect("),
                Edit(item.start + len(item.expression), item.start + len(item.expression), ")"),
            )
        )
        for item in items
        if collected
    ]


def _reversed_routes(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((Edit(call.start, call.start, "reverse("), Edit(call.stop, call.stop, ")")))
        for call in calls(query.root, "nodes")
    ]


def _returned(query: ParsedQuery) -> list[Node]:
    clause = last_return(query)
    return [item.node for item in clause.items] if clause else []


_LABEL = "wrong_aggregation_or_order"

SORT_ASCENDING = Operator("sort_ascending", "sort the lowest value first", "error", _LABEL, _ascending)
DROP_ORDER = Operator("drop_order", "do not sort", "error", _LABEL, _unordered)
DROP_NULL_CHECK = Operator(
    "drop_null_check",
    "let missing values take part in the order, in which they come first",
    "error",
    "missing_null_check",
    _unchecked,
)
COUNT_FOR_COLLECT = Operator(
    "count_for_collect", "count molecules instead of naming them", "error", _LABEL, _counted
)
FIRST_ONLY = Operator("first_only", "return the first molecule of a list only", "error", _LABEL, _first_only)
ONE_GROUP = Operator(
    "one_group", "collect the ids too, so that all reactions make one row", "error", _LABEL, _one_group
)
REVERSE_ROUTES = Operator(
    "reverse_routes",
    "return the steps of a route from its end to its start",
    "error",
    _LABEL,
    _reversed_routes,
)
