"""Clauses in another order, or with a WITH between them."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml

from retrocypher.kg.cypher.clauses import Clause
from retrocypher.kg.cypher.edits import Edit, string_literals
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import TokenKind
from retrocypher.kg.mutations.operator import (
    PATTERN,
    Mutation,
    Operator,
    calls,
    component_of,
    last_return,
    main_clauses,
    matches,
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


def _reordered(query: ParsedQuery) -> Sequence[Mutation]:
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


def _path(query: ParsedQuery) -> Sequence[Mutation]:
    """The path itself, its nodes, or the ids of its reactions."""
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


def _uncollected(query: ParsedQuery) -> Sequence[Mutation]:
    """A row for each combination of molecules instead of lists of them."""
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


REORDER_ITEMS = Operator("reorder_items", "return the columns in another order", "neutral", None, _reordered)
RETURN_PATH = Operator(
    "return_path", "return the path itself, its nodes or its reactions' ids", "neutral", None, _path
)
UNCOLLECTED = Operator(
    "uncollected",
    "return a row for each combination of molecules",
    "style",
    "duplicate_or_incomplete",
    _uncollected,
)


_COMMENTS = ("// Reactions and what takes part in them\n", "/* generated */ ")


def _double_quotes(query: ParsedQuery) -> Sequence[Mutation]:
    edits = []
    for literal in string_literals(query.text):
        plain = literal.raw[0] == "'" and not any(character in literal.raw[1:-1] for character in "'\"")
        if plain:
            edits += [Edit(literal.start, literal.start + 1, '"'), Edit(literal.stop - 1, literal.stop, '"')]
    return [Mutation(tuple(edits))] if edits else []


def _small_keywords(query: ParsedQuery) -> Sequence[Mutation]:
    names = {node.start for node in query.root.find_all(Rule.VARIABLE, Rule.SYMBOLIC_NAME)}
    edits = tuple(
        Edit(token.start, token.stop, token.text.lower())
        for token in query.tokens
        if token.kind is TokenKind.KEYWORD and token.text.isupper() and token.start not in names
    )
    return [Mutation(edits)] if edits else []


def _one_line(query: ParsedQuery) -> Sequence[Mutation]:
    gaps = zip(query.tokens, query.tokens[1:], strict=False)
    edits = tuple(
        Edit(one.stop, other.start, " ")
        for one, other in gaps
        if (query.text[one.stop : other.start].isspace() and other.start - one.stop > 1)
        or query.text[one.stop : other.start] == "\n"
    )
    return [Mutation(edits)] if edits else []


def _comment(query: ParsedQuery) -> Sequence[Mutation]:
    return [Mutation((Edit(0, 0, text),)) for text in _COMMENTS]


DOUBLE_QUOTES = _operator("double_quotes", "write strings in double quotes", _double_quotes)
SMALL_KEYWORDS = _operator("small_keywords", "write keywords in small letters", _small_keywords)
ONE_LINE = _operator("one_line", "write the query in one line", _one_line)
ADD_COMMENT = _operator("add_comment", "put a comment in front", _comment)
