"""The reactions as a network in memory, for gold and for choosing questions."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from kg.reactions import Reaction

# Molecule, reaction id, molecule, reaction id, ..., molecule: from precursor to target.
Walk = tuple[str | int, ...]
Route = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReactionNetwork:
    """Reactions by what they make.

    Attributes:
        makers: For each molecule that is a product, the reactions that make it, by ascending id.
    """

    makers: Mapping[str, tuple[Reaction, ...]]

    @classmethod
    def of(cls, reactions: Iterable[Reaction]) -> "ReactionNetwork":
        """Index reactions by their products."""
        makers: dict[str, list[Reaction]] = defaultdict(list)
        for reaction in sorted(reactions, key=lambda each: each.id):
            for product in reaction.products:
                makers[product].append(reaction)
        return cls({name: tuple(found) for name, found in makers.items()})

    def reactions(self) -> Iterator[Reaction]:
        """Yield each reaction once; every reaction makes something."""
        for name, makers in self.makers.items():
            yield from (each for each in makers if each.products[0] == name)

    def makers_of(self, molecule: str) -> tuple[Reaction, ...]:
        """Return the reactions that make a molecule; empty where none does."""
        return self.makers.get(molecule, ())

    def walks_to(self, target: str, steps: int) -> Iterator[Walk]:
        """Yield every way of walking ``steps`` reactions forward that ends in ``target``.

        Nothing is left out: a walk may use a molecule or a reaction twice.
        """
        yield from self._extend((target,), steps)

    def _extend(self, tail: Walk, steps: int) -> Iterator[Walk]:
        if steps == 0:
            yield tail
            return
        for reaction in self.makers_of(str(tail[0])):
            for reactant in reaction.reactants:
                yield from self._extend((reactant, reaction.id, *tail), steps - 1)


def route_of(walk: Walk) -> Route:
    """Return the reaction ids of a walk, from precursor to target."""
    return cast(Route, walk[1::2])


def is_simple(walk: Walk) -> bool:
    """Return whether a walk visits no molecule and no reaction twice."""
    return len(set(walk)) == len(walk)
