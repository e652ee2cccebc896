"""Which reactions of a sentence its molecules and yields belong to."""

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from retrocypher.kg.claims.claim import Predicate
from retrocypher.kg.claims.sentence import Part
from retrocypher.kg.claims.tokens import Token


@dataclass(slots=True)
class Group:
    """Reactions that are named together.

    Attributes:
        first: Place of the first among the tokens.
        follows: Whether they come after the group before them, in time.
        aside: Whether they stand in brackets, behind what is said of them.
        begins: Whether a "step 1" before them begins a route, within a line as JSON has it.
    """

    ids: list[int]
    first: int
    last: int
    follows: bool
    aside: bool
    begins: bool = False


def groups_in(tokens: Sequence[Token], *, as_route: bool, and_goes_on: bool = False) -> list[Group]:
    """Return the reactions of a sentence in groups.

    With ``as_route`` reactions in a list follow one another, as in ``route: [1400, 1404]``; with
    ``and_goes_on`` so do those before and after an "and", which else are alternatives.
    """
    groups: list[Group] = []
    for place, token in enumerate(tokens):
        number = token.whole
        if token.kind != "reaction" or number is None:
            continue
        between = tokens[groups[-1].last + 1 : place] if groups else tokens[:place]
        linked = bool(groups) and _is_linked(between)
        aside = _in_brackets(tokens, place)
        if groups and not linked and _is_list(between):
            closed = any(each.text in ("]", ")") for each in between)
            closed = closed or (groups[-1].follows and _leads_on(tokens, place))
            if not (as_route or (closed and groups[-1].follows)) or (
                _has_and(between) and not closed and not and_goes_on
            ):
                groups[-1].ids.append(number)
                groups[-1].last = place
                continue
            linked = not closed
        groups.append(Group([number], place, place, linked, aside, _is_first_step(between)))
    return groups


def _is_first_step(between: Sequence[Token]) -> bool:
    """Whether ``"step": 1`` is the last count before a reaction."""
    counted = [token for token in between if token.kind == "number" or "counters" in token.kinds]
    if len(counted) < 2:
        return False
    word, number = counted[-2:]
    return "counters" in word.kinds and "routes" not in word.kinds and number.whole == 1


def _leads_on(tokens: Sequence[Token], place: int) -> bool:
    """Whether what comes right after a reaction follows it, so that it begins a route of its own."""
    after = next((each for each in tokens[place + 1 :] if each.kind != "mark"), None)
    return after is not None and (after.kind == "arrow" or "links" in after.kinds)


_NEAR, _FAR = 20, 200
"""Groups before and after a molecule that it may belong to, and tokens beyond them that are looked at."""


def _is_linked(between: Sequence[Token]) -> bool:
    """Whether what stands between two reactions says that one follows the other."""
    if any("links" in each.kinds for each in between):
        return True
    near = [each for each in between if each.kind != "mark" and "reactions" not in each.kinds]
    return bool(near) and "arrow" in (near[0].kind, near[-1].kind)


def scope_of(
    part: Part, groups: Sequence[Group], tokens: Sequence[Token]
) -> list[tuple[Group, Predicate | None]]:
    """Return the groups a molecule belongs to, each with the role that its place alone gives it, or None."""
    if len(groups) == 1:
        return [(groups[0], None)]
    after = bisect(groups, part.place, key=lambda group: group.first)
    left, right = groups[max(0, after - _NEAR) : after], groups[after : after + _NEAR]
    groups = [*left, *right]
    if all(group.follows for group in groups[1:]):
        return _in_chain(part, groups, left, right, tokens)
    if right and right[0].aside and (not left or left[-1].aside):
        return [(right[0], None)]
    if left and not _is_trailing(groups, tokens):
        return [(group, None) for group in _peers(part, left, tokens)]
    if left:
        return [(right[0] if right else left[-1], None)]
    return [(group, None) for group in groups] if part.role == "PRODUCES" else [(groups[0], None)]


def _is_trailing(groups: Sequence[Group], tokens: Sequence[Token]) -> bool:
    """Whether reactions come after what is said of them: ``A in reaction 12 and B in reaction 13``."""
    if any(tokens[group.last + 1].kind == "verb" for group in groups[:-1]):
        # "From A, reaction 12 gives B, and reaction 13 ends it"
        return False
    begin = max(0, groups[0].first - _FAR)
    near = tokens[begin : groups[-1].last + _FAR]
    molecules = [begin + place for place, token in enumerate(near) if token.kind == "molecule"]
    if not molecules or molecules[0] > groups[0].first or molecules[-1] > groups[-1].first:
        return False
    return all(any(one.last < place < other.first for place in molecules) for one, other in pairwise(groups))


