"""Neutral rewrites of clauses, columns and layout."""

import itertools
from collections.abc import Iterator, Sequence

from retrocypher.kg.cypher.clauses import Clause
from retrocypher.kg.cypher.edits import Edit, string_literals
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import TokenKind
from retrocypher.kg.mutations.operator import (
    Mutation,
    calls,
    inserted,
    last_return,
    main_clauses,
    matches,
    neutral,
    scope_before,
    style,
    text_of,
    variables_in,
)

_COMMENTS = ("// Reactions and what takes part in them\n", "/* generated */ ")


@neutral
def swap_clauses(query: ParsedQuery) -> Sequence[Mutation]:
    """Swap two clauses that do not depend on each other."""
    return [
        Mutation(
            (
                Edit(one.start, one.stop, text_of(query, other)),
                Edit(other.start, other.stop, text_of(query, one)),
            )
        )
        for one, other in itertools.pairwise(main_clauses(query))
        if one.kind == other.kind == "OPTIONAL MATCH" and _independent(query, one, other)
    ]


def _independent(query: ParsedQuery, one: Clause, other: Clause) -> bool:
    shared = variables_in(query, one.node) & variables_in(query, other.node)
    return shared <= set(scope_before(query, one))


@neutral
def with_all(query: ParsedQuery) -> Sequence[Mutation]:
    """Put WITH * between two clauses."""
    return [
        inserted(clause.start, "WITH *\n")
        for clause in main_clauses(query)[1:]
        if clause.kind in ("RETURN", "OPTIONAL MATCH")
    ]


@neutral
def with_names(query: ParsedQuery) -> Iterator[Mutation]:
    """Put a WITH of the variables needed between two clauses."""
    for clause in main_clauses(query)[1:]:
        scope = scope_before(query, clause)
        used = _used(query, scope, _from(query, clause))
        if used and clause.kind in ("RETURN", "OPTIONAL MATCH"):
            yield inserted(clause.start, f"WITH {', '.join(used)}\n")


@neutral
def collect_early(query: ParsedQuery) -> Sequence[Mutation]:
    """Collect each component in a WITH of its own."""
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
                kept = _used(query, scope_before(query, optional[0]), _from(query, each)[1:])
                carried = [*kept, *collected, text_of(query, item)]
                collected[item.column] = item.column
                edits.append(Edit(each.stop, each.stop, f"\nWITH {', '.join(carried)}"))
                edits.append(Edit(item.start, item.stop, item.column))
    return [Mutation(tuple(edits))] if len(collected) == len(optional) else []


def _used(query: ParsedQuery, names: Sequence[str], found: Sequence[Clause]) -> list[str]:
    used = {name for clause in found for name in variables_in(query, clause.node)}
    return [name for name in names if name in used]


def _from(query: ParsedQuery, clause: Clause) -> list[Clause]:
    return [each for each in main_clauses(query) if each.start >= clause.start]


@neutral
def reorder_items(query: ParsedQuery) -> Sequence[Mutation]:
    """Return the columns in another order."""
    clause = last_return(query)
    if clause is None or len(clause.items) < 2:
        return []
    items = list(clause.items)
    orders = (items[::-1], items[1:] + items[:1])
    return [
        Mutation(
            tuple(
                Edit(place.start, place.stop, text_of(query, item))
                for place, item in zip(items, order, strict=True)
            )
        )
        for order in orders
    ]


@neutral
def return_path(query: ParsedQuery) -> Sequence[Mutation]:
    """Return the path itself, its nodes or its reactions' ids."""
    clause, first = last_return(query), matches(query)[:1]
    path = next((call.find(Rule.VARIABLE) for call in calls(query.root, "nodes")), None)
    if clause is None or path is None or not first or clause.node.find("limit"):
        return []
    name = query.source(path)
    returned = (
        f"DISTINCT {name}",
        f"nodes({name}) AS route",
        f"DISTINCT [n IN nodes({name}) WHERE n:Reaction | n.id] AS reaction_ids",
        f"[n IN nodes({name}) WHERE 'Reaction' IN labels(n)] AS reactions",
    )
    return [Mutation((Edit(first[0].stop, clause.stop, f"\nRETURN {text}"),)) for text in returned]


@style("duplicate_or_incomplete")
def uncollected(query: ParsedQuery) -> Sequence[Mutation]:
    """Return a row for each combination of molecules."""
    clause = last_return(query)
    if clause is None:
        return []
    edits = []
    for item in clause.items:
        call = next(calls(item.node, "collect"), None)
        argument = call.node("functionArgument") if call else None
        if call and argument and text_of(query, call) == item.expression:
            edits.append(Edit(call.start, call.stop, query.source(argument)))
    return [Mutation(tuple(edits))] if edits else []


@neutral
def double_quotes(query: ParsedQuery) -> Sequence[Mutation]:
    """Write strings in double quotes."""
    edits = []
    for literal in string_literals(query.text):
        plain = literal.raw[0] == "'" and not any(character in literal.raw[1:-1] for character in "'\"")
        if plain:
            edits += [Edit(literal.start, literal.start + 1, '"'), Edit(literal.stop - 1, literal.stop, '"')]
    return [Mutation(tuple(edits))] if edits else []


@neutral
def small_keywords(query: ParsedQuery) -> Sequence[Mutation]:
    """Write keywords in small letters."""
    names = {node.start for node in query.root.find_all(Rule.VARIABLE, Rule.SYMBOLIC_NAME)}
    edits = tuple(
        Edit(token.start, token.stop, token.text.lower())
        for token in query.tokens
        if token.kind is TokenKind.KEYWORD and token.text.isupper() and token.start not in names
    )
    return [Mutation(edits)] if edits else []


@neutral
def one_line(query: ParsedQuery) -> Sequence[Mutation]:
    """Write the query in one line."""
    gaps = zip(query.tokens, query.tokens[1:], strict=False)
    edits = tuple(
        Edit(one.stop, other.start, " ")
        for one, other in gaps
        if (query.text[one.stop : other.start].isspace() and other.start - one.stop > 1)
        or query.text[one.stop : other.start] == "\n"
    )
    return [Mutation(edits)] if edits else []


@neutral
def add_comment(query: ParsedQuery) -> Sequence[Mutation]:
    """Put a comment in front."""
    return [inserted(0, text) for text in _COMMENTS]
