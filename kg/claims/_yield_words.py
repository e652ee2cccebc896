"""Yields in a sentence: what they are of, and ranges."""

from collections.abc import Sequence
from typing import NamedTuple

from kg.claims._sentence import Part
from kg.claims._tokens import Token

_DASHES = ("-", "\u2013", "\u2014", "to", "and")
_OVER = ("over", "above", "than", "least", ">", "≥", "exceeding")
_MORE, _LESS = ("more", "greater", "higher", "better"), ("less", "lower", "fewer", "worse")
_ABOUT = ("about", "approximately", "approx", "roughly", "around", "circa", "ca", "nearly", "some", "~", "≈")
_UNDER = ("under", "below", "most", "<", "≤", "to")


class Amount(NamedTuple):
    """A yield in a sentence: where it stands, and the range of percentages that it may be.

    ``share`` says that it may be a share of 1, too: a number such as 0.81 without a percent sign.
    """

    place: int
    low: float
    high: float
    share: bool = False


def amounts_in(tokens: Sequence[Token]) -> list[Amount]:
    """Return the yields of a sentence; two numbers with a dash between them are one range."""
    found: list[Amount] = []
    for place, token in enumerate(tokens):
        if token.kind != "yield" or token.value is None:
            continue
        before = [each for each in tokens[max(0, place - 4) : place] if each.text not in ("%", "(", "`", "*")]
        value = token.value
        if len(before) > 1 and before[-1].text in _DASHES and before[-2].kind in ("number", "yield"):
            low = before[-2].value
            if low is not None and low < value and (before[-1].text != "and" or _between(before)):
                found = [each for each in found if each.high != low]
                found.append(Amount(place, low, value))
                continue
        said = [each.text.lower() for each in before[-2:]]
        if _is_over(said):
            found.append(Amount(place, value, 100.0))
        elif _is_under(said):
            found.append(Amount(place, 0.0, value))
        elif said and said[-1] in _ABOUT and value == int(value):
            found.append(Amount(place, value - 0.5, value + 0.5))
        else:
            share = value <= 1 and "." in token.text and "percents" not in token.kinds
            found.append(Amount(place, value, value, share))
    return found


def product_of(
    amount: Amount, parts: Sequence[Part], about: str | None, tokens: Sequence[Token]
) -> str | None:
    """Return the product a yield is of: ``80 % yield of A``, else the last one named before it.

    Of several in one list it is the one that is asked about, where that is among them.

    Args:
        amount: The yield.
        parts: The molecules of the sentence.
        about: The molecule that is asked about.
        tokens: The sentence.
    """
    after = [each for each in tokens[amount.place + 1 : amount.place + 8] if each.text not in "%`*\"'"]
    words = [each for each in after[:3] if not each.kinds & {"yield_words", "of", "determiners"}]
    if len(words) < len(after[:3]) and words and words[0].kind == "molecule" and "of" in _texts(after[:3]):
        return words[0].text
    made = [part for part in parts if part.role == "PRODUCES" and not part.negated]
    before = [part for part in made if part.place < amount.place]
    listed = [part.token.text for part in before if part.group == before[-1].group]
    if len(listed) > 1 and about in listed:
        return about
    if before:
        return before[-1].token.text
    return made[0].token.text if len(made) == 1 else None


def _texts(tokens: Sequence[Token]) -> list[str]:
    return [each.text.lower() for each in tokens]


def _between(before: Sequence[Token]) -> bool:
    return len(before) > 2 and before[-3].text.lower() == "between"


def _is_over(said: Sequence[str]) -> bool:
    last = said[-1] if said else ""
    return last in _OVER and not (last == "than" and said[0] in _LESS)


def _is_under(said: Sequence[str]) -> bool:
    last = said[-1] if said else ""
    return (last in _UNDER and (last != "to" or said[0] == "up")) or (last == "than" and said[0] in _LESS)
