"""Errors that lose, add or multiply rows and columns, or put them in another order."""

from collections.abc import Iterator, Sequence

from retrocypher.kg.cypher.clauses import relationship_patterns, without_item
from retrocypher.kg.cypher.edits import Edit
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import Node
from retrocypher.kg.mutations.operator import (
    CALL_NAME,
    Mutation,
    anchors,
    body,
    calls,
    component_of,
    conditions,
    end_before,
    error,
    inserted,
    is_id,
    last_return,
    main_clauses,
    matches,
    replaced,
    style,
    text_of,
    variables_in,
    without_clause,
    without_conjunct,
)

_LUMPED = {"agents": "solvents", "solvents": "agents", "reactants": "agents", "products": "reactants"}

_DESCENDING = "descToken"


@error("missing_component")
def drop_component(query: ParsedQuery) -> Sequence[Mutation]:
    """Return one component of the reactions less, such as the agents."""
    clause = last_return(query)
    if clause is None or len(clause.items) < 2:
        return []
    return [
        Mutation((without_item(clause, place),), component_of(query, item))
        for place, item in enumerate(clause.items)
        if not is_id(item)
    ]


@error("missing_component")
def drop_component_match(query: ParsedQuery) -> Sequence[Mutation]:
    """Neither match nor return one component of the reactions."""
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


@error("missing_component")
def only_one_component(query: ParsedQuery) -> Sequence[Mutation]:
    """Return one component of the reactions only, without their context."""
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


@error("missing_component")
def drop_id(query: ParsedQuery) -> Sequence[Mutation]:
    """Leave out the reactions' ids, so that their molecules run together."""
    clause = last_return(query)
    if clause is None or len(clause.items) < 2:
        return []
    # Rows of several reactions run together only where what is left is aggregated.
    if not any("collect" in item.expression.lower() for item in clause.items):
        return []
    places = [place for place, item in enumerate(clause.items) if is_id(item)]
    return [Mutation((without_item(clause, place),), "id") for place in places]


@error("extra_component")
def keep_target(query: ParsedQuery) -> Iterator[Mutation]:
    """Leave the target among its own co-products."""
    for where, index, condition in conditions(query):
        if "<>" in text_of(query, condition):
            yield Mutation((without_conjunct(query, where, index),), "co_products")


@error("extra_component")
def lump_components(query: ParsedQuery) -> Iterator[Mutation]:
    """Return the molecules of two components as one."""
    clause = last_return(query)
    if clause is None:
        return
    by_component = {component_of(query, item): item for item in clause.items}
    for component, other in _LUMPED.items():
        one, more = by_component.get(component), by_component.get(other)
        if one and more and all(next(calls(item.node, "collect"), None) for item in (one, more)):
            end = one.start + len(one.expression)
            yield Mutation((Edit(end, end, f" + {more.expression}"),), component)


@error("duplicate_or_incomplete")
def require_match(query: ParsedQuery) -> Sequence[Mutation]:
    """Require one component, so that reactions without it are lost."""
    return [Mutation((edit,)) for edit in _not_optional(query)]


@error("duplicate_or_incomplete")
def require_all(query: ParsedQuery) -> Sequence[Mutation]:
    """Require all components, so that reactions without one of them are lost."""
    edits = _not_optional(query)
    return [Mutation(tuple(edits))] if len(edits) > 1 else []


def _not_optional(query: ParsedQuery) -> list[Edit]:
    optional = [each for each in matches(query) if each.kind == "OPTIONAL MATCH"]
    return [Edit(each.start, each.start + len("OPTIONAL "), "") for each in optional]


@error("duplicate_or_incomplete")
def other_reaction(query: ParsedQuery) -> Iterator[Mutation]:
    """Take a component from all reactions there are, by a slip in a variable's name."""
    found = matches(query)
    if not found:
        return
    slips = variables_in(query, found[0].node) - {anchor.variable for anchor in anchors(query)}
    for clause in found[1:]:
        for pattern in relationship_patterns(query):
            inside = clause.start <= pattern.start < clause.stop
            for end in (pattern.left, pattern.right):
                if inside and end and end.variable in slips and not end.labels:
                    name = end.node.node(Rule.VARIABLE)
                    yield from [replaced(name, f"{end.variable[0]}x:Reaction")] if name else []


