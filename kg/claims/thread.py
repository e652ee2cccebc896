"""What the sentences of an answer were about so far, for the next one."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from retrocypher.kg.claims.claim import Predicate
from retrocypher.kg.claims.scopes import Group
from retrocypher.kg.claims.sentence import Part, SentenceRoles
from retrocypher.kg.claims.tokens import Token


@dataclass(slots=True)
class Thread:
    """What the next sentence may rely on.

    Attributes:
        scope: The reactions that were named last; ``made`` is what they make.
        pending: The role that what follows has.
        listing: Whether a heading says that ids follow.
        as_route: Whether it says that those of a line follow one another.
        header: The molecules of that heading with their roles.
        named: Whether a route was announced that has not begun.
        made_last: What the last reactions make, for the reaction that takes it up.
        groups_of_line: Groups of reactions in the line.
    """

    routes_asked: bool
    scope: list[int] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    pending: Predicate | None = None
    listing: bool = False
    as_route: bool = False
    header: list[Part] = field(default_factory=list)
    named: bool = False
    made_last: set[str] = field(default_factory=set)
    groups_of_line: int = 0

    def leave(self) -> None:
        """Speak of no reaction any more."""
        self.scope, self.made = [], []

    def next_line(self) -> None:
        """Begin a line."""
        if self.groups_of_line > 1:
            self.made_last = set()
        self.groups_of_line = 0

    def remember(self, tokens: Sequence[Token], told: SentenceRoles, groups: Sequence[Group]) -> None:
        """Keep what a sentence says."""
        if groups and groups[-1].ids != self.scope:
            self.scope = groups[-1].ids
            self.made = []
        made = [part.token.text for part in told.parts if part.role == "PRODUCES" and not part.negated]
        self.made = list(dict.fromkeys([*self.made, *made]))
        last = next((token for token in reversed(tokens) if token.text not in "*_`"), tokens[-1])
        if last.text == ":" and not groups and not self.named and len(tokens) > 2:
            said = {kind for token in tokens for kind in token.kinds}
            self.listing = bool(said & {"reactions", "routes"}) or self.routes_asked
            self.as_route = "routes" in said or self.routes_asked
            self.header = [part for part in told.parts if part.role is not None and not part.negated]
            if self.header and self.listing:
                self.leave()

    def sole_product(self, groups: Sequence[Group]) -> str | None:
        """Return the one product that was named of the reaction that is spoken of."""
        return self.made[0] if len(self.made) == 1 and (not groups or groups[-1].ids == self.scope) else None


MOST_ROUTES = 200
"""Routes that alternatives such as ``1400 or 1403, then 1404`` are spelt out to, and routes of an answer."""


@dataclass(slots=True)
class Chain:
    """Reactions in order, with what the heading above says of the ends of the routes under it.

    ``marked`` is whether the answer calls them a route, so that even one alone is a route, of one step.
    Where some chains that begin a numbered line (``item``) are routes, all are.
    """

    ids: tuple[int, ...]
    marked: bool
    item: bool = False
    header: list[Part] = field(default_factory=list)


class Chains:
    """Grows the routes of an answer."""

    def __init__(self) -> None:
        self._done: list[Chain] = []
        self._open: list[Chain] = []

    @property
    def begun(self) -> bool:
        """Whether there are reactions that others may follow."""
        return bool(self._open)

    def close(self) -> None:
        """Begin a new route with the next reactions."""
        self._done += self._open
        self._open = []

    def follow(
        self, groups: Sequence[Group], *, marked: bool, item: bool = False, header: Sequence[Part] = ()
    ) -> list[tuple[int, int]]:
        """Take in the reactions of a sentence, those of a group as alternatives; return what follows what."""
        pairs: dict[tuple[int, int], None] = {}
        for group in groups:
            if group.follows and self._open:
                grown = [(chain, number) for chain in self._open for number in group.ids][:MOST_ROUTES]
                pairs.update(((chain.ids[-1], number), None) for chain, number in grown)
                self._open = [
                    Chain((*chain.ids, number), True, chain.item, chain.header) for chain, number in grown
                ]
            else:
                self.close()
                begins = marked or group.begins
                self._open = [Chain((number,), begins, item, list(header)) for number in group.ids]
        return list(pairs)

    def routes(self) -> list[Chain]:
        """Return what became routes, each once."""
        self.close()
        numbered = any(chain.item and len(chain.ids) > 1 for chain in self._done)
        found = [chain for chain in self._done if chain.marked or (numbered and chain.item)]
        return list({chain.ids: chain for chain in found}.values())[:MOST_ROUTES]
