"""Which numbers of a sentence are ids of reactions, which are yields, and which are neither."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from retrocypher.kg.claims.sentence import Part
from retrocypher.kg.claims.tokens import Kind, Token
from retrocypher.kg.claims.words import load_words

_LARGEST_ID = 10**9
_TRANSPARENT = frozenset(":#([`\"'*=|{_")
_JOINING = frozenset(",;/&+")
_QUIET = frozenset("#*`\"'_")
_AFTER_LABEL = frozenset(":.)-\u2013\u2014|")
_DASHES = ("-", "\u2013", "\u2014", "to")
_REACH = 8
_LONGEST_LIST = 100
_LARGEST_ORDINAL = 999
"""The largest number behind ``entry``, ``step`` or the like that is taken for theirs and not for an id."""
_LARGEST_FACTOR = 6
_LEAST_LABEL = 100
"""The least number that is read as an id by its place alone; smaller ones number the items of lists."""


def classified(tokens: Sequence[Token], *, listing: bool, labels: bool = True) -> list[Token]:
    """Return the tokens with each number as what it is: ``reaction``, ``yield`` or ``number``.

    With ``listing`` a heading before it says that ids of reactions follow; with ``labels`` a number may be an
    id by its place alone, as in ``1404: A → B``.
    """
    found = list(tokens)
    opened = ""
    for place, token in enumerate(tokens):
        listing = listing or "reactions" in token.kinds
        opened = _opened(token, opened)
        if token.kind == "percent":
            kind: Kind = "yield" if _is_yield(tokens, place) else "number"
            found[place] = replace(token, kind=kind, kinds=frozenset({"percents"}))
        elif token.kind == "number":
            listed = listing or _is_listed(found, place, opened) or (labels and _is_label(tokens, place))
            kind = _kind(found, place, listed)
            if kind == "yield" and _is_amount(tokens, place):
                found[place] = replace(token, kind="number", kinds=frozenset({"stray"}))
            else:
                found[place] = replace(token, kind=kind)
    return _without_ordinals(found)


def _opened(token: Token, opened: str) -> str:
    """The bracket that a token stands in, where it holds nothing but numbers so far; else nothing."""
    if token.text in ("[", "("):
        return token.text
    return opened if token.kind == "number" or token.text == "," else ""


def _is_listed(tokens: Sequence[Token], place: int, opened: str) -> bool:
    """Whether it stands in a list such as ``[1400, 1404]``."""
    near = tokens[max(0, place - 1) : place + 2]
    return opened == "[" or (opened == "(" and any(each.text == "," for each in near))


def _is_label(tokens: Sequence[Token], place: int) -> bool:
    """Whether it stands where ids stand: ``#1404``, ``**1404:** A → B``, ``A → B (1404)``."""
    number = tokens[place].whole
    if number is None or number < _LEAST_LABEL:
        return False
    before = [each for each in tokens[max(0, place - _REACH) : place] if each.text not in _QUIET]
    after = [each for each in tokens[place + 1 : place + _REACH] if each.text not in _QUIET]
    if len(before) > 1 and "ordinals" in before[0].kinds and before[1].kind == "number":
        # "Route 2: 1404 (the last)"
        before = [each for each in before[2:] if each.text not in _AFTER_LABEL]
        if not before and after and after[0].text == "(":
            return True
    if tokens[max(0, place - 1) : place] and tokens[place - 1].text == "#":
        return True
    if before and before[-1].text == "(" and after and after[0].text == ")":
        return len(before) == 1 or before[-2].kind == "molecule"
    if before:
        return False
    return not after or after[0].kind == "molecule" or after[0].text in _AFTER_LABEL


def _kind(tokens: Sequence[Token], place: int, listing: bool) -> Kind:
    before = _before(tokens, place)
    if before is not None and "yield_words" in before.kinds:
        return "yield"
    number = tokens[place].whole
    if _counts(tokens, place) or (before is not None and _is_before_count(before, tokens, place)):
        return "number"
    if number is None or "." in tokens[place].text or not 0 < number < _LARGEST_ID:
        return "yield" if _says(tokens[max(0, place - _REACH) : place], "yield_words") else "number"
    joined = _joined(tokens, place)
    beside = _beside(tokens, place)
    if beside is not None and "reactions" in beside.kinds:
        return "reaction"
    if has_unit(tokens, place) and not joined:
        return "number"
    if before is not None and "reactions" in before.kinds:
        return "reaction"
    if beside is not None and "ordinals" in beside.kinds and not beside.kinds & {"routes"}:
        return "number" if number <= _LARGEST_ORDINAL else "reaction"
    if joined or _in_arrows(tokens, place):
        return "reaction"
    if beside is not None and ("ordinals" in beside.kinds or load_words().never_ids.fullmatch(beside.text)):
        return "number"
    return "reaction" if listing or _named_after(tokens, place) else "number"


def _before(tokens: Sequence[Token], place: int) -> Token | None:
    """The word that stands before a number, with no more than punctuation and a copula between them."""
    for token in reversed(tokens[max(0, place - _REACH) : place]):
        if (
            (token.kind == "mark" and token.text in _TRANSPARENT)
            or "copulas" in token.kinds
            or token.text == "of"
        ):
            continue
        return token if token.kind in ("word", "noun", "verb") else None
    return None


def _beside(tokens: Sequence[Token], place: int) -> Token | None:
    """The word right before a number."""
    for token in reversed(tokens[max(0, place - 4) : place]):
        if token.kind != "mark" or token.text not in "*`#(":
            return token
    return None


