"""Two queries in colour, with what tells them apart."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from kg.cypher import Token, TokenKind, differing, is_word, tokens
from kg.errors import GraphError
from plugins.terminal import safe

_STYLES = {TokenKind.STRING: "green", TokenKind.NUMBER: "cyan", TokenKind.ERROR: "red"}
_WORD = "bold blue"
_MOST = 1_500


def compared(query: str, reference: str) -> tuple[Text, Text, str]:
    """Return query and reference, coloured, and what each has that the other has not, in plain words.

    Args:
        query: The query; whatever a model wrote.
        reference: The reference.
    """
    try:
        first, second = tokens(query), tokens(reference)
    except GraphError:
        return Text(safe(query, None)), Text(safe(reference, None)), ""
    if max(len(first), len(second)) > _MOST:
        return _coloured(query, first, set(), ""), _coloured(reference, second, set(), ""), ""
    mine, theirs = differing(first, second)
    said = [
        f"only in the {name}: {', '.join(_runs(text, found, marked))}"
        for name, text, found, marked in (
            ("query", query, first, mine),
            ("reference", reference, second, theirs),
        )
        if marked
    ]
    return (
        _coloured(query, first, mine, "reverse red"),
        _coloured(reference, second, theirs, "reverse green"),
        "\n".join(said),
    )


def _coloured(text: str, found: Sequence[Token], marked: set[int], mark: str) -> Text:
    shown, end = Text(), 0
    for number, token in enumerate(found):
        shown.append(safe(text[end : token.start], None), "dim")
        style = _WORD if is_word(token) else _STYLES.get(token.kind, "")
        shown.append(safe(token.text, None), mark if number in marked else style)
        end = token.stop
    shown.append(safe(text[end:], None), "dim")
    return shown


def _runs(text: str, found: Sequence[Token], marked: set[int]) -> Iterator[str]:
    """Neighbouring tokens that are marked, together as they stand."""
    for number in sorted(marked):
        if number - 1 not in marked:
            last = number
            while last + 1 in marked:
                last += 1
            yield " ".join(safe(text[found[number].start : found[last].stop], 200).split())
