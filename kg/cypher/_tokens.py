"""The tokens of a query, as the server's lexer cuts them."""

from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from kg.cypher._escapes import unescape
from kg.cypher._lexer import Lexer
from kg.cypher._tables import RecognizerTables, load_tables
from kg.errors import GraphError


class TokenKind(StrEnum):
    """What a token is. A keyword may serve as a name, as ``yield`` does in ``p.yield``."""

    KEYWORD = "keyword"
    IDENTIFIER = "identifier"
    STRING = "string"
    NUMBER = "number"
    SYMBOL = "symbol"
    ERROR = "error"


class Token(NamedTuple):
    """One token of a query.

    Attributes:
        kind: What it is.
        text: Its characters as they stand in the query.
        start: Offset of its first character.
        stop: Offset after its last character.
        name: The grammar's name of its type, such as ``MATCH``, ``LPAREN``, ``IDENTIFIER``.
    """

    kind: TokenKind
    text: str
    start: int
    stop: int
    name: str


_KINDS = {
    "DECIMAL_DOUBLE": TokenKind.NUMBER,
    "UNSIGNED_DECIMAL_INTEGER": TokenKind.NUMBER,
    "UNSIGNED_HEX_INTEGER": TokenKind.NUMBER,
    "UNSIGNED_OCTAL_INTEGER": TokenKind.NUMBER,
    "STRING_LITERAL1": TokenKind.STRING,
    "STRING_LITERAL2": TokenKind.STRING,
    "ESCAPED_SYMBOLIC_NAME": TokenKind.IDENTIFIER,
    "IDENTIFIER": TokenKind.IDENTIFIER,
    "ARROW_LINE": TokenKind.SYMBOL,
    "ARROW_LEFT_HEAD": TokenKind.SYMBOL,
    "ARROW_RIGHT_HEAD": TokenKind.SYMBOL,
    "ErrorChar": TokenKind.ERROR,
}
_HIDDEN = ("SPACE", "SINGLE_LINE_COMMENT", "MULTI_LINE_COMMENT")


class TokenReader:
    """The lexer with the names and kinds of its token types.

    Attributes:
        read: Returns the tokens of a query and their grammar types, without space and comments. It remembers
            the latest: one query is looked at several times on its way, by guard, parser, scores and labels.
    """

    def __init__(self, tables: RecognizerTables) -> None:
        symbols = [symbol or "" for symbol in tables.symbols]
        literals = [*tables.literals, *[None] * (len(symbols) - len(tables.literals))]
        missing = sorted({*_KINDS, *_HIDDEN} - set(symbols))
        if missing:
            raise GraphError(f"The Cypher grammar has no token {', '.join(missing)}: another version?")
        self.lexer = Lexer(tables)
        self.names = symbols
        self.kinds: list[TokenKind | None] = [
            None if name in _HIDDEN else _KINDS.get(name, TokenKind.SYMBOL if literal else TokenKind.KEYWORD)
            for name, literal in zip(symbols, literals, strict=True)
        ]
        self.kinds[0] = TokenKind.ERROR
        self.read = lru_cache(maxsize=4)(self._read)

    def _read(self, text: str) -> tuple[tuple[Token, ...], tuple[int, ...]]:
        unescaped = unescape(text)
        found: list[Token] = []
        types: list[int] = []
        kinds, names, offsets = self.kinds, self.names, unescaped.offsets
        start = 0
        for token_type, stop in self.lexer.scan(unescaped.text):
            kind = kinds[token_type]
            if kind is not None:
                first, last = (start, stop) if offsets is None else (offsets[start], offsets[stop])
                found.append(Token(kind, text[first:last], first, last, names[token_type]))
                types.append(token_type)
            start = stop
        return tuple(found), tuple(types)


@cache
def token_reader() -> TokenReader:
    """Return the reader of the server's tokens.

    Raises:
        GraphError: The grammar can't be had.
    """
    return TokenReader(load_tables().lexer)


def tokens(text: str) -> list[Token]:
    r"""Return the tokens of a query in order, without space and comments; never fails on broken text.

    A string literal is one token, quotes included. What no rule of the grammar takes (a quote that is never
    closed, a stray character) is one token of kind ``error`` a character. Offsets count characters of the
    text as given, also where it holds ``\uXXXX`` escapes.

    Args:
        text: Any text.

    Raises:
        GraphError: The grammar can't be had (see ``docs/cypher-text.md``).
    """
    return list(token_reader().read(text)[0])
