"""What an answer says that no claim accounts for: numbers without a place, molecules without a role."""

from collections.abc import Collection, Sequence

from retrocypher.kg.claims.claim import ROLE_PREDICATES, Claim
from retrocypher.kg.claims.numbers import has_unit, is_factor
from retrocypher.kg.claims.scopes import Group
from retrocypher.kg.claims.sentence import SentenceRoles
from retrocypher.kg.claims.tokens import Token
from retrocypher.kg.claims.words import load_words

_QUIET = frozenset("#*`\"'_([{:=|")
_DASHES = frozenset(("-", "\u2013", "\u2014", "to", "/", "of", "and", "or", ",", "&"))
_THROUGH = ("-", "\u2013", "\u2014", "through", "thru", ".", "\u2026")
_YEARS = range(1790, 2101)
_SMALL = 100
"""From here on, a number that begins a line or stands in brackets is read as an id."""
_REACH = 6


class Unread:
    """Collects what was not understood.

    A number is understood as an id, as a yield, by its unit, as that of a step, a figure or the like, or as
    the next one of a list that begins with 1.
    """

    def __init__(self) -> None:
        self._labels: set[int] = {0}
        self._numbers: dict[tuple[str, float], None] = {}
        self._without_role: dict[tuple[str, int], None] = {}
        self._names: dict[str, None] = {}
        self._strays: dict[str, None] = {}
        self._denials: dict[str, None] = {}
        self._ranges: dict[str, None] = {}

    def note(self, tokens: Sequence[Token]) -> None:
        """Take in the numbers of a sentence, and the names of molecules in it."""
        dated = any("dated" in token.kinds for token in tokens)
        explained = False
        for place, token in enumerate(tokens):
            if "names" in token.kinds and not _is_gloss(tokens, place):
                self._names.setdefault(token.text)
            if token.kinds & {"stray", "worded_yields"}:
                self._strays.setdefault(token.text)
            begin = _range_before(tokens, place)
            if begin is not None:
                self._ranges.setdefault(" ".join(each.text for each in tokens[begin : place + 1]))
            if token.kind != "number":
                continue
            explained = self._is_explained(tokens, place, dated=dated, before=explained)
            if not explained:
                self.number(token)

    def number(self, token: Token) -> None:
        """Take in a number that has no place."""
        if token.value is not None:
            self._numbers.setdefault((token.text, token.value))

    def is_next(self, number: int) -> bool:
        """Whether a number before an item goes on with those that count the items of the answer, from 1."""
        if number - 1 not in self._labels and number not in self._labels:
            return False
        self._labels.add(number)
        return True

    def without_role(self, molecule: str, reaction: int) -> None:
        """Take in a molecule of which nothing says what it does in a reaction."""
        self._without_role.setdefault((molecule, reaction))

    def denials(self, said: Sequence[str]) -> None:
        """Take in what is denied of a reaction without it being clear what."""
        self._denials.update(dict.fromkeys(said))

    def denied(self) -> tuple[str, ...]:
        """Return what is denied, some words each."""
        return tuple(self._denials)

    def numbers(self, claims: Collection[Claim], ids: Collection[int], *, routes: bool) -> tuple[str, ...]:
        """Return the numbers that nothing accounts for, as they stand in the answer.

        A number that is also one of the reactions read is accounted for, except in routes, where it is
        another step.
        """
        told: set[float] = {each for claim in claims if claim.predicate == "YIELD" for each in _ends(claim)}
        told |= set() if routes else {float(each) for each in ids}
        left = (text for text, value in self._numbers if value not in told)
        # Of a route, "12-13" are two steps; elsewhere, it may be all reactions from one to the other.
        return tuple(dict.fromkeys([*left, *([] if routes else self._ranges), *self._strays]))

    def molecules(self, claims: Collection[Claim]) -> tuple[str, ...]:
        """Return the molecules without a role in any reaction."""
        placed = {
            (name, number)
            for claim in claims
            if claim.predicate in ROLE_PREDICATES
            for name in claim.molecules
            for number in claim.reactions
        }
        return tuple(dict.fromkeys(pair[0] for pair in self._without_role if pair not in placed))

    def names(self) -> tuple[str, ...]:
        """Return the molecules that the answer names without giving their SMILES."""
        return tuple(self._names)

    def _is_explained(self, tokens: Sequence[Token], place: int, *, dated: bool, before: bool) -> bool:
        token = tokens[place]
        number = token.whole
        if "percents" in token.kinds or has_unit(tokens, place):
            return True
        if number is not None and number < _SMALL and _has_later_unit(tokens, place):
            return True
        left = [each for each in tokens[max(0, place - _REACH) : place] if each.text not in _QUIET]
        right = [each for each in tokens[place + 1 : place + _REACH] if each.text not in "*`_"]
        beside = left[-1] if left else None
        if beside is not None and beside.kinds & {"counters", "counts"}:
            return True
        if number is None:
            return _is_section(token, left, right) or _is_range(right)
        kinds = beside.kinds if beside is not None else frozenset()
        if dated and (number in _YEARS or "dated" in kinds or number < _SMALL):
            return True
        if before and len(left) > 1 and left[-1].text in _DASHES and left[-2].kind == "number":
            return True
        labels = (not left and bool(right)) or "ordinals" in kinds
        labels = labels or (_is_bracketed(tokens, place) and number < _SMALL)
        return (labels and self.is_next(number)) or _is_range(right) or is_factor(tokens, place)