def _named_after(tokens: Sequence[Token], place: int) -> bool:
    """Whether it is said what a number is after it: ``12 and 13 are the reactions``."""
    for number, token in enumerate(tokens[place + 1 : place + _LONGEST_LIST]):
        if "copulas" in token.kinds:
            after = tokens[place + number + 2 : place + number + 5]
            return any("reactions" in each.kinds for each in after)
        if token.kind != "number" and "lists" not in token.kinds and token.text not in _JOINING:
            return False
    return False


def _joined(tokens: Sequence[Token], place: int) -> bool:
    """Whether it goes on a list or a chain of ids."""
    linked = False
    for token in reversed(tokens[max(0, place - _REACH) : place]):
        if token.kind == "reaction":
            return linked
        if token.kind == "arrow" or token.kinds & {"lists", "links", "reactions"} or token.text in _JOINING:
            linked = True
        elif token.kind != "mark" or token.text not in "()[]`\"'*#{}":
            return False
    return False


def _in_arrows(tokens: Sequence[Token], place: int) -> bool:
    after = [token for token in tokens[place + 1 : place + 4] if token.kind != "mark"]
    before = [token for token in tokens[max(0, place - 3) : place] if token.kind != "mark"]
    arrow_after = bool(after) and (after[0].kind == "arrow" or _links_numbers(after))
    arrow_before = bool(before) and (before[-1].kind == "arrow" or _links_numbers(before[::-1]))
    return (arrow_after or arrow_before) and not any(token.kind == "yield" for token in before + after)


def _links_numbers(near: Sequence[Token]) -> bool:
    return len(near) > 1 and "links" in near[0].kinds and near[1].kind in ("number", "reaction")


def _is_before_count(before: Token, tokens: Sequence[Token], place: int) -> bool:
    """Whether a word says that a number counts: ``"count": 2``, ``"step": 2``."""
    number = tokens[place].whole
    keyed = [each.text for each in tokens[max(0, place - 2) : place]] == ['"', ":"]
    steps = keyed and "counters" in before.kinds and "routes" not in before.kinds
    return "counts" in before.kinds or (steps and number is not None and number < _LEAST_LABEL)


def _counts(tokens: Sequence[Token], place: int) -> bool:
    """Whether it counts something beside it: ``A + 2 B``, ``; (2) A``, ``(80 - 85 %)``, ``2 - 3 h``."""
    number, after = tokens[place].whole, tokens[place + 1 : place + 2]
    if number is not None and number < _LEAST_LABEL and after:
        before = tokens[max(0, place - 2) : place]
        if after[0].kind == "molecule" and is_factor(tokens, place):
            return True
        listed = len(before) == 2 and before[0].text in (";", ",")
        if listed and before[1].text == "(" and after[0].text == ")":
            return True
    return _begins_range(tokens, place)


def is_factor(tokens: Sequence[Token], place: int) -> bool:
    """Whether a number says how many molecules, as ``A + 2 B``."""
    number, near = tokens[place].whole, tokens[max(0, place - 1) : place + 2]
    if number is None or number > _LARGEST_FACTOR or len(near) < 3 or near[2].kind != "molecule":
        return False
    return near[0].kind in ("arrow", "back") or near[0].text in "+.&"


def _begins_range(tokens: Sequence[Token], place: int) -> bool:
    """Whether it begins ``80 - 85 %`` or ``2 - 3 h``; in ``reaction 80 - 85 %`` it is an id."""
    after = tokens[place + 1 : place + 3]
    if len(after) < 2 or after[0].text not in _DASHES or after[1].kind not in ("percent", "number"):
        return False
    low, high, beside = tokens[place].value, after[1].value, _beside(tokens, place)
    named = beside is None or "reactions" in beside.kinds or beside.text == "#"
    ends = after[1].kind == "percent" or has_unit(tokens, place + 2)
    return ends and not named and low is not None and high is not None and low < high


def has_unit(tokens: Sequence[Token], place: int) -> bool:
    """Whether what stands behind a number says that it is no id: ``2 routes``, ``25 °C``."""
    after = [token for token in tokens[place + 1 : place + 6] if token.text not in ("-", "*", "`", "_", "(")]
    if not after or (after[0].kind == "mark" and after[0].text != "°"):
        return False
    return load_words().units.fullmatch(after[0].text) is not None


def _is_amount(tokens: Sequence[Token], place: int) -> bool:
    """Whether a yield is given in grams or moles."""
    after = [token for token in tokens[place + 1 : place + 4] if token.text not in "-*`_("]
    return bool(after) and load_words().amounts.fullmatch(after[0].text) is not None


def _is_yield(tokens: Sequence[Token], place: int) -> bool:
    after = [token for token in tokens[place + 1 : place + 4] if token.kind != "mark"]
    return not after or load_words().other_percentages.fullmatch(after[0].text) is None


def _says(tokens: Sequence[Token], kind: str) -> bool:
    return any(kind in token.kinds for token in tokens)


def _without_ordinals(tokens: list[Token]) -> list[Token]:
    """In ``Reaction 1 (id 1087)`` the first number is no id."""
    for place, token in enumerate(tokens):
        if token.kind != "reaction":
            continue
        rest = [
            each for each in tokens[place + 1 : place + 6] if each.kind != "mark" or each.text not in "(:*,#"
        ]
        if (
            len(rest) > 1
            and rest[0].text.lower() in ("id", "reaction id", "reaction_id")
            and rest[1].kind == "reaction"
            and tokens[place].text != rest[1].text
        ):
            tokens[place] = replace(token, kind="number")
    return tokens


_RANGE_DASHES = ("-", "\u2013", "\u2014", "to", "and")
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
        if len(before) > 1 and before[-1].text in _RANGE_DASHES and before[-2].kind in ("number", "yield"):
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
