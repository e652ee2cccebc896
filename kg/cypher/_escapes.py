r"""The ``\uXXXX`` escapes that the server replaces anywhere in a query before it reads its tokens."""

import re
from typing import NamedTuple

# A backslash and what follows it, so that an escaped backslash does not begin an escape.
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|.)", re.DOTALL)
_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


class Unescaped(NamedTuple):
    """Text without its escapes.

    ``offsets`` holds for each character, and for the end, the offset it had in the query; it is None where
    nothing was replaced. ``broken`` holds the offsets of escapes without four hexadecimal digits.
    """

    text: str
    offsets: list[int] | None
    broken: list[int]


def unescape(text: str) -> Unescaped:
    r"""Replace every ``\uXXXX`` as the server does before it reads a query."""
    if "\\u" not in text:
        return Unescaped(text, None, [])
    characters: list[str] = []
    offsets: list[int] = []
    broken: list[int] = []
    position = 0
    for match in _ESCAPE.finditer(text):
        characters += text[position : match.start()]
        offsets += range(position, match.start())
        position = match.end()
        digits = match.group(1)
        if digits:
            _append(chr(int(digits, 16)), match.start(), characters, offsets)
        else:
            if match.group() == "\\u":
                broken.append(match.start())
            characters += match.group()
            offsets += range(match.start(), match.end())
    characters += text[position:]
    offsets += range(position, len(text) + 1)
    return Unescaped("".join(characters), offsets, broken)


def _append(character: str, offset: int, characters: list[str], offsets: list[int]) -> None:
    """Add a character; the second half of a surrogate pair joins the first."""
    if characters and _PAIR.fullmatch(characters[-1] + character):
        pair = (characters[-1] + character).encode("utf-16", "surrogatepass")
        characters[-1] = pair.decode("utf-16")
    else:
        characters.append(character)
        offsets.append(offset)
