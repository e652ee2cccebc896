"""Errors after which a query cannot be run: no Cypher, an absent parameter, a write, no query at all."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import yaml

from retrocypher.kg.cypher.edits import Edit
from retrocypher.kg.cypher.grammar import Rule
from retrocypher.kg.cypher.parser import ParsedQuery
from retrocypher.kg.cypher.tokens import TokenKind
from retrocypher.kg.mutations.name_errors import invented
from retrocypher.kg.mutations.operator import (
    CALL,
    CALL_NAME,
    Mutation,
    anchors,
    body,
    end_before,
    error,
    inserted,
    last_return,
    main_clauses,
    replaced,
    scope_before,
    where_of,
)

_CLOSING = ("RPAREN", "RBRACKET", "RCURLY")
_UNCLOSED, _UNQUOTED = (None, ""), ("", "")
_TYPOGRAPHIC = ("\N{LEFT SINGLE QUOTATION MARK}", "\N{RIGHT SINGLE QUOTATION MARK}")


@cache
def _prose() -> tuple[str, ...]:
    return tuple(yaml.safe_load(Path(__file__).with_name("prose.yaml").read_text(encoding="utf-8")))


@error("syntax_error")
def unbalanced_bracket(query: ParsedQuery) -> Sequence[Mutation]:
    """Lose a closing bracket."""
    return [replaced(token, "") for token in query.tokens if token.name in _CLOSING]


@error("syntax_error")
def sql_words(query: ParsedQuery) -> Sequence[Mutation]:
    """Write SQL where Cypher belongs."""
    clause, found = last_return(query), main_clauses(query)
    if clause is None:
        return []
    returned = query.text[clause.start + len("RETURN") : clause.stop].strip()
    mutations = [
        Mutation((Edit(clause.start, clause.start + len("RETURN"), "SELECT"),)),
        Mutation((Edit(0, 0, f"SELECT {returned}\nFROM Reaction\n"), Edit(clause.start, clause.stop, ""))),
        inserted(clause.stop, f"\nGROUP BY {clause.items[0].expression}")
        if clause.items
        else inserted(0, "SELECT * FROM "),
    ]
    optional = [each for each in found if each.kind == "OPTIONAL MATCH"]
    if optional:
        edits = tuple(Edit(each.start, each.start + len("OPTIONAL MATCH"), "LEFT JOIN") for each in optional)
        mutations.append(Mutation(edits))
    return mutations


@error("syntax_error")
def missing_return(query: ParsedQuery) -> Sequence[Mutation]:
    """Leave out RETURN."""
    clause = last_return(query)
    return [Mutation((Edit(end_before(query, clause.start), clause.stop, ""),))] if clause else []


@error("syntax_error")
def prose_around(query: ParsedQuery) -> Iterator[Mutation]:
    """Write prose around the query."""
    for text in _prose():
        before, _, after = text.partition("{query}")
        end = len(query.text)
        yield Mutation((Edit(0, 0, before), Edit(end, end, after)))


@error("syntax_error")
def broken_quotes(query: ParsedQuery) -> Iterator[Mutation]:
    """Lose a string's quotes or take those of a text editor."""
    for token in query.tokens:
        if token.kind is TokenKind.STRING:
            first, last = (token.start, token.start + 1), (token.stop - 1, token.stop)
            for opening, closing in (_UNCLOSED, _UNQUOTED, _TYPOGRAPHIC):
                opened = token.text[0] if opening is None else opening
                yield Mutation((Edit(*first, opened), Edit(*last, closing)))


@error("syntax_error")
def unknown_variable(query: ParsedQuery) -> Iterator[Mutation]:
    """Return a variable that nothing binds."""
    clause = last_return(query)
    if clause is None:
        return
    for item in clause.items:
        expression = item.node.node(Rule.EXPRESSION)
        variable = expression.find(Rule.VARIABLE) if expression else None
        local = variable and variable.within("listComprehension", "allReduce")
        if variable and not local:
            yield inserted(variable.stop, "s")


@error("syntax_error")
def invented_function(query: ParsedQuery) -> Iterator[Mutation]:
    """Call a function that Neo4j does not have."""
    for call in query.root.find_all(CALL):
        name = call.node(CALL_NAME)
        others = invented("functions").get(query.source(name).lower(), ()) if name else ()
        # DISTINCT goes with it: only aggregating functions take one, and these are none.
        distinct = call.token("DISTINCT")
        dropped = (Edit(distinct.start, distinct.stop + 1, ""),) if distinct else ()
        yield from [Mutation((Edit(name.start, name.stop, other), *dropped)) for other in others if name]


@error("syntax_error")
def missing_comma(query: ParsedQuery) -> Sequence[Mutation]:
    """Leave out a comma between returned items."""
    clause = last_return(query)
    items = clause.node.find(Rule.RETURN_ITEMS) if clause else None
    commas = [token for token in query.tokens if token.name == "COMMA"]
    direct = [comma for comma in commas if items and comma in items.children]
    return [replaced(comma, "") for comma in direct]


@error("runtime_error")
def parameter_for_literal(query: ParsedQuery) -> Sequence[Mutation]:
    """Ask for a parameter instead of naming the molecule.

    A query for an application, whose parameters nobody gives.
    """
    return [
        replaced(anchor.literal, f"${name}") for anchor in anchors(query) for name in ("target", "smiles")
    ]


@error("refused")
def write_clause(query: ParsedQuery) -> Iterator[Mutation]:
    """Write to the graph."""
    clause, found = last_return(query), main_clauses(query)
    if clause is None or not found or found[0].kind != "MATCH":
        return
    scope = scope_before(query, clause)
    if scope:
        yield inserted(clause.start, "MERGE (:Answer)\n")
    patterns = body(found[0]).node("patternList")
    long = patterns is None or patterns.find("pathLength", "quantifier") is not None
    if where_of(found[0]) is None and not long:
        yield Mutation((Edit(found[0].start, found[0].start + len("MATCH"), "MERGE"),))


@error("no_query")
def nothing_to_run(query: ParsedQuery) -> Sequence[Mutation]:
    """Answer with a comment only."""
    lines = query.text.splitlines()
    commented = "\n".join(f"// {line}" for line in lines)
    return [
        Mutation((Edit(0, len(query.text), commented),)),
        Mutation((Edit(0, len(query.text), "// The schema does not tell how to answer this question."),)),
    ]
