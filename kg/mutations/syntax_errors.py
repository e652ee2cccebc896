"""Errors after which a text is no Cypher any more."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import yaml

from retrocypher.kg.cypher.edits import Edit
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import TokenKind
from retrocypher.kg.mutations.operator import (
    CALL,
    CALL_NAME,
    Mutation,
    Operator,
    end_before,
    last_return,
    main_clauses,
)
from retrocypher.kg.mutations.pattern_errors import invented

_CLOSING = ("RPAREN", "RBRACKET", "RCURLY")
_UNCLOSED, _UNQUOTED = (None, ""), ("", "")
_TYPOGRAPHIC = ("\N{LEFT SINGLE QUOTATION MARK}", "\N{RIGHT SINGLE QUOTATION MARK}")


@cache
def _prose() -> tuple[str, ...]:
    return tuple(yaml.safe_load(Path(__file__).with_name("prose.yaml").read_text(encoding="utf-8")))


def _no_closing(query: ParsedQuery) -> Sequence[Mutation]:
    return [
        Mutation((Edit(token.start, token.stop, ""),)) for token in query.tokens if token.name in _CLOSING
    ]


def _sql(query: ParsedQuery) -> Sequence[Mutation]:
    clause, found = last_return(query), main_clauses(query)
    if clause is None:
        return []
    returned = query.text[clause.start + len("RETURN") : clause.stop].strip()
    mutations = [
        Mutation((Edit(clause.start, clause.start + len("RETURN"), "SELECT"),)),
        Mutation((Edit(0, 0, f"SELECT {returned}\nFROM Reaction\n"), Edit(clause.start, clause.stop, ""))),
        Mutation((Edit(clause.stop, clause.stop, f"\nGROUP BY {clause.items[0].expression}"),))
        if clause.items
        else Mutation((Edit(0, 0, "SELECT * FROM "),)),
    ]
    optional = [each for each in found if each.kind == "OPTIONAL MATCH"]
    if optional:
        edits = tuple(Edit(each.start, each.start + len("OPTIONAL MATCH"), "LEFT JOIN") for each in optional)
        mutations.append(Mutation(edits))
    return mutations


def _no_return(query: ParsedQuery) -> Sequence[Mutation]:
    clause = last_return(query)
    return [Mutation((Edit(end_before(query, clause.start), clause.stop, ""),))] if clause else []


def _prose_around(query: ParsedQuery) -> Sequence[Mutation]:
    found = []
    for text in _prose():
        before, _, after = text.partition("{query}")
        end = len(query.text)
        found.append(Mutation((Edit(0, 0, before), Edit(end, end, after))))
    return found


def _quotes(query: ParsedQuery) -> Sequence[Mutation]:
    found = []
    for token in query.tokens:
        if token.kind is TokenKind.STRING:
            first, last = (token.start, token.start + 1), (token.stop - 1, token.stop)
            for opening, closing in (_UNCLOSED, _UNQUOTED, _TYPOGRAPHIC):
                opened = token.text[0] if opening is None else opening
                found.append(Mutation((Edit(*first, opened), Edit(*last, closing))))
    return found


def _unknown_variable(query: ParsedQuery) -> Sequence[Mutation]:
    clause = last_return(query)
    if clause is None:
        return []
    found = []
    for item in clause.items:
        expression = item.node.node(Rule.EXPRESSION)
        variable = expression.find(Rule.VARIABLE) if expression else None
        local = variable and variable.within("listComprehension", "allReduce")
        if variable and not local:
            found.append(Mutation((Edit(variable.stop, variable.stop, "s"),)))
    return found


def _unknown_function(query: ParsedQuery) -> Sequence[Mutation]:
    found = []
    for call in query.root.find_all(CALL):
        name = call.node(CALL_NAME)
        others = invented("functions").get(query.source(name).lower(), ()) if name else ()
        # DISTINCT goes with it: only aggregating functions take one, and these are none.
        distinct = call.token("DISTINCT")
        dropped = (Edit(distinct.start, distinct.stop + 1, ""),) if distinct else ()
        found += [Mutation((Edit(name.start, name.stop, other), *dropped)) for other in others if name]
    return found


def _no_comma(query: ParsedQuery) -> Sequence[Mutation]:
    clause = last_return(query)
    items = clause.node.find(Rule.RETURN_ITEMS) if clause else None
    commas = [token for token in query.tokens if token.name == "COMMA"]
    direct = [comma for comma in commas if items and comma in items.children]
    return [Mutation((Edit(comma.start, comma.stop, ""),)) for comma in direct]


def _operator(name: str, summary: str, mutations: Callable[[ParsedQuery], Sequence[Mutation]]) -> Operator:
    return Operator(name, summary, "error", "syntax_error", mutations)


UNBALANCED_BRACKET = _operator("unbalanced_bracket", "lose a closing bracket", _no_closing)
SQL_WORDS = _operator("sql_words", "write SQL where Cypher belongs", _sql)
MISSING_RETURN = _operator("missing_return", "leave out RETURN", _no_return)
PROSE_AROUND = _operator("prose_around", "write prose around the query", _prose_around)
BROKEN_QUOTES = _operator("broken_quotes", "lose a string's quotes or take those of a text editor", _quotes)
UNKNOWN_VARIABLE = _operator("unknown_variable", "return a variable that nothing binds", _unknown_variable)
INVENTED_FUNCTION = _operator(
    "invented_function", "call a function that Neo4j does not have", _unknown_function
)
MISSING_COMMA = _operator("missing_comma", "leave out a comma between returned items", _no_comma)
