"""The roles of the molecules in one sentence."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from retrocypher.kg.claims.claim import Predicate
from retrocypher.kg.claims.numbers import is_untold
from retrocypher.kg.claims.tokens import Token
from retrocypher.kg.claims.words import load_words

_OPEN = "(["
_CONVERTS = re.compile("convert|transform|turn|oxidi|reduc|hydroly|from$", re.IGNORECASE)
_PRONOUNS = ("it", "this")
_DASHES = ("-", "\u2013", "\u2014")
_QUIET = frozenset("`\"'*_\u201c\u201d\u2018\u2019\u00ab\u00bb")


@dataclass(slots=True)
class Part:
    """A molecule in a sentence; those of one list have one ``group`` number."""

    token: Token
    role: Predicate | None
    place: int
    group: int
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
        self._role: Predicate | None = pending
        self._noun: Predicate | None = pending
        self._group = 0
        self._negated = False
        self._converts = False
        self._reacts = False
        self._named = any(token.kind == "reaction" for token in tokens)
        self._told = SentenceRoles()
        self._begin = 0

    def read(self) -> SentenceRoles:
        """Return what it says."""
        last = len(self._tokens) - 1
        for place, token in enumerate(self._tokens):
            if token.kind == "molecule":
                self._molecule(place, token)
            elif token.kind == "noun":
                self._noun_at(place, token)
            elif token.kind == "verb":
                self._verb_at(place, token)
            elif token.kind == "reaction" and place < last and self._tokens[place + 1].text == ":":
                self._role = self._noun = None
            elif token.kind in ("arrow", "back"):
                self._arrow_at(place, token)
            elif "copulas" in token.kinds or (token.text == ":" and self._noun is not None):
                self._role = self._noun
            elif token.text.lower() == "to" and self._converts:
                self._role = "PRODUCES"
            elif "of" in token.kinds and place and self._tokens[place - 1].kind == "noun":
                self._role = "REACTS_IN" if self._tokens[place - 1].role == "PRODUCES" else "PRODUCES"
            elif "of" in token.kinds and place and "yield_words" in self._tokens[place - 1].kinds:
                self._role = "PRODUCES"
            elif token.text.lower() == "in":
                self._in_at(place)
            elif "negations" in token.kinds:
                # "No yield of A is given" says nothing against A.
                after = range(place + 1, min(place + 3, len(self._tokens)))
                self._negated = not any(is_untold(self._tokens, at) for at in after)
            elif "turns" in token.kinds or token.text == ";":
                self._negated = False
            if self._negated:
                self._told.denied.add(place)
            if token.text == ";" and not self._goes_on(place):
                self._role = self._noun = None
                if self._tokens[place - 1].kind != "molecule":
                    self._begin = len(self._told.parts)
            if token.text == ":" and place == last:
                self._told.pending = self._noun
        return self._told

    def _arrow_at(self, place: int, token: Token) -> None:
        """An arrow leads from what reacts to what is made."""
        if not self._told.parts and any(each.kind in ("arrow", "back") for each in self._tokens[place + 1 :]):
            # "Reaction 12 → A → B"
            return
        self._give("REACTS_IN" if token.kind == "arrow" else "PRODUCES")
        self._role = "PRODUCES" if token.kind == "arrow" else "REACTS_IN"

    def _goes_on(self, place: int) -> bool:
        """Whether a semicolon stands between molecules of one list."""
        after = self._tokens[place + 1 :]
        if not after or after[0].kind != "molecule":
            return False
        if self._noun is not None:
            return True
        if any(each.kind in ("arrow", "back") for each in self._tokens[:place]):
            # "A → B; C": C may be another product, an agent, or a solvent.
            return False
        beyond = next((each for each in after if each.kind != "molecule" and each.text not in ";,+"), None)
        return self._tokens[place - 1].kind == "molecule" and (beyond is None or beyond.kind != "arrow")

    def _molecule(self, place: int, token: Token) -> None:
        parts = self._told.parts
        if not parts or not self._is_list(parts[-1].place, place):
            self._group += 1
        parts.append(Part(token, self._role, place, self._group, self._negated))

    def _is_list(self, first: int, second: int) -> bool:
        return all(
            "lists" in token.kinds or (token.kind == "mark" and token.text in ",+/&" + "".join(_QUIET))
            for token in self._tokens[first + 1 : second]
        )

    def _noun_at(self, place: int, token: Token) -> None:
        assert token.role is not None
        if self._is_empty(place, token):
            self._told.empty.append((token.role, place))
            self._negated = False
            return
        named = self._named_before(place, token)
        if named:
            for part in named:
                part.role = token.role
                part.negated = part.negated or self._negated
            self._role = self._noun = None
            return
        self._role = self._noun = token.role

    def _named_before(self, place: int, noun: Token) -> list[Part]:
        """The molecules before a noun that it is said of: ``A is the solvent``, ``A (solvent)``."""
        parts = self._told.parts
        if not parts:
            return []
        between = [
            token
            for token in self._tokens[parts[-1].place + 1 : place]
            if token.text not in _QUIET and not token.kinds & {"determiners", "negations"}
        ]
        after = self._tokens[place + 1].text if place + 1 < len(self._tokens) else ""
        opened = len(between) == 1 and between[0].text in _OPEN and after in ("", ")", "]", ",", "*", "`")
        linked = len(between) == 1 and ("copulas" in between[0].kinds or between[0].text.lower() == "as")
        skipped = self._tokens[parts[-1].place + 1 : place]
        beside = (
            not between and bool(skipped) and "determiners" in skipped[-1].kinds and parts[-1].role is None
        )
        if not (opened or linked or beside) or after == ":":
            return []
        plural = noun.text.lower().endswith("s")
        return [part for part in parts if part.group == parts[-1].group] if plural else [parts[-1]]

    def _verb_at(self, place: int, token: Token) -> None:
        assert token.verb is not None
        denied = " not" in token.text.lower() or "n't" in token.text.lower() or "never" in token.text.lower()
        if token.text.lower() == "with" and self._reacts and self._role == "REACTS_IN":
            return
        self._converts = _CONVERTS.search(token.text) is not None
        self._reacts = token.verb.after == "REACTS_IN" and token.verb.joins
        subject = self._tokens[place - 1].text.lower() if place else ""
        if self._told.empty and self._told.empty[-1][1] == place - 1:
            # "No co-product is formed"
            self._role = token.verb.after
            return
        if token.verb.before is not None and subject not in _PRONOUNS:
            self._give(token.verb.before, negated=self._denies(denied))
        if denied:
            self._negated = True
        self._role = token.verb.after

    def _denies(self, denied: bool) -> bool:
        """Whether a verb denies what is before it; where reactions are named, each says so itself."""
        return (self._negated or denied) and not self._named

    def _give(self, role: Predicate, *, negated: bool = False) -> None:
        """Give a role to the molecules of the clause so far that have none."""
        for part in self._told.parts[self._begin :]:
            if part.role is None:
                part.role = role
                part.negated = part.negated or negated

    def _in_at(self, place: int) -> None:
        """``in CCO``, ``in ethanol (CCO)`` name a solvent, ``in reaction 12`` and ``in 2 steps`` do not."""
        for token in self._tokens[place + 1 : place + 4]:
            if token.kind == "molecule":
                self._role = "USES_SOLVENT"
                return
            if (
                token.text not in _QUIET
                and token.text not in _OPEN
                and not token.kinds & {"determiners", "names"}
            ):
                return

    def _is_empty(self, place: int, token: Token) -> bool:
        """Whether it says ``no solvent``, ``solvents: none``, ``solvents: []``, or a cell has a dash."""
        shown = [each.text for each in self._tokens[place + 1 : place + 7] if each.text not in (":", *_QUIET)]
        if shown[:2] == ["[", "]"] or (shown[:1] and shown[0] in _DASHES and shown[1:2] in ([], ["|"])):
            return True
        before = self._tokens[max(0, place - 3) : place]
        denied = any(each.text.lower() in ("no", "without") for each in before[-2:]) or (
            [each.text.lower() for each in before[:2]] in (["without", "any"], ["without", "a"])
        )
        if denied and all(each.kind != "molecule" for each in self._tokens[place + 1 : place + 3]):
            return True
        after = [each for each in self._tokens[place + 1 : place + 7] if each.text not in (":", "|", *_QUIET)]
        after = [each for each in after if "copulas" not in each.kinds]
        if after and after[0].kind == "molecule":
            return False
        said = " ".join(each.text for each in after[:2]).lower()
        none = load_words().none
        return bool(after) and (none.fullmatch(after[0].text) is not None or none.fullmatch(said) is not None)
