"""Errors in what is returned: limits, set logic and the shape of the result."""

from collections.abc import Iterator, Sequence

from retrocypher.kg.cypher.edits import Edit
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import Node, Token
from retrocypher.kg.mutations.operator import (
    PATTERN,
    Mutation,
    anchors,
    calls,
    conjuncts,
    end_before,
    error,
    inserted,
    last_return,
    main_clauses,
    matches,
    replaced,
    scope_before,
    where_of,
    without_conjunct,
)


@error("limit")
def drop_limit(query: ParsedQuery) -> Sequence[Mutation]:
    """Leave out a LIMIT."""
    return [Mutation((Edit(end_before(query, limit.start), limit.stop, ""),)) for limit in _limits(query)]


def _limits(query: ParsedQuery) -> list[Node]:
    return [limit for clause in main_clauses(query) for limit in clause.node.find_all("limit")]


@error("limit")
def add_limit(query: ParsedQuery) -> Sequence[Mutation]:
    """Keep a few rows of the result only."""
    clause = last_return(query)
    if clause is None or clause.node.find("limit"):
        return []
    return [inserted(clause.stop, f"\nLIMIT {rows}") for rows in (1, 2, 5)]


@error("limit")
def limit_early(query: ParsedQuery) -> Sequence[Mutation]:
    """Keep a few rows of the first MATCH only."""
    found = main_clauses(query)
    if len(found) < 2 or found[0].kind != "MATCH" or not found[1].kind.endswith("MATCH"):
        return []
    names = ", ".join(scope_before(query, found[1]))
    return [inserted(found[0].stop, f"\nWITH {names}\nLIMIT {rows}") for rows in (1, 2)]


@error("limit")
def raise_limit(query: ParsedQuery) -> Iterator[Mutation]:
    """Keep more rows than asked for."""
    for limit in _limits(query):
        number = limit.find("numberLiteral")
        if number:
            yield from [replaced(number, rows) for rows in ("2", "3", "10")]


@error("limit")
def skip_row(query: ParsedQuery) -> Sequence[Mutation]:
    """Pass over the first row."""
    clause = last_return(query)
    before_limits = [inserted(limit.start, "SKIP 1\n") for limit in _limits(query)]
    return before_limits or ([inserted(clause.stop, "\nSKIP 1")] if clause else [])


@error("set_logic")
def any_of(query: ParsedQuery) -> Sequence[Mutation]:
    """Do not count how many of the molecules were found."""
    return [
        Mutation((without_conjunct(query, where, index),)) for where, index, _ in _count_conditions(query)
    ]


@error("set_logic")
def at_least_one(query: ParsedQuery) -> Iterator[Mutation]:
    """Be content with one of the molecules."""
    for where, index, equals in _count_conditions(query):
        condition = conjuncts(where)[index]
        yield from [
            Mutation((Edit(equals.start, condition.stop, text),)) for text in (">= 1", "> 0") if equals
        ]


@error("set_logic")
def or_for_and(query: ParsedQuery) -> Iterator[Mutation]:
    """Join conditions by OR instead of AND."""
    for clause in main_clauses(query):
        where = where_of(clause)
        conditions = conjuncts(where) if where else []
        named = [part for part in conditions if any(_within(each.literal, part) for each in anchors(query))]
        if where is None or len(named) < 2 or len(named) != len(conditions):
            continue
        parts = conditions[0].parent.children if conditions[0].parent else []
        ands = [part for part in parts if isinstance(part, Token) and part.name == "AND"]
        yield Mutation(tuple(Edit(token.start, token.stop, "OR") for token in ands))


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


@error("return_shape")
def molecules_for_reactions(query: ParsedQuery) -> Sequence[Mutation]:
    """Take the molecules of a path for its reactions."""
    return [
        replaced(name, "Molecule")
        for comprehension in query.root.find_all("listComprehension")
        for label in comprehension.find_all(Rule.LABEL_EXPRESSION)
        for name in label.find_all(Rule.SYMBOLIC_NAME)
        if query.source(name) == "Reaction"
    ]


@error("return_shape")
def names_for_reactions(query: ParsedQuery) -> Sequence[Mutation]:
    """Return a molecule's name instead of the reactions."""
    bound = {
        query.source(variable): "Molecule" in text
        for clause in matches(query)[:1]
        for pattern in clause.node.find_all(Rule.NODE_PATTERN)
        if (variable := pattern.node(Rule.VARIABLE)) and (text := query.source(pattern))
    }
    return _instead(query, [f"DISTINCT {name}.name AS molecule" for name, fits in bound.items() if fits])


@error("return_shape")
def count_for_rows(query: ParsedQuery) -> Sequence[Mutation]:
    """Return how many there are instead of which."""
    clause = last_return(query)
    scope = scope_before(query, clause) if clause else []
    found = [f"count(DISTINCT {name}) AS total" for name in scope[:1]]
    return [replaced(clause, f"RETURN {text}") for text in [*found, "count(*) AS total"] if clause]


@error("missing_component")
def one_step_of_route(query: ParsedQuery) -> Sequence[Mutation]:
    """Return one reaction of each route only."""
    clause = last_return(query)
    path = _path_variable(query)
    if clause is None or path is None or len(clause.items) != 1:
        return []
    lists = f"[step IN nodes({path}) WHERE step:Reaction]"
    ends = [f"DISTINCT {end}({lists}) AS reaction" for end in ("last", "head")]
    return [mutation._replace(detail="route") for mutation in _instead(query, ends)]


@error("return_shape")
def length_for_route(query: ParsedQuery) -> Sequence[Mutation]:
    """Return a path's length or relationships instead of its reactions."""
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
    clause, first = last_return(query), matches(query)[:1]
    if clause is None or not first:
        return []
    return [Mutation((Edit(first[0].stop, clause.stop, f"\nRETURN {text}"),)) for text in returned]
