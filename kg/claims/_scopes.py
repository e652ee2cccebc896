"""Which reactions of a sentence its molecules and yields belong to."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from kg.claims._sentence import Part
from kg.claims._tokens import Token

MOST_ROUTES = 200
"""Routes that alternatives such as ``1400 or 1403, then 1404`` are spelt out to."""


@dataclass(slots=True)
class Group:
    """Reactions that are named together.

    Attributes:
        ids: Their ids.
        first: Place of the first among the tokens.
        last: Place of the last.
        follows: Whether they come after the group before them, in time.
        aside: Whether they stand in brackets, behind what is said of them.
    """

    ids: list[int]
    first: int
    last: int
    follows: bool
    aside: bool


def groups_in(tokens: Sequence[Token], *, as_route: bool) -> list[Group]:
    """Return the reactions of a sentence in groups.

    Args:
        tokens: The sentence, its numbers classified.
        as_route: Whether reactions in a list follow one another, as in ``route: [1400, 1404]``.
    """
    groups: list[Group] = []
    for place, token in enumerate(tokens):
        number = token.whole
        if token.kind != "reaction" or number is None:
            continue
        between = tokens[groups[-1].last + 1 : place] if groups else tokens[:place]
        linked = any(each.kind == "arrow" or "links" in each.kinds for each in between)
        if groups and not linked and _is_list(between):
            if not as_route or _has_and(between):
                groups[-1].ids.append(number)
                groups[-1].last = place
                continue
            linked = True
        groups.append(Group([number], place, place, linked, _in_brackets(tokens, place)))
    return groups


def routes_of(groups: Sequence[Group], before: Sequence[int] = ()) -> list[tuple[int, ...]]:
    """Return the chains that groups form; reactions that follow nothing and lead nowhere are none.

    Args:
        groups: The groups of a sentence.
        before: The reactions that the first group follows, where it follows what was said before.
    """
    chains: list[list[list[int]]] = []
    for group in groups:
        if group.follows and chains:
            chains[-1].append(group.ids)
        elif group.follows and before:
            chains.append([list(before), group.ids])
        else:
            chains.append([group.ids])
    found: list[tuple[int, ...]] = []
    for chain in chains:
        if len(chain) > 1:
            for route in product(*chain):
                found.append(route)
                if len(found) >= MOST_ROUTES:
                    return found
    return found


def scope_of(part: Part, groups: Sequence[Group], tokens: Sequence[Token]) -> list[tuple[Group, str | None]]:
    """Return the groups a molecule belongs to, each with the role that its place alone gives it, or None."""
    if len(groups) == 1:
        return [(groups[0], None)]
    left = [group for group in groups if group.last < part.place]
    right = [group for group in groups if group.first > part.place]
    if all(group.follows for group in groups[1:]):
        return _in_chain(part, groups, left, right, tokens)
    if right and right[0].aside and _reaches(tokens, part.place, right[0].first):
        return [(right[0], None)]
    if left:
        return [(left[-1], None)]
    return [(group, None) for group in groups] if part.role == "PRODUCES" else [(groups[0], None)]


def _in_chain(
    part: Part, groups: Sequence[Group], left: list[Group], right: list[Group], tokens: Sequence[Token]
) -> list[tuple[Group, str | None]]:
    if left and right:
        if _arrows_around(tokens, part.place, left[-1].last, right[0].first):
            return [(left[-1], "PRODUCES"), (right[0], "REACTS_IN")]
        if right[0].aside and not left[-1].aside and _reaches(tokens, part.place, right[0].first):
            return [(right[0], None)]
        return [(left[-1], None)]
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


def _reaches(tokens: Sequence[Token], place: int, group: int) -> bool:
    return not any(token.text in (".", ";") for token in tokens[place + 1 : group])


def _is_list(between: Sequence[Token]) -> bool:
    return all(
        token.kinds & {"lists", "reactions"} or (token.kind == "mark" and token.text not in ".;:|")
        for token in between
    )


def _has_and(between: Sequence[Token]) -> bool:
    return any("lists" in token.kinds for token in between) or any(token.text == "]" for token in between)


def _in_brackets(tokens: Sequence[Token], place: int) -> bool:
    for token in reversed(tokens[max(0, place - 4) : place]):
        if token.text in "([":
            return True
        if token.kind == "molecule" or token.text in ")]":
            return False
    return False
