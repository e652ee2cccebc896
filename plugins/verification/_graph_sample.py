"""What falsehoods are made of: other molecules and reactions of the graph."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random

from kg.reactions import Reaction
from plugins.verification._story import ROLES, Role, Row


class GraphSample:
    """The graph as a source of plausible falsehoods.

    Args:
        reactions: The reactions of the graph.
    """

    def __init__(self, reactions: Sequence[Reaction]) -> None:
        self.reactions: Mapping[int, Reaction] = {each.id: each for each in reactions}
        self._ids = sorted(self.reactions)
        names: dict[Role, set[str]] = {role: set() for role in ROLES}
        makers: dict[str, list[int]] = defaultdict(list)
        for each in reactions:
            for role in ROLES:
                names[role].update(getattr(each, role))
            for name in each.products:
                makers[name].append(each.id)
        self._names = {role: sorted(found) for role, found in names.items()}
        self._known = {name for found in names.values() for name in found}
        self._makers = makers

    def molecule(self, role: Role, outside: Sequence[int], random: Random) -> str:
        """Return a molecule that has a role somewhere, and no part in given reactions.

        Args:
            role: Its role in some other reaction.
            outside: Reactions that must not hold it.
            random: Decides.
        """
        held = {
            name for number in outside for each in ROLES for name in getattr(self.reactions[number], each)
        }
        while True:
            name = random.choice(self._names[role])
            if name not in held:
                return name

    def reaction(self, row: Row, random: Random) -> int:
        """Return the id of a reaction of which a row is not true: every second time one with its products."""
        siblings = [
            number
            for name in row.products
            for number in self._makers[name]
            if number != row.id and not self.is_true(row, number)
        ]
        if siblings and random.random() < 0.5:
            return random.choice(sorted(set(siblings)))
        while True:
            number = random.choice(self._ids)
            if number != row.id and not self.is_true(row, number):
                return number

    def is_true(self, row: Row, number: int) -> bool:
        """Whether all that a row tells of molecules is true of a reaction."""
        found = self.reactions[number]
        return all(set(getattr(row, role)) <= set(getattr(found, role)) for role in ROLES)

    def makes(self, number: int, name: str) -> bool:
        """Whether a reaction makes a molecule."""
        return name in self.reactions[number].products

    def leads(self, first: int, second: int) -> bool:
        """Whether something that one reaction makes reacts in another."""
        made = self.reactions[first].products
        return any(name in self.reactions[second].reactants for name in made)

    def is_route(self, ids: Sequence[int], target: str, start: str | None, steps: int) -> bool:
        """Whether reactions are a route of so many steps to a molecule, from another where one is given."""
        linked = all(self.leads(one, other) for one, other in pairwise(ids))
        begins = start is None or (bool(ids) and start in self.reactions[ids[0]].reactants)
        return len(ids) == steps and linked and begins and self.makes(ids[-1], target)

    def knows(self, name: str) -> bool:
        """Whether the graph holds a molecule."""
        return name in self._known
