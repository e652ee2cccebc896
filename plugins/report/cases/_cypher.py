"""Queries with their words coloured, and what tells one from another marked by token."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup, escape

from kg.cypher import Token, TokenKind, differing, is_word, tokens
from kg.errors import GraphError
from plugins.report._environment import visible

LONGEST = 20_000
"""Characters of a query that are shown."""

_MOST_TOKENS = 1_500
_CLASSES = {
    TokenKind.STRING: "s",
    TokenKind.NUMBER: "n",
    TokenKind.ERROR: "e",
}


class Marked(NamedTuple):
    """Two queries as HTML.

    Attributes:
        query: The generated one; what the reference does not have is marked.
        reference: The reference; what the generated one does not have is marked.
        note: What is not shown, in words; empty where all is.
    """

    query: Markup
    reference: Markup
    note: str


def marked(query: str, reference: str) -> Marked:
    """Return a query and its reference, coloured and with their difference marked."""
    cut = [text[:LONGEST] for text in (query, reference)]
    notes = [f"Only the first {LONGEST:,} characters of the query are shown."] if len(query) > LONGEST else []
    try:
        first, second = (tokens(text) for text in cut)
    except GraphError:
        return Marked(
            _plain(cut[0]), _plain(cut[1]), "Cypher's grammar cannot be had here: nothing is marked."
        )
    if max(len(first), len(second)) > _MOST_TOKENS:
        notes.append("The query is too long to be compared word by word.")
        return Marked(_coloured(cut[0], first, set()), _coloured(cut[1], second, set()), " ".join(notes))
    mine, theirs = differing(first, second)
    return Marked(
        _coloured(cut[0], first, mine, "del"), _coloured(cut[1], second, theirs, "ins"), " ".join(notes)
    )


def coloured(query: str) -> Markup:
    """Return a query with its words coloured."""
    text = query[:LONGEST]
    try:
        return _coloured(text, tokens(text), set())
    except GraphError:
        return _plain(text)


def _coloured(text: str, found: Sequence[Token], differing: set[int], tag: str = "del") -> Markup:
    return Markup("").join(_parts(text, found, differing, tag))


def _parts(text: str, found: Sequence[Token], differing: set[int], tag: str) -> Iterator[Markup]:
    end = 0
    for place, token in enumerate(found):
        yield _between(text[end : token.start])
        if place in differing and place - 1 not in differing:
            yield Markup(f"<{tag}>")
        kind = "k" if is_word(token) else _CLASSES.get(token.kind)
        shown = _plain(token.text)
        yield Markup('<span class="{}">{}</span>').format(kind, shown) if kind else shown
        if place in differing and place + 1 not in differing:
            yield Markup(f"</{tag}>")
        end = token.stop
    yield _between(text[end:])


def _between(text: str) -> Markup:
    return Markup('<span class="c">{}</span>').format(_plain(text)) if text.strip() else _plain(text)


def _plain(text: str) -> Markup:
    return escape(visible(text))
