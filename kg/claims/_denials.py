"""What a sentence denies without it being read, so that the answer may say the opposite of its claims."""

from collections.abc import Sequence

from kg.claims._scopes import Group
from kg.claims._sentence import Told
from kg.claims._tokens import Token
from kg.claims._words import load_words

_NEAR = 4
_QUIET = frozenset("`\"'*_)]")
_PRONOUNS = ("it", "this", "that", "one", "latter", "former")


def unread_denials(
    tokens: Sequence[Token], told: Told, groups: Sequence[Group], *, spoken_of: bool
) -> list[str]:
    """Return what is denied and read as no claim: ``reaction 13 does not make it``, ``A is not used``.

    The "not" stands behind a reaction, a molecule or a pronoun. It is read where a molecule, a reaction, a
    yield or a rank stands behind it, or where it says that something is not told.

    Args:
        tokens: The sentence, its numbers classified.
        told: Its molecules and their roles.
        groups: Its reactions.
        spoken_of: Whether the sentences before it speak of a reaction.
    """
    if any(part.negated for part in told.parts):
        return []
    found = [each.text for each in tokens if "doubts" in each.kinds and (groups or spoken_of)]
    for place, token in enumerate(tokens):
        if not _denies(token):
            continue
        stop = next((at for at in range(place + 1, len(tokens)) if _turns(tokens[at])), len(tokens))
        named = any(group.first < place for group in groups)
        pronoun = spoken_of and any(
            each.text.lower() in _PRONOUNS for each in tokens[max(0, place - 2) : place]
        )
        if (named or pronoun or _behind_molecule(tokens, place)) and not _is_read(
            tokens, told, groups, place, stop
        ):
            found.append(" ".join(each.text for each in tokens[max(0, place - _NEAR) : place + _NEAR]))
    return found


def _denies(token: Token) -> bool:
    text = token.text.lower()
    if token.kind == "verb":
        return " not" in text or "n't" in text or "n\u2019t" in text
    return "negations" in token.kinds and text.endswith(("not", "n't", "n\u2019t", "never"))


def _behind_molecule(tokens: Sequence[Token], place: int) -> bool:
    """Whether it stands right behind a molecule: ``A is not used``."""
    before = [
        each
        for each in tokens[max(0, place - _NEAR) : place]
        if each.text not in _QUIET and "copulas" not in each.kinds
    ]
    return bool(before) and before[-1].kind == "molecule"


def _turns(token: Token) -> bool:
    return "turns" in token.kinds or token.text == ";"


def _is_read(tokens: Sequence[Token], told: Told, groups: Sequence[Group], place: int, stop: int) -> bool:
    behind = tokens[place:stop]
    untold = load_words().kinds["untold"]
    near = any("untold" in each.kinds for each in tokens[place : place + _NEAR])
    if near or untold.fullmatch(tokens[place].text.split()[-1]):
        return True
    if any(each.kind == "yield" or each.kinds & {"best_words", "below_best"} for each in behind):
        return True
    return any(place <= group.first < stop for group in groups) or any(
        place <= at < stop for _, at in told.empty
    )
