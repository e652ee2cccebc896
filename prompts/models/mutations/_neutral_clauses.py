"""Clauses in another order, or with a WITH between them."""

import itertools
from collections.abc import Sequence

from kg.cypher import Clause, Edit, ParsedQuery
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import (
    calls,
    last_return,
    main_clauses,
    scope_before,
    text_of,
    variables_in,
)


def _swapped(query: ParsedQuery) -> Sequence[Mutation]:
    found = main_clauses(query)
    pairs = itertools.pairwise(found)
    return [
        Mutation(
            (
                Edit(one.start, one.stop, text_of(query, other)),
                Edit(other.start, other.stop, text_of(query, one)),
            )
        )
        for one, other in pairs
        if one.kind == other.kind == "OPTIONAL MATCH" and _independent(query, one, other)
    ]


def _independent(query: ParsedQuery, one: Clause, other: Clause) -> bool:
    shared = variables_in(query, one.node) & variables_in(query, other.node)
    return shared <= set(scope_before(query, one))


def _with_all(query: ParsedQuery) -> Sequence[Mutation]:
    found = main_clauses(query)
    return [
        Mutation((Edit(clause.start, clause.start, "WITH *\n"),))
        for clause in found[1:]
        if clause.kind in ("RETURN", "OPTIONAL MATCH")
    ]


def _with_names(query: ParsedQuery) -> Sequence[Mutation]:
    found = []
    for clause in main_clauses(query)[1:]:
        scope = scope_before(query, clause)
        used = [name for name in scope if any(name in _uses(query, later) for later in _from(query, clause))]
        if used and clause.kind in ("RETURN", "OPTIONAL MATCH"):
            found.append(Mutation((Edit(clause.start, clause.start, f"WITH {', '.join(used)}\n"),)))
    return found


def _collected_early(query: ParsedQuery) -> Sequence[Mutation]:
    """Each component is collected as soon as it is matched."""
    clause = last_return(query)
    optional = [each for each in main_clauses(query) if each.kind == "OPTIONAL MATCH"]
    if clause is None or not optional or clause.node.find("orderBy", "limit"):
        return []
    if any(each.kind == "WITH" for each in _from(query, optional[0])):
        return []
    collected: dict[str, str] = {}
    edits = []
    for each in optional:
        before = set(scope_before(query, each))
        own = variables_in(query, each.node) - before
        for item in clause.items:
            is_own = variables_in(query, item.node) & own and item.alias
            if is_own and any(True for _ in calls(item.node, "collect")):
                later = _from(query, each)[1:]
                kept = [
                    name
                    for name in scope_before(query, optional[0])
                    if any(name in _uses(query, other) for other in later)
                ]
                carried = [*kept, *collected, text_of(query, item)]
                collected[item.column] = item.column
                edits.append(Edit(each.stop, each.stop, f"\nWITH {', '.join(carried)}"))
                edits.append(Edit(item.start, item.stop, item.column))
    return [Mutation(tuple(edits))] if len(collected) == len(optional) else []


def _uses(query: ParsedQuery, clause: Clause) -> set[str]:
    return variables_in(query, clause.node)


def _from(query: ParsedQuery, clause: Clause) -> list[Clause]:
    return [each for each in main_clauses(query) if each.start >= clause.start]


SWAP_CLAUSES = Operator(
    "swap_clauses", "swap two clauses that do not depend on each other", "neutral", None, _swapped
)
WITH_ALL = Operator("with_all", "put WITH * between two clauses", "neutral", None, _with_all)
WITH_NAMES = Operator(
    "with_names", "put a WITH of the variables needed between two clauses", "neutral", None, _with_names
)
COLLECT_EARLY = Operator(
    "collect_early", "collect each component in a WITH of its own", "neutral", None, _collected_early
)
