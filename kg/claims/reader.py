"""Extracting the claims of an answer, line by line, with what the lines before were about."""

import re
from dataclasses import replace

from retrocypher.kg.claims.claim import Claim, Predicate, Reading
from retrocypher.kg.claims.layout import (
    BULLET,
    Cell,
    has,
    is_list_of_ids,
    is_numbered,
    is_one_route,
    lines_of,
    names_route,
    ordinal_of,
    plain_of,
    read_row,
    respective,
    step_label,
    table_at,
    without_asides,
)
from retrocypher.kg.claims.numbers import amounts_in, classified, product_of
from retrocypher.kg.claims.omissions import Unread, unread_denials
from retrocypher.kg.claims.scopes import Group, groups_in, link, nearest, scope_of
from retrocypher.kg.claims.sentence import Part, Roles, SentenceRoles
from retrocypher.kg.claims.statements import role_claim, unnamed_claim, yield_claim
from retrocypher.kg.claims.thread import Chains, Thread
from retrocypher.kg.claims.tokens import (
    LONGEST,
    MOST_MOLECULES,
    Token,
    masked,
    mentions_in,
    separated,
    tokens_of,
    unreadable_in,
)
from retrocypher.kg.claims.words import MARK

_Scopes = list[tuple[Group, Predicate | None]]


class Gatherer:
    """Turns what sentences say into claims, with ``known`` all molecules of the question."""

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
        self,
        tokens: list[Token],
        told: SentenceRoles,
        groups: list[Group],
        *,
        marked: bool,
        item: bool = False,
    ) -> None:
        """Take in a sentence that begins a route (``marked``) or a numbered line (``item``), or neither."""
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

    def _rank(self, tokens: list[Token], told: SentenceRoles, groups: list[Group]) -> None:
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
        self, part: Part, scopes: _Scopes, told: SentenceRoles, groups: list[Group], tokens: list[Token]
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

    def _unnamed(self, part: Part, told: SentenceRoles, tokens: list[Token]) -> None:
        """A molecule where no reaction is named: it belongs to one that makes what is spoken of."""
        name = part.token.text
        if name in self._known or (name == self._about and part.role in (None, "PRODUCES")):
            return
        if part.role != "PRODUCES" or tokens[-1].text != ":":
            self._add(unnamed_claim(part, told, self._about))

    def _reached(self, place: int, groups: list[Group], tokens: list[Token]) -> list[int]:
        group = nearest(place, groups, tokens)
        return self._thread.scope if group is None else group.ids

    def _yields(self, tokens: list[Token], told: SentenceRoles, groups: list[Group]) -> None:
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


_SENTENCE = re.compile(rf"[.!?][)\]\"'*`_]*[ \t]+(?=[\"'(\[*`_]*[A-Z{MARK}])")
_LONGEST_SENTENCE = 4_000


