"""What tells two queries apart, token by token."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from kg.cypher._tokens import Token, TokenKind

# The grammar has some 300 keywords, and most of them are names in most queries.
_WORD = re.compile(
    "MATCH|OPTIONAL|RETURN|WHERE|WITH|AS|DISTINCT|UNWIND|ORDER|BY|ASC|DESC|LIMIT|SKIP|UNION|ALL|AND|OR|XOR|NOT|IN|IS|"
    "NULL|CALL|CASE|WHEN|THEN|ELSE|END|EXISTS|STARTS|ENDS|CONTAINS|CREATE|MERGE|SET|DELETE|DETACH|REMOVE",
    re.IGNORECASE,
)


def is_word(token: Token) -> bool:
    """Return whether a token is one of the words that queries are made of, whose case says nothing."""
    return token.kind is TokenKind.KEYWORD and _WORD.fullmatch(token.text) is not None


def differing(first: Sequence[Token], second: Sequence[Token]) -> tuple[set[int], set[int]]:
    """Return which tokens of each query the other does not have in their place, by number."""
    matcher = SequenceMatcher(None, [*map(_form, first)], [*map(_form, second)], autojunk=False)
    mine: set[int] = set()
    theirs: set[int] = set()
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind != "equal":
            mine.update(range(a, b))
            theirs.update(range(c, d))
    return mine, theirs


def _form(token: Token) -> str:
    return token.text.upper() if is_word(token) else token.text
