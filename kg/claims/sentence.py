"""What one sentence says: its ids and yields, ids that belong together, and the roles of its molecules."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from retrocypher.kg.claims.claim import Predicate
from retrocypher.kg.claims.coverage import counted_at, denies
from retrocypher.kg.claims.tokens import Token, Verb

QUIET = frozenset("#*`\"'_([{)]}=$")
"""Marks between words that change nothing."""
_JOINING = frozenset(",;&+/")
_LEAST_ID = 100
"""From here on, a number in the place of an id is one without a word that says so."""
_LARGEST_ID = 10**9
_REACH = 8
_AFTER_ID = frozenset(":,;)]|(-\u2013\u2014.&")
_INEXACT = frozenset(
    (
        *("to", "and", "about", "approximately", "roughly", "around", "circa", "ca", "~"),
        *("\u2248", "over", "above", "under", "below", "than", "least", "most", "exceeding"),
        *("<", ">", "\u2264", "\u2265"),
    )
)


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


def is_inexact(tokens: Sequence[Token], place: int) -> bool:
    """Whether a percentage is a limit, a rough one or the end of a range; rules do not read these."""
    before = [each for each in tokens[max(0, place - 3) : place] if each.text not in "%(*`"]
    last = before[-1].text.lower() if before else ""
    ranges = len(before) > 1 and before[-2].value is not None
    return last in _INEXACT or (last in ("-", "\u2013") and ranges)


def groups_in(tokens: Sequence[Token]) -> list[Group]:
    """Return the reactions of a sentence; those in one list are a group."""
    groups: list[Group] = []
    for place, token in enumerate(tokens):
        if token.kind != "reaction" or token.whole is None:
            continue
        between = tokens[groups[-1].last + 1 : place] if groups else ()
        bare = [each for each in between if each.text not in QUIET and "reactions" not in each.kinds]
        if groups and all("lists" in each.kinds or each.text in _JOINING for each in bare):
            groups[-1].ids.append(token.whole)
            groups[-1].last = place
        else:
            groups.append(
                Group(
                    [token.whole],
                    place,
                    place,
                    _in_brackets(tokens, place),
                    bool(bare) and all(map(_joins, bare)),
                )
            )
    return groups


def _in_brackets(tokens: Sequence[Token], place: int) -> bool:
    """Whether an id stands in brackets behind something: ``A → B (reaction 12)``."""
    opened = [at for at in range(max(0, place - 4), place) if tokens[at].text in "(["]
    inside = tokens[opened[-1] : place] if opened else ()
    return (
        bool(inside)
        and all(each.kind != "molecule" and each.text not in ")]" for each in inside)
        and any(each.kind in ("molecule", "yield") for each in tokens[: opened[-1]])
    )


def classified(tokens: Sequence[Token]) -> list[Token]:
    """Return the tokens with each number as what it is: ``reaction``, ``yield`` or ``number``."""
    found = list(tokens)
    for place, token in enumerate(tokens):
        if token.kind == "percent":
            after = [each for each in tokens[place + 1 : place + 4] if each.kind != "mark"]
            other = bool(after) and "other_percentages" in after[0].kinds
            found[place] = replace(token, kind="number" if other else "yield", kinds=frozenset({"percents"}))
        elif token.kind == "number" and _is_id(found, place):
            found[place] = replace(token, kind="reaction")
        elif token.kind == "number" and _is_yield(found, place):
            found[place] = replace(token, kind="yield")
    return found


def _is_yield(tokens: Sequence[Token], place: int) -> bool:
    """Whether a number without a percent sign stands behind a word for a yield, and before no other unit."""
    after = next((each for each in tokens[place + 1 : place + 4] if each.text not in QUIET | {"-"}), None)
    before = [
        each
        for each in tokens[max(0, place - 6) : place]
        if each.kind != "mark" and not each.kinds & {"copulas", "of"}
    ]
    units = after is not None and "amounts" in after.kinds
    return not units and bool(before) and "yield_words" in before[-1].kinds


def _is_id(tokens: Sequence[Token], place: int) -> bool:
    """Whether a number is an id: behind a word for reactions or another id; from 100 up also by its place."""
    number = tokens[place].whole
    after = [each.text.lower() for each in tokens[place + 1 : place + 3]]
    # In "Reaction 1 (ID 12)" the first number is no id.
    if number is None or not 0 < number < _LARGEST_ID or "." in tokens[place].text or after == ["(", "id"]:
        return False
    before = [each for each in tokens[max(0, place - _REACH) : place] if each.text not in QUIET]
    if before and "reactions" in before[-1].kinds:
        return True
    alone = [each.text for each in tokens[max(0, place - 1) : place + 2 : 2]] == ["(", ")"]
    if (alone and number < _LEAST_ID) or counted_at(tokens, place) is not None:
        return False
    if {each.kind for each in tokens} <= {"number", "reaction", "arrow", "mark"} and any(
        each.kind == "arrow" for each in tokens
    ):
        return True
    joints: set[str] = set()
    while before and (_joins(before[-1]) or before[-1].text == ":"):
        joints.add(before.pop().text)
    last = before[-1] if before else None
    if last is not None and ("reactions" in last.kinds or (last.kind == "reaction" and joints - {":"})):
        return True
    told = {kind for each in tokens[:place] for kind in each.kinds}
    if ":" in joints and ("reactions" in told or ("routes" in told and number >= _LEAST_ID)):
        return True
    if number < _LEAST_ID:
        return False
    labelled = last is not None and "ordinals" in last.kinds and "counters" not in last.kinds
    begins = last is None or (place > 0 and tokens[place - 1].text in "([#")
    return labelled or (begins and _ends_id(tokens, place))


def _joins(token: Token) -> bool:
    """Whether it may stand between two ids of a list or a route, or before one."""
    return token.text in _JOINING or token.kind == "arrow" or bool(token.kinds & {"lists", "links"})


def _ends_id(tokens: Sequence[Token], place: int) -> bool:
    """Whether what stands behind a number may stand behind an id."""
    after = next((each for each in tokens[place + 1 : place + 6] if each.text not in "*`_\"'"), None)
    return (
        after is None
        or after.kind in ("molecule", "arrow")
        or after.text in _AFTER_ID
        or "lists" in after.kinds
    )


_QUOTES = frozenset("`\"'*_\u201c\u201d\u2018\u2019\u00ab\u00bb")
_OPEN = frozenset("([")
_DASHES = frozenset("-\u2013\u2014")


@dataclass(slots=True)
class Part:
    """A molecule in a sentence, with its place among the tokens."""

    token: Token
    role: Predicate | None
    place: int
    negated: bool = False


@dataclass(slots=True)
class SentenceRoles:
    """What a sentence says.

    Attributes:
        empty: Roles of which it says that no molecule has them, with the place of the word.
        pending: The role that what follows the sentence has, where it ends with one.
        denied: Places of tokens that stand behind a "not".
    """

    parts: list[Part] = field(default_factory=list)
    empty: list[tuple[Predicate, int]] = field(default_factory=list)
    pending: Predicate | None = None
    denied: set[int] = field(default_factory=set)


class Roles:
    """Goes through a sentence once, from left to right; ``pending`` is the role the line before gives."""

    def __init__(self, tokens: Sequence[Token], pending: Predicate | None = None) -> None:
        self._tokens = tokens
        self._role = self._noun = pending
        self._verb: Verb | None = None
        self._negated = False
        self._told = SentenceRoles()
        self._clause = 0
        self._list = 0

    def read(self) -> SentenceRoles:
        """Return what it says."""
        for place, token in enumerate(self._tokens):
            after = self._tokens[place + 1] if place + 1 < len(self._tokens) else None
            if token.kind == "molecule":
                self._molecule(place, token)
            elif token.kind == "noun":
                self._noun_at(place, token)
            elif token.kind == "verb":
                self._verb_at(token)
            elif "yield_words" in token.kinds:
                self._empty_at(place, "YIELD")
            elif token.kind == "reaction" and after and after.text == ":":
                self._role = self._noun = None
            elif token.kind in ("arrow", "back"):
                self._arrow_at(token)
            elif "copulas" in token.kinds or (token.text == ":" and self._noun is not None):
                self._role = self._noun
            elif "of" in token.kinds:
                self._of_at(token, self._tokens[max(0, place - 1)])
            elif token.text.lower() == "in":
                self._in_at(place)
            elif "negations" in token.kinds:
                self._negated = True
            elif "turns" in token.kinds:
                self._negated = False
            elif token.text == ";":
                self._end_clause(place)
            if self._negated:
                self._told.denied.add(place)
        if self._tokens and self._tokens[-1].text == ":":
            self._told.pending = self._noun
        return self._told

    def _molecule(self, place: int, token: Token) -> None:
        parts = self._told.parts
        between = self._tokens[parts[-1].place + 1 : place] if parts else ()
        if not all("lists" in each.kinds or each.text in _QUOTES | {*",+/&"} for each in between):
            self._list = len(parts)
        parts.append(Part(token, self._role, place, self._negated))

    def _end_clause(self, place: int) -> None:
        """A semicolon ends what words give, except between the molecules of one list."""
        self._negated = False
        beside = self._tokens[max(0, place - 1) : place + 2 : 2]
        arrows = any(each.kind in ("arrow", "back") for each in self._tokens[:place])
        if arrows or any(each.kind != "molecule" for each in beside):
            self._role = self._noun = None
        if beside[0].kind != "molecule":
            self._clause = len(self._told.parts)

    def _arrow_at(self, token: Token) -> None:
        """An arrow leads from what reacts to what is made."""
        ends: tuple[Predicate, Predicate] = ("REACTS_IN", "PRODUCES")
        before, self._role = ends if token.kind == "arrow" else ends[::-1]
        self._give(before)

    def _noun_at(self, place: int, noun: Token) -> None:
        assert noun.role is not None
        if self._empty_at(place, noun.role):
            return
        if self._is_said_of_last(place):
            # "A and B are the reactants", "A (solvent)"
            many = noun.text.lower().endswith("s")
            for part in self._told.parts[self._list if many else -1 :]:
                part.role = noun.role
                part.negated = part.negated or self._negated
            self._role = self._noun = None
        else:
            self._role = self._noun = noun.role

    def _is_said_of_last(self, place: int) -> bool:
        """Whether a noun belongs to the molecule before it: ``A is the solvent``, ``A (solvent)``."""
        parts = self._told.parts
        between = self._tokens[parts[-1].place + 1 : place] if parts else ()
        links = [each for each in between if each.text not in _QUOTES]
        after = next((each for each in self._tokens[place + 1 :] if each.text not in _QUOTES), None)
        stands_alone = after is None or (after.kind != "molecule" and after.text != ":")
        return (
            stands_alone
            and bool(links)
            and all(
                each.text in _OPEN or each.kinds & {"copulas", "determiners", "negations"} for each in links
            )
        )

    def _verb_at(self, token: Token) -> None:
        assert token.verb is not None
        more = self._verb is not None and self._verb.joins and self._role == "REACTS_IN"
        if token.text.lower() == "with" and more:
            return
        denied = denies(token)
        if token.verb.before is not None:
            self._give(token.verb.before, negated=self._negated or denied)
        self._negated = self._negated or denied
        self._verb, self._role = token.verb, token.verb.after

    def _give(self, role: Predicate, *, negated: bool = False) -> None:
        """Give a role to the molecules of the clause so far that have none."""
        for part in self._told.parts[self._clause :]:
            if part.role is None:
                part.role = role
                part.negated = part.negated or negated

    def _of_at(self, token: Token, before: Token) -> None:
        """``the product of A``, ``the reactants of A``, ``the yield of A``; ``from A to B``."""
        if before.kind == "noun":
            self._role = "REACTS_IN" if before.role == "PRODUCES" else "PRODUCES"
        elif "yield_words" in before.kinds or (
            token.text.lower() == "to" and self._verb is not None and self._verb.after == "REACTS_IN"
        ):
            self._role = "PRODUCES"

    def _in_at(self, place: int) -> None:
        """``in CCO``, ``in ethanol (CCO)`` name a solvent, ``in reaction 12`` and ``in 2 steps`` do not."""
        for token in self._tokens[place + 1 : place + 4]:
            if token.kind == "molecule":
                self._role = "USES_SOLVENT"
            elif token.text not in _QUOTES | _OPEN and not token.kinds & {"determiners", "names"}:
                return

    def _empty_at(self, place: int, role: Predicate) -> bool:
        """Note a role that no molecule has: ``no solvent``, ``solvents: none``, ``[]``, a dash in a cell."""
        after = [each for each in self._tokens[place + 1 : place + 7] if each.text not in _QUOTES | {":"}]
        before = {each.text.lower() for each in self._tokens[max(0, place - 2) : place]}
        said = next((each for each in after if "copulas" not in each.kinds), None)
        texts = [each.text for each in after[:2]]
        named = [each.kind == "molecule" for each in after[:3]]
        empty = (
            texts == ["[", "]"]
            or (texts[:1] and texts[0] in _DASHES and texts[1:] in ([], ["|"]))
            or (before & {"no", "without"} and not any(named[:1]))
            or (said is not None and denies(said) and not any(named))
        )
        if empty:
            self._told.empty.append((role, place))
            self._negated = False
        return bool(empty)
