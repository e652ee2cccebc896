"""Passages cut into chunks that an encoder reads whole."""

import re
from collections.abc import Iterator

MOST = 600
"""Characters of a chunk, at most: of procedures, 98.5 % of such chunks fit into 256 tokens of MiniLM."""

_ENDS = re.compile(r"(?<=[.;:!?])\s+|\n+")


def chunks_of(text: str, most: int = MOST) -> list[str]:
    """Return the chunks of a text: sentences, as many together as fit, each in one chunk alone.

    Args:
        text: The text; one chunk at least comes of it, unless it is empty.
        most: Characters of a chunk, at most; a sentence that is longer is cut, between words if it has any.
    """
    chunks: list[str] = []
    for piece in _pieces(text, most):
        if chunks and len(chunks[-1]) + 1 + len(piece) <= most:
            chunks[-1] += f" {piece}"
        else:
            chunks.append(piece)
    return chunks


def _pieces(text: str, most: int) -> Iterator[str]:
    for sentence in _ENDS.split(text):
        rest = sentence.strip()
        while len(rest) > most:
            blank = rest.rfind(" ", 0, most + 1)
            cut = blank if blank > 0 else most
            yield rest[:cut].rstrip()
            rest = rest[cut:].lstrip()
        if rest:
            yield rest
