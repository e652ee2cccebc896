"""The reader: goes through an answer line by line and remembers what it is about."""

import re

from kg.claims._emit import links, role_claim
from kg.claims._model import Claim, Predicate
from kg.claims._numbers import classified
from kg.claims._reading import Reading
from kg.claims._scopes import Group, groups_in, routes_of, scope_of
from kg.claims._sentence import Part, Roles, Told
from kg.claims._table_rows import read_row
from kg.claims._tables import Cell, table_at
from kg.claims._tokens import LONGEST, Token, masked, mentions_in, tokens_of
from kg.claims._words import MARK
from kg.claims._yield_words import amounts_in, product_of

_BULLET = re.compile(r"[ \t]*(?:(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>)[ \t]+)*")
_SENTENCE = re.compile(rf"[.!?][)\]\"'*`_]*[ \t]+(?=[\"'(\[*`_]*[A-Z{MARK}])")
_LABEL = re.compile(r"(?:step|reaction step)[ \t]*(\d{1,2})\b", re.IGNORECASE)


class Reader:
    """Reads one answer.

    Args:
        text: The answer.
        about: The molecule the question asks about, which a reaction that is not named is taken to make.
        known: All molecules of the question, of which nothing is claimed by naming them.
        routes: Whether ids in square brackets follow one another.
    """

    def __init__(self, text: str, about: str | None, known: frozenset[str], *, routes: bool = False) -> None:
        self._whole = len(text) <= LONGEST
        text = text[:LONGEST].replace(MARK, " ")
        mentions = mentions_in(text)
        self._names = {mention.start: mention.smiles for mention in mentions}
        self._plain = masked(text, mentions)
        self._about = about
        self._known = known
        self._claims: dict[Claim, None] = {}
        self._routes: dict[tuple[int, ...], None] = {}
        self._reactions: dict[int, None] = {}
        self._best: dict[int, None] = {}
        self._scope: list[int] = []
        self._route: list[int] = []
        self._pending: Predicate | None = None
        self._listing = False
        self._as_route = False
        self._bracketed = routes
        self._made: list[str] = []
        self._header: list[Part] = []
        self._gap = False

    def read(self) -> Reading:
        """Return what the answer says."""
        lines = _lines(self._plain)
        number = 0
        while number < len(lines):
            table = table_at(lines, number, self._plain)
            if table is not None:
                for row in table[0].rows:
                    self._row(table[0].heading, row)
                number = table[1]
                continue
            self._line(*lines[number])
            number += 1
        return Reading(
            tuple(self._claims),
            tuple(self._routes),
            tuple(self._reactions),
            tuple(dict.fromkeys(self._names.values())),
            tuple(self._best),
            self._whole,
        )

    def _line(self, start: int, stop: int) -> None:
        if not self._plain[start:stop].strip():
            self._gap = True
            return
        bullet = _BULLET.match(self._plain, start, stop)
        begin = bullet.end() if bullet else start
        listed = begin > start
        if self._gap and not listed and not self._plain[start:stop].startswith((" ", "\t")):
            self._scope, self._made = [], []
        self._gap = False
        position = begin
        for match in _SENTENCE.finditer(self._plain, begin, stop):
            self._sentence(position, match.start() + 1)
            position = match.end()
        self._sentence(position, stop)

    def _sentence(self, start: int, stop: int) -> None:
        tokens = classified(tokens_of(self._plain, start, stop, self._names), listing=self._listing)
        if not tokens:
            return
        plain = all(token.kind in ("molecule", "mark") or "lists" in token.kinds for token in tokens)
        told = Roles(tokens, self._pending if plain else None).read()
        if not plain:
            self._pending = told.pending
        groups = groups_in(tokens, as_route=self._is_route(tokens))
        before = self._continued(tokens, groups, start)
        self._say(tokens, told, groups, before)
        self._remember(tokens, told, groups)

    def _is_route(self, tokens: list[Token]) -> bool:
        said = [token for token in tokens if "routes" in token.kinds]
        if self._bracketed and any(token.text == "[" for token in tokens):
            return True
        if said:
            return not any("reactions" in token.kinds for token in tokens)
        return self._as_route

    def _continued(self, tokens: list[Token], groups: list[Group], start: int) -> list[int]:
        """The reactions that the first of a sentence follows: it begins with "then", or is a later step."""
        if not groups:
            return []
        label = _LABEL.match(self._plain, start)
        first = next((token for token in tokens if token.kind != "mark"), None)
        if label is not None:
            groups[0].follows = int(label[1]) > 1 and bool(self._route)
        elif first is not None and "links" in first.kinds and self._route:
            groups[0].follows = True
        else:
            groups[0].follows = False
        return self._route if groups[0].follows else []

    def _say(self, tokens: list[Token], told: Told, groups: list[Group], before: list[int]) -> None:
        named = [number for group in groups for number in group.ids if group.first not in told.denied]
        self._reactions.update(dict.fromkeys(named))
        if any("best_words" in token.kinds for token in tokens):
            self._best.update(dict.fromkeys(named))
        routes = routes_of(groups, before)
        self._follow(routes, groups, before)
        for claim in links(routes, tokens[0].start, tokens[-1].stop):
            self._claims.setdefault(claim)
        if groups and self._header:
            self._bind(self._header, groups)
        for part in told.parts:
            self._part(part, told, groups, tokens)
        for role, place in told.empty:
            for number in self._reached(place, groups):
                self._claims.setdefault(Claim(number, role, None, negated=True, start=tokens[place].start))
        self._yields(tokens, told, groups)

    def _follow(self, routes: list[tuple[int, ...]], groups: list[Group], before: list[int]) -> None:
        for route in routes:
            grown = [known for known in self._routes if before and known[-1] == route[0] and len(route) > 1]
            for known in grown[-1:]:
                del self._routes[known]
                route = (*known, *route[1:])
            self._routes[route] = None
        if groups:
            self._route = groups[-1].ids

    def _bind(self, header: list[Part], groups: list[Group]) -> None:
        """What a heading says holds of each reaction listed under it; of a route, at its ends."""
        chain = len(groups) > 1 and all(group.follows for group in groups[1:])
        for part in header:
            chosen = (groups[-1:] if part.role == "PRODUCES" else groups[:1]) if chain else groups
            for group in chosen:
                for number in group.ids:
                    self._claims.setdefault(role_claim(part, number, None))

    def _part(self, part: Part, told: Told, groups: list[Group], tokens: list[Token]) -> None:
        if not groups:
            for number in self._scope:
                self._claims.setdefault(role_claim(part, number, None))
            if not self._scope:
                self._unnamed(part, told, tokens)
            return
        for group, role in scope_of(part, groups, tokens):
            denied = group.first in told.denied and not part.negated
            said = Part(part.token, part.role, part.place, part.group, part.negated or denied)
            for number in _respectively(part, told, group, tokens):
                self._claims.setdefault(role_claim(said, number, None, role))  # type: ignore[arg-type]

    def _unnamed(self, part: Part, told: Told, tokens: list[Token]) -> None:
        """A molecule where no reaction is named: it belongs to one that makes what is spoken of."""
        name = part.token.text
        if name in self._known or (name == self._about and part.role in (None, "PRODUCES")):
            return
        made = [each for each in told.parts if each.role == "PRODUCES" and not each.negated]
        after = [each for each in made if each.place > part.place]
        product = (after or made)[0].token.text if made else self._about
        if part.role == "PRODUCES":
            product = None
            if tokens[-1].text == ":":
                return
        self._claims.setdefault(role_claim(part, None, product))

    def _reached(self, place: int, groups: list[Group]) -> list[int]:
        left = [group for group in groups if group.last < place] or groups[:1]
        return left[-1].ids if left else self._scope

    def _yields(self, tokens: list[Token], told: Told, groups: list[Group]) -> None:
        amounts = amounts_in(tokens)
        together = any(token.text.lower() == "respectively" for token in tokens)
        for turn, amount in enumerate(amounts):
            product = product_of(amount, told.parts) or self._sole_product(groups)
            numbers: list[int | None] = [*self._reached(amount.place, groups)]
            if together and len(numbers) == len(amounts):
                numbers = [numbers[turn]]
            for number in numbers or ([None] if product or self._about else []):
                self._claims.setdefault(
                    Claim(
                        number,
                        "YIELD",
                        amount.high,
                        product=product or (self._about if number is None else None),
                        low=None if amount.low == amount.high else amount.low,
                        negated=amount.place in told.denied,
                        start=tokens[amount.place].start,
                        stop=tokens[amount.place].stop,
                    )
                )

    def _sole_product(self, groups: list[Group]) -> str | None:
        """The one product that was named of the reaction that is spoken of."""
        return (
            self._made[0] if len(self._made) == 1 and (not groups or groups[-1].ids == self._scope) else None
        )

    def _remember(self, tokens: list[Token], told: Told, groups: list[Group]) -> None:
        """Keep what the next sentence may rely on."""
        if groups and groups[-1].ids != self._scope:
            self._scope = groups[-1].ids
            self._made = []
        made = [part.token.text for part in told.parts if part.role == "PRODUCES" and not part.negated]
        self._made = list(dict.fromkeys([*self._made, *made]))
        heads = tokens[-1].text == ":" and not groups
        if heads:
            said = {kind for token in tokens for kind in token.kinds}
            self._listing = bool(said & {"reactions", "routes"})
            self._as_route = "routes" in said
            self._header = [part for part in told.parts if part.role is not None and not part.negated]
            if self._header and self._listing:
                self._scope, self._made = [], []

    def _row(self, heading: tuple[Cell, ...], row: tuple[Cell, ...]) -> None:
        found = read_row(heading, row, self._plain, self._names)
        if found is None:
            self._sentence(row[0].start, row[-1].stop)
            return
        tokens, told, groups = found
        self._say(tokens, told, groups, [])
        self._scope, self._made = [], []


def _respectively(part: Part, told: Told, group: Group, tokens: list[Token]) -> list[int]:
    """The reactions of a group that a molecule belongs to: each its own where the sentence says so."""
    if len(group.ids) > 1 and any(token.text.lower() == "respectively" for token in tokens):
        peers = [each for each in told.parts if each.group == part.group]
        if len(peers) == len(group.ids):
            return [group.ids[peers.index(part)]]
    return group.ids


def _lines(plain: str) -> list[Cell]:
    found: list[Cell] = []
    position = 0
    for line in plain.split("\n"):
        found.append(Cell(position, position + len(line)))
        position += len(line) + 1
    return found
