"""Errors that let in what does not belong to a component."""

from collections.abc import Sequence

from kg.cypher import Edit, ParsedQuery
from prompts.models.mutations._component_names import component_of
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import (
    calls,
    conjuncts,
    last_return,
    main_clauses,
    text_of,
    where_of,
    without_conjunct,
)

_LUMPED = {"agents": "solvents", "solvents": "agents", "reactants": "agents", "products": "reactants"}


def _target_kept(query: ParsedQuery) -> Sequence[Mutation]:
    found = []
    for clause in main_clauses(query):
        where = where_of(clause)
        for index, condition in enumerate(conjuncts(where) if where else []):
            if where is not None and "<>" in text_of(query, condition):
                found.append(Mutation((without_conjunct(query, where, index),), "co_products"))
    return found


def _components_lumped(query: ParsedQuery) -> Sequence[Mutation]:
    clause = last_return(query)
    if clause is None:
        return []
    by_component = {component_of(query, item): item for item in clause.items}
    found = []
    for component, other in _LUMPED.items():
        one, more = by_component.get(component), by_component.get(other)
        if one and more and all(next(calls(item.node, "collect"), None) for item in (one, more)):
            end = one.start + len(one.expression)
            found.append(Mutation((Edit(end, end, f" + {more.expression}"),), component))
    return found


KEEP_TARGET = Operator(
    "keep_target",
    "leave the target among its own co-products",
    "error",
    "extra_component",
    _target_kept,
)
LUMP_COMPONENTS = Operator(
    "lump_components",
    "return the molecules of two components as one",
    "error",
    "extra_component",
    _components_lumped,
)
