"""Other names for the same things."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml

from kg.cypher import Edit, ParsedQuery, Rule
from prompts.models.mutations._component_names import component_of
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import PATTERN, last_return

_HOLDERS = (PATTERN, Rule.NODE_PATTERN, Rule.RELATIONSHIP_PATTERN, "listComprehension")


@cache
def _columns() -> Mapping[str, Sequence[str]]:
    text = Path(__file__).with_name("columns.yaml").read_text(encoding="utf-8")
    names: Mapping[str, Sequence[str]] = yaml.safe_load(text)
    return names


def _variables(query: ParsedQuery) -> Sequence[Mutation]:
    bound = dict.fromkeys(
        query.source(variable)
        for holder in query.root.find_all(*_HOLDERS)
        if (variable := holder.node(Rule.VARIABLE))
    )
    taken = {token.text for token in query.tokens}
    found = []
    for rename in (_initials, _numbered, _longer):
        names = rename(list(bound))
        if taken.isdisjoint(names.values()) and len(set(names.values())) == len(names):
            found.append(Mutation(_renamed(query, names)))
    return [each for each in found if each.edits]


def _initials(names: Sequence[str]) -> dict[str, str]:
    short: dict[str, str] = {}
    for name in names:
        first = name[0].lower()
        count = sum(each.rstrip("0123456789") == first for each in short.values())
        short[name] = f"{first}{count + 1}"
    return short


def _numbered(names: Sequence[str]) -> dict[str, str]:
    return {name: f"n{place}" for place, name in enumerate(names)}


def _longer(names: Sequence[str]) -> dict[str, str]:
    return {name: f"the{name[0].upper()}{name[1:]}" for name in names}


def _renamed(query: ParsedQuery, names: Mapping[str, str]) -> tuple[Edit, ...]:
    """Names after AS stay where they name a column of the result."""
    clause = last_return(query)
    columns = {
        alias.start for item in (clause.items if clause else ()) if (alias := item.node.node(Rule.VARIABLE))
    }
    return tuple(
        Edit(variable.start, variable.stop, names[query.source(variable)])
        for variable in query.root.find_all(Rule.VARIABLE)
        if variable.start not in columns and query.source(variable) in names
    )


def _column_names(query: ParsedQuery) -> Sequence[Mutation]:
    clause = last_return(query)
    if clause is None:
        return []
    found = []
    for place in range(3):
        edits = []
        for item in clause.items:
            others = _columns().get(component_of(query, item), ())
            alias = item.node.node(Rule.VARIABLE)
            if place >= len(others):
                continue
            if alias:
                edits.append(Edit(alias.start, alias.stop, others[place]))
            else:
                edits.append(Edit(item.stop, item.stop, f" AS {others[place]}"))
        if edits:
            found.append(Mutation(tuple(edits)))
    return found


def _operator(name: str, summary: str, mutations: Callable[[ParsedQuery], Sequence[Mutation]]) -> Operator:
    return Operator(name, summary, "neutral", None, mutations)


RENAME_VARIABLES = _operator("rename_variables", "call the variables by other names", _variables)
RENAME_COLUMNS = _operator("rename_columns", "call the columns by other names", _column_names)
