"""The words before a query that ask how to run it and are not part of the grammar."""

from collections.abc import Sequence

from kg.cypher._escapes import unescape
from kg.cypher._tokens import Token, TokenKind

_WORDS = (TokenKind.KEYWORD, TokenKind.IDENTIFIER)


def prefix_length(tokens: Sequence[Token]) -> int:
    """How many leading tokens are ``EXPLAIN``, ``PROFILE`` or ``CYPHER [version] [option = value …]``."""
    position = 0
    while position < len(tokens):
        word = unescape(tokens[position].text).text.upper()
        if word in ("EXPLAIN", "PROFILE"):
            position += 1
        elif word == "CYPHER":
            position = _after_options(tokens, position + 1)
        else:
            break
    return position


def _after_options(tokens: Sequence[Token], position: int) -> int:
    if position < len(tokens) and tokens[position].kind is TokenKind.NUMBER:
        position += 1
    while (
        position + 2 < len(tokens)
        and tokens[position].kind in _WORDS
        and tokens[position + 1].name == "EQ"
        and tokens[position + 2].kind in (*_WORDS, TokenKind.NUMBER)
    ):
        position += 3
    return position
