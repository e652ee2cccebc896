"""Errors in how many rows are kept."""

from collections.abc import Sequence

from kg.cypher import Edit, ParsedQuery
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import end_before, last_return, main_clauses, scope_before

_NUMBER = "numberLiteral"


def _no_limit(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((Edit(end_before(query, limit.start), limit.stop, ""),))
        for clause in main_clauses(query)
        for limit in clause.node.find_all("limit")
    ]


def _limit_at_end(query: ParsedQuery) -> Sequence[Mutation]:
    clause = last_return(query)
    if clause is None or clause.node.find("limit"):
        return []
    return [Mutation((Edit(clause.stop, clause.stop, f"\nLIMIT {rows}"),)) for rows in (1, 2, 5)]


def _limit_early(query: ParsedQuery) -> Sequence[Mutation]:
    """The first match is cut before the rest is joined to it."""
    found = main_clauses(query)
    if len(found) < 2 or found[0].kind != "MATCH" or not found[1].kind.endswith("MATCH"):
        return []
    names = ", ".join(scope_before(query, found[1]))
    return [
        Mutation((Edit(found[0].stop, found[0].stop, f"\nWITH {names}\nLIMIT {rows}"),)) for rows in (1, 2)
    ]


def _other_limit(query: ParsedQuery) -> Sequence[Mutation]:
    found = []
    for clause in main_clauses(query):
        for limit in clause.node.find_all("limit"):
            number = limit.find(_NUMBER)
            if number:
                found += [Mutation((Edit(number.start, number.stop, rows),)) for rows in ("2", "3", "10")]
    return found


def _skipped(query: ParsedQuery) -> Sequence[Mutation]:
    clause = last_return(query)
    limits = [limit for each in main_clauses(query) for limit in each.node.find_all("limit")]
    if limits:
        return [Mutation((Edit(limit.start, limit.start, "SKIP 1\n"),)) for limit in limits]
    return [Mutation((Edit(clause.stop, clause.stop, "\nSKIP 1"),))] if clause else []


DROP_LIMIT = Operator("drop_limit", "leave out a LIMIT", "error", "limit", _no_limit)
ADD_LIMIT = Operator("add_limit", "keep a few rows of the result only", "error", "limit", _limit_at_end)
LIMIT_EARLY = Operator(
    "limit_early", "keep a few rows of the first MATCH only", "error", "limit", _limit_early
)
RAISE_LIMIT = Operator("raise_limit", "keep more rows than asked for", "error", "limit", _other_limit)
SKIP_ROW = Operator("skip_row", "pass over the first row", "error", "limit", _skipped)
