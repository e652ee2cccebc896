"""String literals: read, written, and put aside while a query is changed."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from kg.cypher._edits import Edit, apply_edits
from kg.cypher._escapes import unescape
from kg.cypher._tokens import Token, TokenKind, tokens

_CHARACTERS = {"t": "\t", "b": "\b", "n": "\n", "r": "\r", "f": "\f", "'": "'", '"': '"', "\\": "\\"}
_DECODED = re.compile(r"\\(.)", re.DOTALL)
_ENCODED = re.compile("[\t\b\n\r\f'\\\\\ud800-\udfff]")
_NAMES = {character: name for name, character in _CHARACTERS.items()}


class StringLiteral(NamedTuple):
    """A string literal of a query: the string it stands for, its characters with quotes, its place."""

    value: str
    raw: str
    start: int
    stop: int


class MaskedText(NamedTuple):
    """A query with placeholders for its string literals, and the literal that each placeholder stands for."""

    text: str
    literals: dict[str, str]


def quote(value: str) -> str:
    r"""Return a Cypher string literal, in single quotes, that stands for exactly this string.

    Backslashes are doubled, so a SMILES such as ``F/C=C\F`` and even the characters ``\u0041`` reach the
    server as they are. Half a surrogate pair, which no encoded query can hold, is written as an escape.
    """
    return f"'{_ENCODED.sub(_encoded, value)}'"


def string_literals(text: str) -> list[StringLiteral]:
    """Return the string literals of any text in order, decoded as the server decodes them.

    Quotes within comments, backticked names and other literals are not taken for literals.
    """
    return [
        StringLiteral(literal_value(token), token.text, token.start, token.stop)
        for token in tokens(text)
        if token.kind is TokenKind.STRING
    ]


def literal_value(token: Token) -> str:
    """The string that a string token stands for; an escape unknown to Cypher stays as it is written."""
    return _DECODED.sub(_decoded, unescape(token.text).text[1:-1])


def mask_literals(text: str) -> MaskedText:
    """Replace every string literal by a placeholder that is itself a string literal.

    What works on the masked text meets no SMILES, and ``unmask`` puts the literals back to the character,
    also after parts of the text have been moved, repeated or dropped.
    """
    found = string_literals(text)
    placeholders = [f"'__literal_{number}__'" for number in range(len(found))]
    edits = [Edit(at.start, at.stop, name) for at, name in zip(found, placeholders, strict=True)]
    return MaskedText(
        apply_edits(text, edits), {name: at.raw for name, at in zip(placeholders, found, strict=True)}
    )


def unmask(text: str, literals: Mapping[str, str]) -> str:
    """Put literals back in place of their placeholders; other text stays as it is.

    Args:
        text: A masked query, changed or not.
        literals: What ``mask_literals`` returned beside it.
    """
    return apply_edits(
        text,
        [
            Edit(literal.start, literal.stop, literals[literal.raw])
            for literal in string_literals(text)
            if literal.raw in literals
        ],
    )


def _decoded(match: re.Match[str]) -> str:
    return _CHARACTERS.get(match.group(1), match.group())


def _encoded(match: re.Match[str]) -> str:
    character = match.group()
    return f"\\{_NAMES[character]}" if character in _NAMES else f"\\u{ord(character):04x}"
