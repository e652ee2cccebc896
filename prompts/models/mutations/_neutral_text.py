"""The same query in other letters."""

from collections.abc import Callable, Sequence

from kg.cypher import Edit, ParsedQuery, Rule, TokenKind, string_literals
from prompts.models.mutations._operator import Mutation, Operator

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


def _operator(name: str, summary: str, mutations: Callable[[ParsedQuery], Sequence[Mutation]]) -> Operator:
    return Operator(name, summary, "neutral", None, mutations)


DOUBLE_QUOTES = _operator("double_quotes", "write strings in double quotes", _double_quotes)
SMALL_KEYWORDS = _operator("small_keywords", "write keywords in small letters", _small_keywords)
ONE_LINE = _operator("one_line", "write the query in one line", _one_line)
ADD_COMMENT = _operator("add_comment", "put a comment in front", _comment)