def _ends(claim: Claim) -> list[float]:
    return [float(each) for each in (claim.object, claim.low) if isinstance(each, (int, float))]


def _has_later_unit(tokens: Sequence[Token], place: int) -> bool:
    """Whether its unit follows a word more, as in ``3 consecutive reactions``."""
    after = tokens[place + 1 : place + 2]
    return bool(after) and after[0].kind == "word" and not after[0].kinds and has_unit(tokens, place + 1)


def _is_gloss(tokens: Sequence[Token], place: int) -> bool:
    """Whether a name stands beside a SMILES: ``CCO (ethanol)``, ``CCN(CC)CC (triethylamine, Et3N)``."""
    before, after = tokens[max(0, place - _REACH) : place], tokens[place + 1 : place + _REACH]
    before = [each for each in before if each.kind != "mark" and "names" not in each.kinds]
    after = [each for each in after if each.kind != "mark" and "names" not in each.kinds]
    return any(each.kind == "molecule" for each in (*before[-1:], *after[:1]))


def _is_section(token: Token, left: Sequence[Token], right: Sequence[Token]) -> bool:
    """Whether it is that of a heading, as ``1.1 Reaction 12``."""
    follows = bool(right) and (right[0].kind == "noun" or bool(right[0].kinds & {"reactions", "counters"}))
    return not left and token.value is not None and token.value < _SMALL and follows


def _is_range(right: Sequence[Token]) -> bool:
    """Whether it is the first number of a range that is read as one, as ``1 - 3 h``, ``80 - 85 %``."""
    if len(right) < 2 or right[0].text not in ("-", "\u2013", "\u2014", "to", "and"):
        return False
    return right[1].kind == "yield" or (right[1].kind == "number" and has_unit(right, 1))


def _range_before(tokens: Sequence[Token], place: int) -> int | None:
    """Where a range such as ``12-15`` or ``12...15`` begins that a reaction ends; the others are not told."""
    begin = place - 1
    while begin > max(0, place - _REACH) and tokens[begin].text.lower() in _THROUGH:
        begin -= 1
    reactions = tokens[place].kind == "reaction" and begin >= 0 and tokens[begin].kind == "reaction"
    return begin if reactions and begin < place - 1 else None


def _is_bracketed(tokens: Sequence[Token], place: int) -> bool:
    around = [each.text for each in (*tokens[max(0, place - 1) : place], *tokens[place + 1 : place + 2])]
    return around == ["(", ")"]


_NEAR = 4
_QUIET_DENIALS = frozenset("`\"'*_)]")
_PRONOUNS = ("it", "this", "that", "one", "latter", "former")


def unread_denials(
    tokens: Sequence[Token], told: SentenceRoles, groups: Sequence[Group], *, spoken_of: bool
) -> list[str]:
    """Return what is denied and read as no claim: ``reaction 13 does not make it``, ``A is not used``.

    The "not" stands behind a reaction, a molecule or a pronoun. It is read where a molecule, a reaction, a
    yield or a rank stands behind it, or where it says that something is not told. ``spoken_of`` is whether
    the sentences before it speak of a reaction.
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
        if each.text not in _QUIET_DENIALS and "copulas" not in each.kinds
    ]
    return bool(before) and before[-1].kind == "molecule"


def _turns(token: Token) -> bool:
    return "turns" in token.kinds or token.text == ";"


def _is_read(
    tokens: Sequence[Token], told: SentenceRoles, groups: Sequence[Group], place: int, stop: int
) -> bool:
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
