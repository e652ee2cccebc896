"""Errors in how patterns are joined, and what they do to the number of rows."""

from collections.abc import Sequence

from retrocypher.kg.cypher.clauses import relationship_patterns
from retrocypher.kg.cypher.edits import Edit
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import Node
from retrocypher.kg.mutations.operator import (
    CALL_NAME,
    Mutation,
    Operator,
    anchors,
    body,
    calls,
    conjuncts,
    end_before,
    is_id,
    last_return,
    main_clauses,
    matches,
    variables_in,
    where_of,
    without_conjunct,
)


def _one_required(query: ParsedQuery) -> Sequence[Mutation]:
    return [Mutation((edit,)) for edit in _not_optional(query)]


def _all_required(query: ParsedQuery) -> Sequence[Mutation]:
    edits = _not_optional(query)
    return [Mutation(tuple(edits))] if len(edits) > 1 else []


def _not_optional(query: ParsedQuery) -> list[Edit]:
    optional = [each for each in matches(query) if each.kind == "OPTIONAL MATCH"]
    return [Edit(each.start, each.start + len("OPTIONAL "), "") for each in optional]


def _other_reaction(query: ParsedQuery) -> Sequence[Mutation]:
    """A slip in the name of the reaction's variable joins a component with all reactions there are."""
    found = []
    for clause in matches(query)[1:]:
        for pattern in relationship_patterns(query):
            inside = clause.start <= pattern.start < clause.stop
            for end in (pattern.left, pattern.right):
                if not inside or end is None or end.variable is None or end.labels:
                    continue
                if end.variable in variables_in(query, matches(query)[0].node):
                    name = end.node.node(Rule.VARIABLE)
                    if name and end.variable not in _anchored(query):
                        slip = f"{end.variable[0]}x:Reaction"
                        found.append(Mutation((Edit(name.start, name.stop, slip),)))
    return found


def _anchor_apart(query: ParsedQuery) -> Sequence[Mutation]:
    """The molecule is looked up, but by a pattern that nothing joins with the path."""
    found = []
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
            found.append(Mutation(edits))
    return found


def _anchored(query: ParsedQuery) -> set[str | None]:
    return {anchor.variable for anchor in anchors(query)}


def _no_distinct(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((Edit(token.start, following.start, ""),))
        for token, following in zip(query.tokens, query.tokens[1:], strict=False)
        if token.name == "DISTINCT"
    ]


def _matched_too(query: ParsedQuery) -> Sequence[Mutation]:
    """Another MATCH, which loses the reactions that it does not fit, or multiplies rows past any cap."""
    clause, returned = matches(query)[0] if matches(query) else None, last_return(query)
    if clause is None or returned is None:
        return []
    reactions = [
        end.variable
        for pattern in relationship_patterns(query)
        for end in (pattern.left, pattern.right)
        if end and end.variable and "Reaction" in end.labels and end.start < clause.stop
    ]
    found = []
    if reactions and returned.start > clause.stop:
        for text in ("-[:USES_AGENT]->(catalyst:Molecule)", "-[:USES_SOLVENT]->(medium:Molecule)"):
            found.append(Mutation((Edit(clause.stop, clause.stop, f"\nMATCH ({reactions[0]}){text}"),)))
    patterns, distinct = body(clause).node("patternList"), body(returned).find("returnBody")
    word = distinct.token("DISTINCT") if distinct else None
    if patterns and word and not any("(" in item.expression for item in returned.items):
        edits = (
            Edit(patterns.stop, patterns.stop, ", (other:Molecule)"),
            Edit(word.start, word.stop + 1, ""),
        )
        found.append(Mutation(edits))
    return found


REQUIRE_MATCH = Operator(
    "require_match",
    "require one component, so that reactions without it are lost",
    "error",
    "duplicate_or_incomplete",
    _one_required,
)
REQUIRE_ALL = Operator(
    "require_all",
    "require all components, so that reactions without one of them are lost",
    "error",
    "duplicate_or_incomplete",
    _all_required,
)
OTHER_REACTION = Operator(
    "other_reaction",
    "take a component from all reactions there are, by a slip in a variable's name",
    "error",
    "duplicate_or_incomplete",
    _other_reaction,
)
ANCHOR_APART = Operator(
    "anchor_apart",
    "look the molecule up in a pattern that nothing joins with the rest",
    "error",
    "duplicate_or_incomplete",
    _anchor_apart,
)
DROP_DISTINCT = Operator(
    "drop_distinct", "leave out a DISTINCT", "style", "duplicate_or_incomplete", _no_distinct
)
EXTRA_MATCH = Operator(
    "extra_match",
    "match something more, by which rows are lost or multiplied",
    "error",
    "duplicate_or_incomplete",
    _matched_too,
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
