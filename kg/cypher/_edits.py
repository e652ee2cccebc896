"""Changes to a query at known places."""

from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """A stretch of a query, from a character offset up to another."""

    start: int
    stop: int


class Edit(NamedTuple):
    """Put ``replacement`` in place of the characters from ``start`` up to ``stop`` (equal: an insertion)."""

    start: int
    stop: int
    replacement: str


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with all edits made; their offsets all refer to the text as given.

    Args:
        text: A query.
        edits: Edits in any order that do not overlap. Insertions at one place come out in the order given.

    Raises:
        ValueError: Two edits overlap, or one lies outside the text.
    """
    parts: list[str] = []
    position = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.stop)):
        if not position <= edit.start <= edit.stop <= len(text):
            raise ValueError(f"{edit} overlaps another edit or lies outside the text")
        parts += (text[position : edit.start], edit.replacement)
        position = edit.stop
    return "".join([*parts, text[position:]])