def _peers(part: Part, left: Sequence[Group], tokens: Sequence[Token]) -> list[Group]:
    """The last group before a molecule, and those listed with it: ``12 (45 %) and 13 (81 %) both give A``."""
    found = [left[-1]]
    if _depth(tokens[left[-1].last + 1 : part.place]) > 0:
        return found
    for one, other in reversed(list(pairwise(left))):
        outside = _outside_brackets(tokens[one.last + 1 : other.first])
        if not any("lists" in token.kinds for token in outside) or not _is_list(outside):
            break
        found.append(one)
    return found


def _depth(tokens: Sequence[Token]) -> int:
    return sum(token.text == "(" for token in tokens) - sum(token.text == ")" for token in tokens)


def _outside_brackets(tokens: Sequence[Token]) -> list[Token]:
    depth = 0
    found: list[Token] = []
    for token in tokens:
        depth += token.text == "("
        if depth == 0:
            found.append(token)
        depth -= token.text == ")"
    return found


def link(
    placed: Sequence[tuple[Part, list[tuple[Group, Predicate | None]]]],
    groups: Sequence[Group],
    made: set[str],
) -> set[str]:
    """Let each group follow the one before where it takes up what that makes; return what the last makes."""
    held: dict[int, list[tuple[str, Predicate | None]]] = {group.first: [] for group in groups}
    for part, scopes in placed:
        for group, role in scopes:
            held[group.first].append((part.token.text, role or part.role))
    for group in groups:
        taken = {name for name, role in held[group.first] if role == "REACTS_IN"}
        group.follows = group.follows or (bool(made & taken) and not group.begins)
        made = {name for name, role in held[group.first] if role == "PRODUCES"}
    return made


def nearest(place: int, groups: Sequence[Group], tokens: Sequence[Token]) -> Group | None:
    """Return the reactions that a number or word belongs to: those right behind it, else the last before."""
    after = bisect(groups, place, key=lambda group: group.first)
    right = groups[after] if after < len(groups) else None
    if right is not None and all(_binds(token) for token in tokens[place + 1 : right.first]):
        return right
    return groups[after - 1] if after else right


def _binds(token: Token) -> bool:
    quiet = token.kind == "mark" and token.text not in (",", ";", ".")
    kinds = {"of", "reactions", "determiners", "copulas", "yield_words", "best_words"}
    return quiet or bool(token.kinds & kinds) or token.text.lower() in ("in", "by", "with", "from")


def _in_chain(
    part: Part,
    groups: Sequence[Group],
    left: Sequence[Group],
    right: Sequence[Group],
    tokens: Sequence[Token],
) -> list[tuple[Group, Predicate | None]]:
    if left and right:
        if _arrows_around(tokens, part.place, left[-1].last, right[0].first):
            return [(left[-1], "PRODUCES"), (right[0], "REACTS_IN")]
        trailing = right[0].aside and (not left[-1].aside or all(group.aside for group in groups))
        return [(right[0] if trailing else left[-1], None)]
    if not left:
        return [(groups[-1] if part.role == "PRODUCES" else groups[0], None)]
    inner = any(token.kind == "molecule" for token in tokens[groups[0].last : groups[-1].first])
    return [(groups[0] if part.role == "REACTS_IN" and not inner else groups[-1], None)]


def _arrows_around(tokens: Sequence[Token], place: int, left: int, right: int) -> bool:
    plain = ("arrow", "mark", "molecule")
    around = tokens[left + 1 : right]
    reaches = all(token.kind in plain or token.kinds & {"lists", "reactions", "links"} for token in around)
    before = any(token.kind == "arrow" for token in tokens[left + 1 : place])
    after = any(token.kind == "arrow" for token in tokens[place + 1 : right])
    return reaches and before and after


def _is_list(between: Sequence[Token]) -> bool:
    return all(
        token.kinds & {"lists", "reactions"} or (token.kind == "mark" and token.text not in ".;:|")
        for token in between
    )


def _has_and(between: Sequence[Token]) -> bool:
    return any("lists" in token.kinds for token in between)


def _in_brackets(tokens: Sequence[Token], place: int) -> bool:
    near = range(place - 1, max(-1, place - 5), -1)
    for at in near:
        token = tokens[at]
        if token.text in "([":
            before = [each for each in tokens[max(0, at - 4) : at] if each.text not in "`*\"'_"]
            return bool(before) and (before[-1].kind == "molecule" or before[-1].text in ")%")
        if token.kind == "molecule" or token.text in ")]":
            return False
    return False
