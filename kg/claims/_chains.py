"""The routes of an answer, put together from what its sentences say one after another."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from kg.claims._scopes import Group
from kg.claims._sentence import Part

MOST_ROUTES = 200
"""Routes that alternatives such as ``1400 or 1403, then 1404`` are spelt out to, and routes of an answer."""


@dataclass(slots=True)
class Chain:
    """Reactions in order.

    Attributes:
        ids: Their ids.
        marked: Whether the answer calls them a route, so that even one alone is a route, of one step.
        item: Whether it begins a numbered line. Where some of those are routes, all are.
        header: What the heading above says of the ends of the routes under it.
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
        """Take in the reactions of a sentence, and return which of them follow which.

        Args:
            groups: The reactions in groups; those of one group are alternatives.
            marked: Whether the sentence calls what it begins a route.
            item: Whether it begins a numbered line. Where some of those are routes, all are.
            header: What the heading above says of routes.
        """
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
