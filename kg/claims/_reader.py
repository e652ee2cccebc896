"""The reader: goes through an answer line by line and remembers what it is about."""

import re

from kg.claims._gatherer import Gatherer
from kg.claims._layout import (
    BULLET,
    has,
    is_list_of_ids,
    is_numbered,
    is_one_route,
    lines_of,
    names_route,
    ordinal_of,
    step_label,
    without_asides,
)
from kg.claims._markup import plain_of
from kg.claims._molecules import MOST_MOLECULES, masked, mentions_in, unreadable_in
from kg.claims._numbers import classified
from kg.claims._reaction_smiles import separated
from kg.claims._reading import Reading
from kg.claims._scopes import Group, groups_in
from kg.claims._sentence import Roles
from kg.claims._table_rows import read_row
from kg.claims._tables import Cell, table_at
from kg.claims._thread import Thread
from kg.claims._tokens import LONGEST, Token, tokens_of
from kg.claims._words import MARK

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
