"""A row of a table as if it were a sentence."""

from dataclasses import replace

from kg.claims._numbers import classified
from kg.claims._scopes import Group, groups_in
from kg.claims._sentence import Part, Told
from kg.claims._tables import Cell
from kg.claims._tokens import Token, tokens_of


def read_row(
    heading: tuple[Cell, ...], row: tuple[Cell, ...], plain: str, names: dict[int, str]
) -> tuple[list[Token], Told, list[Group]] | None:
    """Return tokens, molecules with their roles, and reactions of a row; None where the heading says nothing.

    Args:
        heading: The cells of the heading, which say what a column holds.
        row: The cells of the row.
        plain: The answer, its molecules masked.
        names: The names of molecules by where they begin.
    """
    tokens: list[Token] = []
    told = Told()
    understood = False
    route = False
    for head, cell in zip(heading, row, strict=False):
        title = tokens_of(plain, *head, names)
        kinds = {kind for token in title for kind in token.kinds}
        role = next((token.role for token in title if token.kind == "noun"), None)
        role = role or next((token.verb.after for token in title if token.verb is not None), None)
        understood = understood or role is not None or bool(kinds & {"reactions", "routes", "yield_words"})
        route = route or "routes" in kinds
        for token in classified(
            tokens_of(plain, *cell, names), listing=bool(kinds & {"reactions", "routes"})
        ):
            if token.kind in ("number", "percent", "reaction", "yield"):
                token = _as_column(token, kinds)
            if token.kind == "molecule":
                told.parts.append(Part(token, role, len(tokens), 0))
            tokens.append(token)
    if not understood:
        return None
    return tokens, told, groups_in(tokens, as_route=route)


def _as_column(token: Token, kinds: set[str]) -> Token:
    """A number as what its column holds."""
    if "yield_words" in kinds:
        return replace(token, kind="yield")
    if token.kind == "number" and kinds & {"reactions"} and token.whole is not None:
        return replace(token, kind="reaction")
    return token
