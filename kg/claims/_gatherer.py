"""The claims of an answer, gathered sentence by sentence."""

from dataclasses import replace

from kg.claims._chains import Chains
from kg.claims._denials import unread_denials
from kg.claims._emit import role_claim, unnamed_claim, yield_claim
from kg.claims._layout import respective
from kg.claims._model import Claim, Predicate
from kg.claims._scopes import Group, link, nearest, scope_of
from kg.claims._sentence import Part, Told
from kg.claims._thread import Thread
from kg.claims._tokens import Token
from kg.claims._unread import Unread
from kg.claims._yield_words import amounts_in, product_of

_Scopes = list[tuple[Group, Predicate | None]]


class Gatherer:
    """Turns what sentences say into claims.

    Args:
        about: The molecule the question asks about.
        known: All molecules of the question.
        thread: What the answer is about so far.
    """

    def __init__(self, about: str | None, known: frozenset[str], thread: Thread) -> None:
        self._about = about
        self._known = known
        self._thread = thread
        self._claims: dict[Claim, None] = {}
        self.chains = Chains()
        self.unread = Unread()
        self.reactions: dict[int, None] = {}
        self.best: dict[int, None] = {}
        self.not_best: dict[int, None] = {}

    def claims(self) -> tuple[Claim, ...]:
        """Return what was claimed, each once."""
        for chain in self.chains.routes():
            for part in chain.header:
                end = chain.ids[-1] if part.role == "PRODUCES" else chain.ids[0]
                self._add(role_claim(part, end, None))
        return tuple(self._claims)

    def say(
        self, tokens: list[Token], told: Told, groups: list[Group], *, marked: bool, item: bool = False
    ) -> None:
        """Take in a sentence.

        Args:
            tokens: The sentence, its numbers classified.
            told: Its molecules and their roles.
            groups: Its reactions.
            marked: Whether it calls what it begins a route.
            item: Whether it begins a numbered line.
        """
        self.unread.note(tokens)
        self.unread.denials(unread_denials(tokens, told, groups, spoken_of=bool(self._thread.scope)))
        named = [number for group in groups for number in group.ids if group.first not in told.denied]
        self.reactions.update(dict.fromkeys(named))
        self._rank(tokens, told, groups)
        placed: list[tuple[Part, _Scopes]] = [
            (part, scope_of(part, groups, tokens) if groups else []) for part in told.parts
        ]
        self._link(placed, groups)
        thread = self._thread
        header = thread.header if thread.as_route else []
        for one, other in self.chains.follow(groups, marked=marked, item=item, header=header):
            self._add(Claim(one, "LEADS_TO", other, start=tokens[0].start, stop=tokens[-1].stop))
        if not thread.as_route:
            for part in thread.header:
                for number in named:
                    self._add(role_claim(part, number, None))
        for part, scopes in placed:
            self._part(part, scopes, told, groups, tokens)
        for role, place in told.empty:
            for number in self._reached(place, groups, tokens):
                self._add(Claim(number, role, None, negated=True, start=tokens[place].start))
        self._yields(tokens, told, groups)

    def _add(self, claim: Claim) -> None:
        self._claims.setdefault(claim)

    def _rank(self, tokens: list[Token], told: Told, groups: list[Group]) -> None:
        """See which reactions are called the best, and which are said not to be."""
        for place, token in enumerate(tokens):
            if token.kinds & {"best_words", "below_best"}:
                lower = "below_best" in token.kinds or place in told.denied
                found = self.not_best if lower else self.best
                # "It is not the best" speaks of the last one, however far back.
                ids = self._reached(place, groups, tokens) or (list(self.reactions)[-1:] if lower else [])
                found.update(dict.fromkeys(ids))

    def _link(self, placed: list[tuple[Part, _Scopes]], groups: list[Group]) -> None:
        """Where routes are asked for, a reaction that takes up what the one before it makes follows that."""
        thread = self._thread
        if not thread.routes_asked:
            return
        # From line to line one reaction leads to another only where each line tells of one.
        made = thread.made_last if thread.groups_of_line or len(groups) == 1 else set()
        thread.groups_of_line += len(groups)
        if groups:
            thread.made_last = link(placed, groups, made)

    def _part(
        self, part: Part, scopes: _Scopes, told: Told, groups: list[Group], tokens: list[Token]
    ) -> None:
        if not groups:
            for number in self._thread.scope:
                self._claim_part(part, number)
            if not self._thread.scope:
                self._unnamed(part, told, tokens)
            return
        for group, role in scopes:
            denied = group.first in told.denied and not part.negated
            said = replace(part, role=role or part.role, negated=part.negated or denied)
            for number in respective(part, told, group, tokens):
                self._claim_part(said, number)

    def _claim_part(self, part: Part, number: int) -> None:
        self._add(role_claim(part, number, None))
        if part.role is None and not part.negated:
            self.unread.without_role(part.token.text, number)
        if part.middle and not part.negated:
            start, stop = part.token.start, part.token.stop
            self._add(Claim(part.token.text, "REACTS_IN", number, negated=True, start=start, stop=stop))

    def _unnamed(self, part: Part, told: Told, tokens: list[Token]) -> None:
        """A molecule where no reaction is named: it belongs to one that makes what is spoken of."""
        name = part.token.text
        if name in self._known or (name == self._about and part.role in (None, "PRODUCES")):
            return
        if part.role != "PRODUCES" or tokens[-1].text != ":":
            self._add(unnamed_claim(part, told, self._about))

    def _reached(self, place: int, groups: list[Group], tokens: list[Token]) -> list[int]:
        group = nearest(place, groups, tokens)
        return self._thread.scope if group is None else group.ids

    def _yields(self, tokens: list[Token], told: Told, groups: list[Group]) -> None:
        amounts = amounts_in(tokens)
        for turn, amount in enumerate(amounts):
            product = product_of(amount, told.parts, self._about, tokens) or self._thread.sole_product(groups)
            numbers: list[int | None] = [*self._reached(amount.place, groups, tokens)]
            if 1 < len(numbers) == len(amounts):
                numbers = [numbers[turn]]
            numbers = numbers or ([None] if product or self._about else [])
            for number in numbers:
                of = product or (self._about if number is None else None)
                self._add(yield_claim(amount, number, of, told, tokens[amount.place]))
            if not numbers:
                self.unread.number(tokens[amount.place])
