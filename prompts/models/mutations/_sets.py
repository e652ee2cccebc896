"""Errors that take any of several molecules for all of them."""

from collections.abc import Iterator, Sequence

from kg.cypher import Edit, Node, ParsedQuery, Token
from prompts.models.mutations._anchors import anchors
from prompts.models.mutations._operator import Mutation, Operator
from prompts.models.mutations._structure import calls, conjuncts, main_clauses, where_of, without_conjunct


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