class ClaimExtractor:
    """Reads one answer; its arguments are those of `read_answer`."""

    def __init__(self, text: str, about: str | None, known: frozenset[str], *, routes: bool = False) -> None:
        whole = len(text) <= LONGEST
        text = "".join(each if each.isprintable() or each in "\n\t" else " " for each in text[:LONGEST])
        text = separated(plain_of(text))
        mentions = mentions_in(text)
        self._whole = whole and len(mentions) < MOST_MOLECULES
        self._names = {mention.start: mention.smiles for mention in mentions}
        self._plain = masked(text, mentions)
        self._thread = Thread(routes)
        self._gatherer = Gatherer(about, known, self._thread)
        self._item = False
        self._listed = False
        self._gap = False

    def read(self) -> Reading:
        """Return what the answer says."""
        lines = lines_of(self._plain)
        number = 0
        while number < len(lines):
            table = table_at(lines, number, self._plain)
            if table is not None:
                titles = [tokens_of(self._plain, *cell, self._names) for cell in table[0].heading]
                for row in table[0].rows:
                    self._row(titles, row)
                number = table[1]
                continue
            self._line(*lines[number])
            number += 1
        found = self._gatherer
        claims = found.claims()
        return Reading(
            claims,
            tuple(chain.ids for chain in found.chains.routes()),
            tuple(found.reactions),
            tuple(dict.fromkeys(self._names.values())),
            tuple(found.best),
            tuple(found.not_best),
            tuple(dict.fromkeys(unreadable_in(self._plain))),
            found.unread.numbers(claims, found.reactions, routes=self._thread.routes_asked),
            found.unread.molecules(claims),
            found.unread.names(),
            found.unread.denied(),
            self._whole,
        )

    def _line(self, start: int, stop: int) -> None:
        if not self._plain[start:stop].strip():
            self._gap = True
            return
        begin = self._after_bullet(start, stop)
        self._listed = begin > start
        if self._gap and not self._listed and not self._plain[start:stop].startswith((" ", "\t")):
            self._thread.leave()
        self._gap = False
        self._thread.next_line()
        self._item = is_numbered(self._plain, start)
        position = begin
        for match in _SENTENCE.finditer(self._plain, begin, stop):
            self._sentence(position, match.start() + 1)
            position = match.end()
        self._sentence(position, stop)

    def _after_bullet(self, start: int, stop: int) -> int:
        """Where a line begins behind the mark or number of its item; a number that does not count is none."""
        bullet = BULLET.match(self._plain, start, stop)
        if bullet is None:
            return start
        counted = bullet["number"]
        if counted is not None and not self._gatherer.unread.is_next(int(counted)):
            return bullet.start("number")
        return bullet.end()

    def _sentence(self, start: int, stop: int) -> None:
        whole = tokens_of(self._plain, start, stop, self._names)
        # What a person writes is never as long; what is longer must not take time by its square.
        for begin in range(0, len(whole), _LONGEST_SENTENCE):
            part = whole[begin : begin + _LONGEST_SENTENCE]
            self._read_tokens(without_asides(classified(part, listing=self._thread.listing)), start)

    def _read_tokens(self, tokens: list[Token], start: int) -> None:
        thread = self._thread
        plain = all(token.kind in ("molecule", "mark") or "lists" in token.kinds for token in tokens)
        # "The precursors are:" speaks of the molecules that the items under it begin with.
        item = self._listed and tokens[0].kind == "molecule" and not any(t.kind == "arrow" for t in tokens)
        told = Roles(tokens, thread.pending if plain or item else None).read()
        if not (plain or item):
            thread.pending = told.pending
        one = is_one_route(tokens)
        groups = groups_in(tokens, as_route=one or self._is_route(tokens), and_goes_on=one)
        marked = self._begins(tokens, groups, start)
        self._gatherer.say(tokens, told, groups, marked=marked, item=self._item)
        thread.remember(tokens, told, groups)

    def _is_route(self, tokens: list[Token]) -> bool:
        """Whether ids in a list follow one another."""
        said = [token for token in tokens if "routes" in token.kinds]
        if self._thread.routes_asked and any(token.text in ("[", "(") for token in tokens):
            return True
        if said:
            return not any("reactions" in token.kinds for token in tokens)
        return self._thread.as_route

    def _begins(self, tokens: list[Token], groups: list[Group], start: int) -> bool:
        """See whether a sentence goes on with a route, and return whether it calls what it begins a route."""
        thread, chains = self._thread, self._gatherer.chains
        label = step_label(self._plain, start)
        if label is None and thread.routes_asked:
            label = ordinal_of(self._plain, start)
        first = next((token for token in tokens if token.kind != "mark"), None)
        named = names_route(self._plain, start) and len(tokens) > 1
        if named:
            chains.close()
            thread.made_last = set()
        if not groups:
            thread.named = thread.named or (
                named and not any(token.kind in ("verb", "noun", "molecule") for token in tokens)
            )
            return False
        later = label is not None and label > 1
        linked = label is None and first is not None and "links" in first.kinds
        groups[0].follows = (later or linked) and chains.begun
        bare = not any(token.kind in ("molecule", "noun", "verb") for token in tokens)
        begins = named or thread.named or label is not None or (thread.as_route and bare)
        thread.named = False
        lone = all(token.kind in ("reaction", "mark") for token in tokens)
        return begins or (
            thread.routes_asked and (lone or is_list_of_ids(tokens) or (bare and has(tokens, "(")))
        )

    def _row(self, titles: list[list[Token]], row: tuple[Cell, ...]) -> None:
        found = read_row(titles, row, self._plain, self._names)
        if found is None:
            self._sentence(row[0].start, row[-1].stop)
            return
        tokens, told, groups, route, step = found
        if groups and step is not None and step > 1:
            groups[0].follows = self._gatherer.chains.begun
        else:
            self._gatherer.chains.close()
        self._gatherer.say(tokens, told, groups, marked=route or step is not None)
        self._thread.leave()


def read_answer(
    text: str, about: str | None = None, known: frozenset[str] = frozenset(), *, routes: bool = False
) -> Reading:
    """Read what an answer says of the graph, by its words alone: SMILES, ids, numbers, words for roles.

    A molecule for which no word says a role is claimed to take part in the reaction that is spoken of, so
    that none goes unchecked. After 100,000 characters or 2,000 molecules the rest is not read.

    Args:
        text: The answer: sentences, lists, Markdown tables, arrows, JSON.
        about: The molecule the question asks about, by its canonical name. What is said to react, without
            the id of a reaction, reacts in one that makes it.
        known: All molecules of the question, of which nothing is claimed by naming them.
        routes: Whether routes are asked for: then ids in square brackets follow one another, and so do
            reactions of which one takes up what the one before it makes.
    """
    return ClaimExtractor(text, about, known, routes=routes).read()
