"""What the plan of a query does not show.

A subquery inside a comprehension, ``reduce`` or ``CASE`` is planned as part of the expression: its LOAD CSV
or procedure call is no operator of the plan that ``EXPLAIN`` returns. So the tokens of the text are looked
at as well, cut by the server's own lexer. They are read from text that the server has accepted.

Of a text that it has not accepted there is no plan. Where it holds a writing clause all the same, that is
said before the server's message: who mends the query would else mend the writing of it.
"""

from collections.abc import Sequence

from kg.cypher import WRITING, Token, TokenKind, parse, writing_clauses
from kg.execution._rules import GuardRules

_LONGEST_PARSED = 4_000
_NAMES = (TokenKind.IDENTIFIER, TokenKind.KEYWORD)


def refusal_by_tokens(found: Sequence[Token], rules: GuardRules) -> str | None:
    """Return why an accepted query must not run, None where it may.

    Refused are LOAD CSV anywhere, procedures and functions with a dotted name that the rules do not list.

    Args:
        found: Tokens of the query.
        rules: What is allowed.
    """
    position = 0
    while position < len(found):
        if found[position].name == "LOAD" and _name_at(found, position + 1) == "CSV":
            return "It reads a file or an address with LOAD CSV; only reading the graph is allowed."
        name, stop = _dotted(found, position)
        if name:
            reason = _refused_name(name, found, position, stop, rules)
            if reason:
                return reason
        position = max(stop, position + 1)
    return None


def _refused_name(name: str, found: Sequence[Token], start: int, stop: int, rules: GuardRules) -> str | None:
    called = _name_at(found, stop) == "LPAREN"
    if start and found[start - 1].name == "CALL":
        if name not in rules.procedures:
            return f"It calls the procedure {name}, which is not one that only reads the schema."
    elif called and name not in rules.functions:
        return f"It calls the function {name}, which is not part of Cypher."
    return None


def writing_in(text: str, found: Sequence[Token]) -> str | None:
    """Return what would be refused of a text that the server could not plan, None where nothing would.

    That is a clause that writes, in a single statement that follows the grammar.

    Args:
        text: The query.
        found: Its tokens.
    """
    if len(text) > _LONGEST_PARSED or not any(token.name in WRITING for token in found):
        return None
    parsed = parse(text)
    if parsed.errors or len(parsed.root.nodes("statement")) != 1:
        return None
    writing = writing_clauses(parsed)
    return f"It holds {writing[0].kind}; only reading the graph is allowed." if writing else None


def without_profile(text: str, found: Sequence[Token]) -> str:
    """Return a query with blanks for the word PROFILE in front, which would run it before its plan is known.

    Its rows are those of the query itself, and so are the positions in messages. Where the word is hidden
    too well it stays, and ``EXPLAIN`` refuses to stand before it.
    """
    for position, token in enumerate(found):
        if token.kind is TokenKind.KEYWORD:
            break
        value = position > 0 and found[position - 1].name == "EQ"
        if token.text.upper() == "PROFILE" and not value:
            return text[: token.start] + " " * (token.stop - token.start) + text[token.stop :]
    return text


def _name_at(found: Sequence[Token], position: int) -> str | None:
    return found[position].name if position < len(found) else None


def _dotted(found: Sequence[Token], start: int) -> tuple[str, int]:
    """The dotted name that begins at a token, in lower case without back-ticks, and where it ends."""
    parts: list[str] = []
    position = start
    while position < len(found) and found[position].kind in _NAMES:
        parts.append(found[position].text.strip("`").lower())
        position += 1
        if _name_at(found, position) != "DOT":
            break
        position += 1
    return (".".join(parts), position) if len(parts) > 1 else ("", start + 1)
