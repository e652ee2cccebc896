"""How an answer is laid out: lines, and what begins a route or goes on with one."""

import re
from itertools import pairwise

from kg.claims._scopes import Group
from kg.claims._sentence import Part, Told
from kg.claims._tables import Cell
from kg.claims._tokens import Token

_ROUTE = re.compile(
    r"[*_`#]*(?:(?:one|another|an?|first|second|third|the (?:first|second|third|other|next|last))\s)?"
    r"(?:way|route|chain|path|pathway|option|sequence)\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"[*_`]*(?:step|reaction step)[ \t]*(\d{1,2})\b", re.IGNORECASE)
_ORDINAL = re.compile(r"[*_`]*(first|second|third|fourth|fifth|sixth)(?:ly)?[,:]", re.IGNORECASE)
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
BULLET = re.compile(r"[ \t]*(?:(?:[-*+•]|(?P<number>\d{1,3})[.)]|#{1,6}|>)[ \t]+)*")
"""What stands before an item of a list."""
_NUMBERED = re.compile(r"[ \t]*(?:\d{1,3}[.)]|#\d{1,3}[:.]?|\(\d{1,3}\))[ \t]")


def is_numbered(plain: str, start: int) -> bool:
    """Whether a line begins with its number."""
    return _NUMBERED.match(plain, start) is not None


def names_route(plain: str, start: int) -> bool:
    """Whether a sentence begins with what it calls a route: ``Route 2: ...``, ``Another way begins ...``."""
    return _ROUTE.match(plain, start) is not None


def step_label(plain: str, start: int) -> int | None:
    """Return the number of the step that a sentence begins with, as in ``Step 2: ...``."""
    found = _LABEL.match(plain, start)
    return int(found[1]) if found else None


def ordinal_of(plain: str, start: int) -> int | None:
    """Return the number of the step that a sentence begins with, as in ``Second, reaction 12 ...``."""
    found = _ORDINAL.match(plain, start)
    return _ORDINALS.index(found[1].lower()) + 1 if found else None


def has(tokens: list[Token], text: str) -> bool:
    """Whether one of the tokens is a text."""
    return any(token.text == text for token in tokens)


def without_asides(tokens: list[Token]) -> list[Token]:
    """Return a sentence without ``unlike reactions 12 and 13,``, which says nothing of them."""
    begins = next((place for place, token in enumerate(tokens) if token.text.lower() == "unlike"), None)
    if begins is None:
        return tokens
    for place in range(begins + 1, len(tokens)):
        token, after = tokens[place], tokens[place + 1 : place + 2]
        if token.text == "," and after and after[0].kind not in ("reaction", "number"):
            return [*tokens[:begins], *tokens[place + 1 :]]
        if token.kind not in ("reaction", "mark") and not token.kinds & {"reactions", "lists", "determiners"}:
            return tokens
    return tokens


def is_list_of_ids(tokens: list[Token]) -> bool:
    """Whether there is a list such as ``"route": [1404]``, which is no reference such as ``[13]``."""
    return any(
        token.text == "[" and after.kind == "reaction" and (place == 0 or tokens[place - 1].text in ":=[,(")
        for place, (token, after) in enumerate(pairwise(tokens))
    )


def is_one_route(tokens: list[Token]) -> bool:
    """Whether a sentence is the list of one route: ``Route 1: reactions 1400, 1404 and 1500``."""
    said = [token for token in tokens if token.kind != "mark"]
    if len(said) < 4 or "routes" not in said[0].kinds or said[0].text.lower().endswith("s"):
        return False
    labelled = said[1].kind == "number" or len(said[1].text) == 1
    return labelled and all(
        token.kind == "reaction"
        or "reactions" in token.kinds
        or ("lists" in token.kinds and token.text.lower() != "or")
        for token in said[2:]
    )


def respective(part: Part, told: Told, group: Group, tokens: list[Token]) -> list[int]:
    """The reactions of a group that a molecule belongs to: each its own where the sentence says so."""
    if len(group.ids) > 1 and any(token.text.lower() == "respectively" for token in tokens):
        peers = [each for each in told.parts if each.group == part.group]
        if len(peers) == len(group.ids):
            return [group.ids[peers.index(part)]]
    return group.ids


def lines_of(plain: str) -> list[Cell]:
    """Return where the lines of an answer stand."""
    found: list[Cell] = []
    position = 0
    for line in plain.split("\n"):
        found.append(Cell(position, position + len(line)))
        position += len(line) + 1
    return found
