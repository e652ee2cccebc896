"""Which numbers of a sentence are ids of reactions, which are yields, and which ids belong together."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from retrocypher.kg.claims.coverage import counted_at
from retrocypher.kg.claims.tokens import Token
from retrocypher.kg.claims.words import load_words

QUIET = frozenset("#*`\"'_([{)]}=")
"""Marks between words that change nothing."""
_JOINING = frozenset((",", ";", "&", "+", "/"))
_LEAST_ID = 100
"""From here on, a number in the place of an id is one without a word that says so."""
_LARGEST_ID = 10**9
_REACH = 8
_AFTER_ID = frozenset((":", ",", ";", ")", "]", "|", "(", "-", "\u2013", "\u2014", ".", "&"))


@dataclass(slots=True)
class Group:
    """Reactions that are named together, with the places of the first and the last among the tokens.

    ``aside`` is whether they stand in brackets behind what is said of them, ``linked`` whether they follow
    those before them in a route.
    """

    ids: list[int]
    first: int
    last: int
    aside: bool
    linked: bool


_INEXACT = frozenset(
    (
        *("to", "and", "about", "approximately", "roughly", "around", "circa", "ca", "~"),
        *("\u2248", "over", "above", "under", "below", "than", "least", "most", "exceeding"),
        *("<", ">", "\u2264", "\u2265"),
    )
)


def is_inexact(tokens: Sequence[Token], place: int) -> bool:
    """Whether a percentage is a limit, a rough one or the end of a range; rules do not read these."""
    before = [each for each in tokens[max(0, place - 3) : place] if each.text not in "%(*`"]
    last = before[-1].text.lower() if before else ""
    ranges = len(before) > 1 and before[-2].kind in ("number", "yield", "percent")
    return last in _INEXACT or (last in ("-", "\u2013") and ranges)


def is_untold(tokens: Sequence[Token], place: int) -> bool:
    """Whether a word for a yield says that none is known: ``no yield of A``."""
    return "yield_words" in tokens[place].kinds and any(
        each.text.lower() == "no" for each in tokens[max(0, place - 2) : place]
    )


def step_of(tokens: Sequence[Token]) -> int | None:
    """Return the number of the step that a sentence tells, ``Step 2: …``; None if it tells none."""
    plain = [each for each in tokens if each.text not in QUIET and each.text not in ":|"]
    for one, other in pairwise(plain):
        if "step_words" in one.kinds and not one.text.lower().endswith("s") and other.kind == "number":
            return other.whole
    return None


def is_route(tokens: Sequence[Token], group: Group) -> bool:
    """Whether the ids of a list follow one another: ``Route 1: reactions 12, 13``, ``[12, 13]``."""
    before = [each for each in tokens[: group.first] if each.text not in "*`_\"'"]
    bracket = bool(before) and before[-1].text == "["
    named = any("routes" in each.kinds and not each.text.lower().endswith("s") for each in before)
    return bracket or named


def groups_in(tokens: Sequence[Token]) -> list[Group]:
    """Return the reactions of a sentence; those in one list are a group."""
    groups: list[Group] = []
    for place, token in enumerate(tokens):
        if token.kind != "reaction" or token.whole is None:
            continue
        between = tokens[groups[-1].last + 1 : place] if groups else tokens[:place]
        bare = [each for each in between if each.text not in QUIET and "reactions" not in each.kinds]
        if groups and all("lists" in each.kinds or each.text in _JOINING for each in bare):
            groups[-1].ids.append(token.whole)
            groups[-1].last = place
            continue
        linked = (
            bool(groups)
            and bool(bare)
            and all(
                each.kind == "arrow" or each.text in _JOINING or each.kinds & {"links", "lists"}
                for each in bare
            )
        )
        groups.append(Group([token.whole], place, place, _in_brackets(tokens, place), linked))
    return groups


def _in_brackets(tokens: Sequence[Token], place: int) -> bool:
    """Whether an id stands in brackets behind something: ``A → B (reaction 12)``."""
    for at in range(place - 1, max(-1, place - 5), -1):
        if tokens[at].text in "([":
            return any(each.kind in ("molecule", "yield") for each in tokens[:at])
        if tokens[at].kind == "molecule" or tokens[at].text in ")]":
            return False
    return False


def classified(tokens: Sequence[Token], *, listing: bool = False) -> list[Token]:
    """Return the tokens with each number as what it is: ``reaction``, ``yield`` or ``number``."""
    found = list(tokens)
    for place, token in enumerate(tokens):
        if token.kind == "percent":
            found[place] = replace(
                token, kind="yield" if _is_yield(tokens, place) else "number", kinds=frozenset({"percents"})
            )
        elif token.kind == "number" and token.whole is not None and "." not in token.text:
            if _is_id(found, place, listing=listing):
                found[place] = replace(token, kind="reaction")
            elif _after_yield(found, place):
                found[place] = replace(token, kind="yield")
        elif token.kind == "number" and _after_yield(found, place):
            found[place] = replace(token, kind="yield")
    for one, other in pairwise([place for place, each in enumerate(found) if each.kind == "reaction"]):
        # In "Reaction 1 (ID 12)" the first number is no id.
        if [each.text.lower() for each in found[one + 1 : other]][:2] == ["(", "id"]:
            found[one] = replace(found[one], kind="number")
    return found


def _is_yield(tokens: Sequence[Token], place: int) -> bool:
    after = [each for each in tokens[place + 1 : place + 4] if each.kind != "mark"]
    return not after or load_words().other_percentages.fullmatch(after[0].text) is None


def _after_yield(tokens: Sequence[Token], place: int) -> bool:
    after = [each for each in tokens[place + 1 : place + 4] if each.text not in "-*`_("]
    if after and load_words().amounts.fullmatch(after[0].text):
        return False
    for token in reversed(tokens[max(0, place - 6) : place]):
        if "yield_words" in token.kinds:
            return True
        if token.kind != "mark" and not token.kinds & {"copulas", "of"}:
            return False
    return False


def _is_id(tokens: Sequence[Token], place: int, *, listing: bool) -> bool:
    number = tokens[place].whole
    if number is None or not 0 < number < _LARGEST_ID:
        return False
    before = [each for each in tokens[max(0, place - _REACH) : place] if each.text not in QUIET]
    bare = all(each.kind in ("number", "reaction", "arrow", "mark") for each in tokens)
    if (before and "reactions" in before[-1].kinds) or (
        bare and any(each.kind == "arrow" for each in tokens)
    ):
        return True
    alone = [each.text for each in tokens[max(0, place - 1) : place + 2 : 2]] == ["(", ")"]
    if counted_at(tokens, place) is not None or (alone and number < _LEAST_ID):
        return False
    joined = colon = False
    while before and _joins(before[-1]):
        colon = colon or before[-1].text == ":"
        joined = joined or before[-1].text != ":"
        before.pop()
    last = before[-1] if before else None
    if last is not None and ("reactions" in last.kinds or (last.kind == "reaction" and joined)):
        return True
    told = {kind for each in tokens[:place] for kind in each.kinds}
    if colon and ("reactions" in told or ("routes" in told and number >= _LEAST_ID)):
        return True
    if number < _LEAST_ID:
        return listing and (last is None or last.kind == "reaction") and _ends_id(tokens, place)
    if (
        last is not None
        and last.kinds & {"ordinals", "routes"}
        and not last.kinds & {"counters"} - {"routes"}
    ):
        return True
    begins = last is None or (len(before) == 2 and "ordinals" in before[0].kinds and last.kind == "number")
    bracketed = place > 0 and tokens[place - 1].text in "([#"
    return (begins or bracketed) and _ends_id(tokens, place)


def _joins(token: Token) -> bool:
    """Whether it may stand between two ids of a list, or before one."""
    return (
        token.text in _JOINING
        or token.text == ":"
        or bool(token.kinds & {"lists", "links"})
        or token.kind == "arrow"
    )


def _ends_id(tokens: Sequence[Token], place: int) -> bool:
    """Whether what stands behind a number may stand behind an id."""
    after = next((each for each in tokens[place + 1 : place + 6] if each.text not in "*`_\"'"), None)
    return (
        after is None
        or after.kind in ("molecule", "arrow")
        or after.text in _AFTER_ID
        or "lists" in after.kinds
    )
