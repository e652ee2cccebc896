"""What the sentences of an answer so far are about, for the next one."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from kg.claims._model import Predicate
from kg.claims._scopes import Group
from kg.claims._sentence import Part, Told
from kg.claims._tokens import Token


@dataclass(slots=True)
class Thread:
    """What the next sentence may rely on.

    Attributes:
        routes_asked: Whether the question asks for routes.
        scope: The reactions that were named last.
        made: What they make.
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

    def remember(self, tokens: Sequence[Token], told: Told, groups: Sequence[Group]) -> None:
        """Keep what a sentence says.

        Args:
            tokens: The sentence.
            told: Its molecules.
            groups: Its reactions.
        """
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
        """Return the one product that was named of the reaction that is spoken of.

        Args:
            groups: The reactions of the sentence.
        """
        return self.made[0] if len(self.made) == 1 and (not groups or groups[-1].ids == self.scope) else None