@error("duplicate_or_incomplete")
def anchor_apart(query: ParsedQuery) -> Iterator[Mutation]:
    """Look the molecule up in a pattern that nothing joins with the rest."""
    for anchor in anchors(query):
        properties = anchor.pattern.node(Rule.PROPERTIES) if anchor.pattern else None
        clause = anchor.pattern.within(Rule.MATCH_CLAUSE) if anchor.pattern else None
        patterns = clause.node("patternList") if clause else None
        if properties and patterns:
            apart = f", (named:Molecule {query.source(properties)})"
            start = end_before(query, properties.start)
            edits = (
                Edit(start, properties.stop, ""),
                Edit(patterns.stop, patterns.stop, apart),
            )
            yield Mutation(edits)


@style("duplicate_or_incomplete")
def drop_distinct(query: ParsedQuery) -> Sequence[Mutation]:
    """Leave out a DISTINCT."""
    return [
        Mutation((Edit(token.start, following.start, ""),))
        for token, following in zip(query.tokens, query.tokens[1:], strict=False)
        if token.name == "DISTINCT"
    ]


@error("duplicate_or_incomplete")
def extra_match(query: ParsedQuery) -> Iterator[Mutation]:
    """Match something more, by which rows are lost or multiplied."""
    clause, returned = matches(query)[0] if matches(query) else None, last_return(query)
    if clause is None or returned is None:
        return
    reactions = [
        end.variable
        for pattern in relationship_patterns(query)
        for end in (pattern.left, pattern.right)
        if end and end.variable and "Reaction" in end.labels and end.start < clause.stop
    ]
    if reactions and returned.start > clause.stop:
        for text in ("-[:USES_AGENT]->(catalyst:Molecule)", "-[:USES_SOLVENT]->(medium:Molecule)"):
            yield inserted(clause.stop, f"\nMATCH ({reactions[0]}){text}")
    patterns, distinct = body(clause).node("patternList"), body(returned).find("returnBody")
    word = distinct.token("DISTINCT") if distinct else None
    if patterns and word and not any("(" in item.expression for item in returned.items):
        edits = (
            Edit(patterns.stop, patterns.stop, ", (other:Molecule)"),
            Edit(word.start, word.stop + 1, ""),
        )
        yield Mutation(edits)


@error("wrong_aggregation_or_order")
def sort_ascending(query: ParsedQuery) -> Iterator[Mutation]:
    """Sort the lowest value first."""
    for clause in main_clauses(query):
        for item in clause.node.find_all(_DESCENDING):
            start = end_before(query, item.start)
            yield from [Mutation((Edit(start, item.stop, text),)) for text in ("", " ASC")]


@error("wrong_aggregation_or_order")
def drop_order(query: ParsedQuery) -> Sequence[Mutation]:
    """Do not sort."""
    return [
        Mutation((Edit(end_before(query, order.start), order.stop, ""),))
        for clause in main_clauses(query)
        for order in clause.node.find_all("orderBy")
    ]


@error("missing_null_check")
def drop_null_check(query: ParsedQuery) -> Iterator[Mutation]:
    """Let missing values take part in the order, in which they come first."""
    for where, index, condition in conditions(query):
        if [token.name for token in condition.tokens()][-3:] == ["IS", "NOT", "NULL"]:
            yield Mutation((without_conjunct(query, where, index),))


@error("return_shape")
def count_for_collect(query: ParsedQuery) -> Sequence[Mutation]:
    """Count molecules instead of naming them."""
    return [
        replaced(name, "count")
        for item in _returned(query)
        for call in calls(item, "collect")
        if (name := call.node(CALL_NAME))
    ]


@error("missing_component")
def first_only(query: ParsedQuery) -> Iterator[Mutation]:
    """Return the first molecule of a list only."""
    clause = last_return(query)
    for item in clause.items if clause else ():
        for call in calls(item.node, "collect"):
            wrapped = (Edit(call.start, call.start, "head("), Edit(call.stop, call.stop, ")"))
            for edits in (wrapped, (Edit(call.stop, call.stop, "[0]"),)):
                yield Mutation(edits, component_of(query, item))


@error("wrong_aggregation_or_order")
def one_group(query: ParsedQuery) -> Sequence[Mutation]:
    """Collect the ids too, so that all reactions make one row."""
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


@error("wrong_aggregation_or_order")
def reverse_routes(query: ParsedQuery) -> Sequence[Mutation]:
    """Return the steps of a route from its end to its start."""
    return [
        Mutation((Edit(call.start, call.start, "reverse("), Edit(call.stop, call.stop, ")")))
        for call in calls(query.root, "nodes")
    ]


def _returned(query: ParsedQuery) -> list[Node]:
    clause = last_return(query)
    return [item.node for item in clause.items] if clause else []
