"""A row of a table as if it were a sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from kg.claims._model import Predicate
from kg.claims._numbers import classified
from kg.claims._scopes import Group, groups_in
from kg.claims._sentence import Part, Roles, Told
from kg.claims._tables import Cell
from kg.claims._tokens import Token, tokens_of

_COUNTING = frozenset(("counters", "counts", "dated", "ordinals"))
_RUNNING = frozenset(("#", "no", "no .", "nr", "nr ."))
"""Headings of a column that numbers the rows."""
_HEADINGS: Mapping[str, Predicate] = {"to": "PRODUCES", "in": "REACTS_IN", "out": "PRODUCES"}


def read_row(
    titles: Sequence[list[Token]], row: tuple[Cell, ...], plain: str, names: dict[int, str]
) -> tuple[list[Token], Told, list[Group], bool, int | None] | None:
    """Return tokens, molecules with their roles, and reactions of a row, whether it is a route, and its step.

    None where the heading says nothing.

    Args:
        titles: The cells of the heading, which say what a column holds.
        row: The cells of the row.
        plain: The answer, its molecules masked.
        names: The names of molecules by where they begin.
    """
    tokens: list[Token] = []
    told = Told()
    understood = False
    route = False
    step: int | None = None
    for title, cell in zip(titles, row, strict=False):
        kinds = {kind for token in title for kind in token.kinds}
        role = next((token.role for token in title if token.kind == "noun"), None)
        role = role or next((token.verb.after for token in title if token.verb is not None), None)
        role = role or _HEADINGS.get(_texts(title))
        understood = understood or role is not None or bool(kinds & {"reactions", "routes", "yield_words"})
        route = route or "routes" in kinds
        contents = tokens_of(plain, *cell, names)
        if _is_steps(title):
            numbers = [token.whole for token in contents if token.kind == "number"]
            step = numbers[0] if len(numbers) == 1 else None
        # The one number of a column for routes is that of the route.
        counted = "routes" in kinds and sum(token.kind == "number" for token in contents) == 1
        listing = bool(kinds & {"reactions", "routes"}) and not counted
        if not counted:
            contents = classified(contents, listing=listing, labels=False)
        by_words = {part.place: part for part in Roles(contents).read().parts} if role is None else {}
        for place, token in enumerate(contents):
            if token.kind in ("number", "percent", "reaction", "yield"):
                token = _as_column(token, title)
            if token.kind == "molecule":
                part = by_words.get(place) or Part(token, role, 0, 0)
                part.place = len(tokens)
                told.parts.append(part)
            tokens.append(token)
    if not understood:
        return None
    return tokens, told, groups_in(tokens, as_route=route), route, step


def _is_steps(title: Sequence[Token]) -> bool:
    """Whether a column counts the steps of a route."""
    words = [token.text.lower() for token in title if token.kind != "mark"]
    return words in (["step"], ["step", "no"], ["step", "number"])


def _as_column(token: Token, title: Sequence[Token]) -> Token:
    """A number as what its column holds; one of a column that counts is a word like others."""
    kinds = {kind for each in title for kind in each.kinds}
    if "yield_words" in kinds:
        percents = any(each.text == "%" for each in title)
        return replace(token, kind="yield", kinds=token.kinds | {"percents"} if percents else token.kinds)
    if token.kind == "number" and kinds & {"reactions"} and token.whole is not None:
        return replace(token, kind="reaction")
    if token.kind == "number" and (kinds & _COUNTING or _texts(title) in _RUNNING):
        return replace(token, kind="word")
    return token


def _texts(title: Sequence[Token]) -> str:
    return " ".join(each.text.lower() for each in title if each.text not in "*_`")
