"""Errors of completeness: something asked for is not returned."""

from collections.abc import Iterator, Sequence

from retrocypher.kg.cypher.clauses import Clause, without_item
from retrocypher.kg.cypher.edits import Edit
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import Node, Token
from retrocypher.kg.mutations.operator import (
    PATTERN,
    Mutation,
    Operator,
    anchors,
    calls,
    component_of,
    conjuncts,
    end_before,
    is_id,
    last_return,
    main_clauses,
    matches,
    names_of,
    scope_before,
    text_of,
    variables_in,
    where_of,
    without_clause,
    without_conjunct,
)


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


def _count_unchecked(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((without_conjunct(query, where, index),)) for where, index, _ in _count_conditions(query)
    ]


def _at_least_one(query: ParsedQuery) -> Sequence[Mutation]:
    found = []
    for where, index, equals in _count_conditions(query):
        condition = conjuncts(where)[index]
        found += [Mutation((Edit(equals.start, condition.stop, text),)) for text in (">= 1", "> 0") if equals]
    return found


def _or_for_and(query: ParsedQuery) -> Sequence[Mutation]:
    found = []
    for clause in main_clauses(query):
        where = where_of(clause)
        conditions = conjuncts(where) if where else []
        named = [part for part in conditions if any(_within(each.literal, part) for each in anchors(query))]
        if where is None or len(named) < 2 or len(named) != len(conditions):
            continue
        ands = (
            [token for token in conditions[0].parent.children if isinstance(token, Token)]
            if (conditions[0].parent)
            else []
        )
        edits = tuple(Edit(token.start, token.stop, "OR") for token in ands if token.name == "AND")
        found.append(Mutation(edits))
    return found


def _count_conditions(query: ParsedQuery) -> Iterator[tuple[Node, int, Token]]:
    """Conditions such as ``made = 2`` on what an earlier WITH counted."""
    counted: set[str] = set()
    for clause in main_clauses(query):
        counted |= {item.column for item in clause.items if next(calls(item.node, "count"), None)}
        where = where_of(clause)
        for index, condition in enumerate(conjuncts(where) if where else []):
            tokens = list(condition.tokens())
            if where and len(tokens) == 3 and tokens[0].text in counted and tokens[1].name == "EQ":
                yield where, index, tokens[1]


def _within(part: Node, whole: Node) -> bool:
    return whole.start <= part.start and part.stop <= whole.stop


ANY_OF = Operator(
    "any_of", "do not count how many of the molecules were found", "error", "set_logic", _count_unchecked
)
AT_LEAST_ONE = Operator(
    "at_least_one", "be content with one of the molecules", "error", "set_logic", _at_least_one
)
OR_FOR_AND = Operator("or_for_and", "join conditions by OR instead of AND", "error", "set_logic", _or_for_and)


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
