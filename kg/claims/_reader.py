"""The reader: goes through an answer line by line and remembers what it is about."""

import re

from kg.claims._chains import Chains
from kg.claims._emit import role_claim, unnamed_claim, yield_claim
from kg.claims._layout import has, is_list_of_ids, is_numbered, lines_of, names_route, respective, step_label
from kg.claims._model import Claim, Predicate
from kg.claims._numbers import classified
from kg.claims._reading import Reading
from kg.claims._scopes import Group, groups_in, link, nearest, scope_of
from kg.claims._sentence import Part, Roles, Told
from kg.claims._table_rows import read_row
from kg.claims._tables import Cell, table_at
from kg.claims._tokens import LONGEST, Token, masked, mentions_in, tokens_of, unreadable_in
from kg.claims._words import MARK
from kg.claims._yield_words import amounts_in, product_of

_BULLET = re.compile(r"[ \t]*(?:(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>)[ \t]+)*")
_SENTENCE = re.compile(rf"[.!?][)\]\"'*`_]*[ \t]+(?=[\"'(\[*`_]*[A-Z{MARK}])")
_LONGEST_SENTENCE = 4_000


class Reader:
    """Reads one answer.

    Args:
        text: The answer.
        about: The molecule the question asks about, which a reaction that is not named is taken to make.
        known: All molecules of the question, of which nothing is claimed by naming them.
        routes: Whether routes are asked for: then ids in brackets follow one another, and so do reactions of
            which one takes up what the one before it makes.
    """

    def __init__(self, text: str, about: str | None, known: frozenset[str], *, routes: bool = False) -> None:
        self._whole = len(text) <= LONGEST
        text = "".join(each if each.isprintable() or each in "\n\t" else " " for each in text[:LONGEST])
        text = text.replace(MARK, " ")
        mentions = mentions_in(text)
        self._names = {mention.start: mention.smiles for mention in mentions}
        self._plain = masked(text, mentions)
        self._about = about
        self._known = known
        self._claims: dict[Claim, None] = {}
        self._chains = Chains()
        self._reactions: dict[int, None] = {}
        self._best: dict[int, None] = {}
        self._scope: list[int] = []
        self._pending: Predicate | None = None
        self._listing = False
        self._as_route = False
        self._routes_asked = routes
        self._made: list[str] = []
        self._named = False
        self._item = False
        self._listed = False
        self._groups_of_line = 0
        self._made_last: set[str] = set()
        self._header: list[Part] = []
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
        chains = self._chains.routes()
        for chain in chains:
            for part in chain.header:
                end = chain.ids[-1] if part.role == "PRODUCES" else chain.ids[0]
                self._claims.setdefault(role_claim(part, end, None))
        return Reading(
            tuple(self._claims),
            tuple(chain.ids for chain in chains),
            tuple(self._reactions),
            tuple(dict.fromkeys(self._names.values())),
            tuple(self._best),
            tuple(dict.fromkeys(unreadable_in(self._plain))),
            self._whole,
        )

    def _line(self, start: int, stop: int) -> None:
        if not self._plain[start:stop].strip():
            self._gap = True
            return
        bullet = _BULLET.match(self._plain, start, stop)
        begin = bullet.end() if bullet else start
        self._listed = begin > start
        if self._gap and not self._listed and not self._plain[start:stop].startswith((" ", "\t")):
            self._scope, self._made = [], []
        self._gap = False
        if self._groups_of_line > 1:
            self._made_last = set()
        self._groups_of_line = 0
        self._item = is_numbered(self._plain, start)
        position = begin
        for match in _SENTENCE.finditer(self._plain, begin, stop):
            self._sentence(position, match.start() + 1)
            position = match.end()
        self._sentence(position, stop)

    def _sentence(self, start: int, stop: int) -> None:
        whole = tokens_of(self._plain, start, stop, self._names)
        # What a person writes is never as long; what is longer must not take time by its square.
        for begin in range(0, len(whole), _LONGEST_SENTENCE):
            self._read_tokens(
                classified(whole[begin : begin + _LONGEST_SENTENCE], listing=self._listing), start
            )

    def _read_tokens(self, tokens: list[Token], start: int) -> None:
        plain = all(token.kind in ("molecule", "mark") or "lists" in token.kinds for token in tokens)
        # "The precursors are:" speaks of the molecules that the items under it begin with.
        item = self._listed and tokens[0].kind == "molecule" and not any(t.kind == "arrow" for t in tokens)
        told = Roles(tokens, self._pending if plain or item else None).read()
        if not (plain or item):
            self._pending = told.pending
        groups = groups_in(tokens, as_route=self._is_route(tokens))
        marked = self._begins(tokens, groups, start)
        self._say(tokens, told, groups, marked=marked)
        self._remember(tokens, told, groups)

    def _is_route(self, tokens: list[Token]) -> bool:
        """Whether ids in a list follow one another."""
        said = [token for token in tokens if "routes" in token.kinds]
        if self._routes_asked and any(token.text in ("[", "(") for token in tokens):
            return True
        if said:
            return not any("reactions" in token.kinds for token in tokens)
        return self._as_route

    def _begins(self, tokens: list[Token], groups: list[Group], start: int) -> bool:
        """See whether a sentence goes on with a route, and return whether it calls what it begins a route."""
        label = step_label(self._plain, start)
        first = next((token for token in tokens if token.kind != "mark"), None)
        named = names_route(self._plain, start) and len(tokens) > 1
        if named:
            self._chains.close()
            self._made_last = set()
        if not groups:
            self._named = self._named or (
                named and not any(token.kind in ("verb", "noun", "molecule") for token in tokens)
            )
            return False
        later = label is not None and label > 1
        linked = label is None and first is not None and "links" in first.kinds
        groups[0].follows = (later or linked) and self._chains.begun
        bare = not any(token.kind in ("molecule", "noun", "verb") for token in tokens)
        begins = named or self._named or label is not None or (self._as_route and bare)
        self._named = False
        return begins or (self._routes_asked and (is_list_of_ids(tokens) or (bare and has(tokens, "("))))

    def _say(self, tokens: list[Token], told: Told, groups: list[Group], *, marked: bool) -> None:
        named = [number for group in groups for number in group.ids if group.first not in told.denied]
        self._reactions.update(dict.fromkeys(named))
        for place, token in enumerate(tokens):
            if "best_words" in token.kinds and (group := nearest(place, groups, tokens)) is not None:
                self._best.update(dict.fromkeys(group.ids))
        placed = [(part, scope_of(part, groups, tokens) if groups else []) for part in told.parts]
        self._link(placed, groups)
        header = self._header if self._as_route else []
        for one, other in self._chains.follow(groups, marked=marked, item=self._item, header=header):
            start, stop = tokens[0].start, tokens[-1].stop
            self._claims.setdefault(Claim(one, "LEADS_TO", other, start=start, stop=stop))
        if not self._as_route:
            for part in self._header:
                for number in named:
                    self._claims.setdefault(role_claim(part, number, None))
        for part, scopes in placed:
            self._part(part, scopes, told, groups, tokens)
        for role, place in told.empty:
            for number in self._reached(place, groups, tokens):
                self._claims.setdefault(Claim(number, role, None, negated=True, start=tokens[place].start))
        self._yields(tokens, told, groups)

    def _link(self, placed: list[tuple[Part, list[tuple[Group, str | None]]]], groups: list[Group]) -> None:
        """Where routes are asked for, a reaction that takes up what the one before it makes follows that."""
        if not self._routes_asked:
            return
        # From line to line one reaction leads to another only where each line tells of one.
        made = self._made_last if self._groups_of_line or len(groups) == 1 else set()
        self._groups_of_line += len(groups)
        if groups:
            self._made_last = link(placed, groups, made)

    def _part(
        self,
        part: Part,
        scopes: list[tuple[Group, str | None]],
        told: Told,
        groups: list[Group],
        tokens: list[Token],
    ) -> None:
        if not groups:
            for number in self._scope:
                self._claims.setdefault(role_claim(part, number, None))
            if not self._scope:
                self._unnamed(part, told, tokens)
            return
        for group, role in scopes:
            denied = group.first in told.denied and not part.negated
            said = Part(part.token, part.role, part.place, part.group, part.negated or denied)
            for number in respective(part, told, group, tokens):
                self._claims.setdefault(role_claim(said, number, None, role))  # type: ignore[arg-type]

    def _unnamed(self, part: Part, told: Told, tokens: list[Token]) -> None:
        """A molecule where no reaction is named: it belongs to one that makes what is spoken of."""
        name = part.token.text
        if name in self._known or (name == self._about and part.role in (None, "PRODUCES")):
            return
        if part.role != "PRODUCES" or tokens[-1].text != ":":
            self._claims.setdefault(unnamed_claim(part, told, self._about))

    def _reached(self, place: int, groups: list[Group], tokens: list[Token]) -> list[int]:
        group = nearest(place, groups, tokens)
        return self._scope if group is None else group.ids

    def _yields(self, tokens: list[Token], told: Told, groups: list[Group]) -> None:
        amounts = amounts_in(tokens)
        for turn, amount in enumerate(amounts):
            product = product_of(amount, told.parts, self._about, tokens) or self._sole_product(groups)
            numbers: list[int | None] = [*self._reached(amount.place, groups, tokens)]
            if 1 < len(numbers) == len(amounts):
                numbers = [numbers[turn]]
            for number in numbers or ([None] if product or self._about else []):
                of = product or (self._about if number is None else None)
                self._claims.setdefault(yield_claim(amount, number, of, told, tokens[amount.place]))

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
        last = next((token for token in reversed(tokens) if token.text not in "*_`"), tokens[-1])
        if last.text == ":" and not groups and not self._named and len(tokens) > 2:
            said = {kind for token in tokens for kind in token.kinds}
            self._listing = bool(said & {"reactions", "routes"}) or self._routes_asked
            self._as_route = "routes" in said or self._routes_asked
            self._header = [part for part in told.parts if part.role is not None and not part.negated]
            if self._header and self._listing:
                self._scope, self._made = [], []

    def _row(self, titles: list[list[Token]], row: tuple[Cell, ...]) -> None:
        found = read_row(titles, row, self._plain, self._names)
        if found is None:
            self._sentence(row[0].start, row[-1].stop)
            return
        self._item = False
        tokens, told, groups, route, step = found
        if groups and step is not None and step > 1:
            groups[0].follows = self._chains.begun
        else:
            self._chains.close()
        self._say(tokens, told, groups, marked=route or step is not None)
        self._scope, self._made = [], []
