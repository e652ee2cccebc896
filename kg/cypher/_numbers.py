"""Numbers as the server reads them: the grammar lets pass what its parser then refuses, such as ``4x``."""

import math
import re
from collections.abc import Iterator, Sequence

from kg.cypher._recovery import SyntaxIssue
from kg.cypher._tokens import Token, TokenKind

_DIGITS = r"\d(?:_?\d)*"
_DECIMAL = re.compile(r"0|[1-9](?:_?\d)*", re.ASCII)
_BASED = re.compile(r"0x(?:_?[0-9a-fA-F])+|0o(?:_?[0-7])+")
_DOUBLE = re.compile(rf"(?:{_DIGITS}(?:\.{_DIGITS})?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?[fFdD]?", re.ASCII)
_LARGEST = 2**63 - 1
_LONGEST = 400


def number_value(text: str) -> int | float | None:
    """Return the value of a number; None where the server refuses it as no number or as too large.

    Integers have 64 bits. The largest of them plus one is returned too, since with a minus before it the
    server takes it.

    Args:
        text: A number as it stands in a query, without a sign.
    """
    if len(text) > _LONGEST:
        return None
    if _DECIMAL.fullmatch(text) or _BASED.fullmatch(text):
        value = int(text.replace("_", ""), 0)
        return value if value <= _LARGEST + 1 else None
    if any(mark in text for mark in ".eE") and _DOUBLE.fullmatch(text):
        double = float(text.replace("_", "").rstrip("fFdD"))
        return double if math.isfinite(double) else None
    return None


def number_issues(tokens: Sequence[Token]) -> Iterator[SyntaxIssue]:
    """Find the numbers that the server refuses."""
    before = None
    for token in tokens:
        if token.kind is TokenKind.NUMBER:
            value = number_value(token.text)
            if value is None or (value == _LARGEST + 1 and before != "MINUS"):
                shown = token.text if len(token.text) <= 40 else f"{token.text[:40]}…"
                yield SyntaxIssue(token.start, f"`{shown}` is no number, or too large a one")
        before = token.name
