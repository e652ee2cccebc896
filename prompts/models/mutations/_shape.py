"""Errors in what is returned of the right part of the graph."""

from collections.abc import Sequence

from kg.cypher import Edit, ParsedQuery, Rule
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import (
    PATTERN,
    last_return,
    matches,
    names_of,
    scope_before,
)


def _molecules(query: ParsedQuery) -> Sequence[Mutation]:
    """What a list comprehension over a path keeps."""
    return [
        Mutation((Edit(name.start, name.stop, "Molecule"),))
        for comprehension in query.root.find_all("listComprehension")
        for label in comprehension.find_all(Rule.LABEL_EXPRESSION)
        for name in names_of(query, Rule.SYMBOLIC_NAME, label)
        if query.source(name) == "Reaction"
    ]


def _names(query: ParsedQuery) -> Sequence[Mutation]:
    """The names of matched molecules, without the reactions."""
    bound = {
        query.source(variable): "Molecule" in text
        for clause in matches(query)[:1]
        for pattern in clause.node.find_all(Rule.NODE_PATTERN)
        if (variable := pattern.node(Rule.VARIABLE)) and (text := query.source(pattern))
    }
    return _instead(query, [f"DISTINCT {name}.name AS molecule" for name, fits in bound.items() if fits])


def _counts(query: ParsedQuery) -> Sequence[Mutation]:
    clause = last_return(query)
    scope = scope_before(query, clause) if clause else []
    found = [f"count(DISTINCT {name}) AS total" for name in scope[:1]]
    return [*_at_end(query, [*found, "count(*) AS total"])]


def _one_step(query: ParsedQuery) -> Sequence[Mutation]:
    clause = last_return(query)
    path = _path_variable(query)
    if clause is None or path is None or len(clause.items) != 1:
        return []
    lists = f"[step IN nodes({path}) WHERE step:Reaction]"
    return _instead(
        query,
        [f"DISTINCT last({lists}) AS reaction", f"DISTINCT head({lists}) AS reaction"],
    )


def _lengths(query: ParsedQuery) -> Sequence[Mutation]:
    path = _path_variable(query)
    return _instead(query, [f"length({path}) AS steps", f"relationships({path}) AS links"]) if path else []


def _path_variable(query: ParsedQuery) -> str | None:
    for clause in matches(query)[:1]:
        for pattern in clause.node.find_all(PATTERN):
            variable = pattern.node(Rule.VARIABLE)
            if variable:
                return query.source(variable)
    return None


def _instead(query: ParsedQuery, returned: Sequence[str]) -> list[Mutation]:
    """All that follows the first MATCH gives way to another RETURN."""
    clause, first = last_return(query), matches(query)[:1]
    if clause is None or not first:
        return []
    return [Mutation((Edit(first[0].stop, clause.stop, f"\nRETURN {text}"),)) for text in returned]


def _at_end(query: ParsedQuery, returned: Sequence[str]) -> list[Mutation]:
    clause = last_return(query)
    if clause is None:
        return []
    return [Mutation((Edit(clause.start, clause.stop, f"RETURN {text}"),)) for text in returned]


MOLECULES_FOR_REACTIONS = Operator(
    "molecules_for_reactions",
    "take the molecules of a path for its reactions",
    "error",
    "return_shape",
    _molecules,
)
NAMES_FOR_REACTIONS = Operator(
    "names_for_reactions",
    "return a molecule's name instead of the reactions",
    "error",
    "return_shape",
    _names,
)
COUNT_FOR_ROWS = Operator(
    "count_for_rows", "return how many there are instead of which", "error", "return_shape", _counts
)
ONE_STEP_OF_ROUTE = Operator(
    "one_step_of_route", "return one reaction of each route only", "error", "return_shape", _one_step
)
LENGTH_FOR_ROUTE = Operator(
    "length_for_route",
    "return a path's length or relationships instead of its reactions",
    "error",
    "return_shape",
    _lengths,
)
