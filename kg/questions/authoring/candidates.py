"""What the choice of questions is made from."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from rdkit import Chem

from retrocypher.kg.graph.reaction import Reaction

MINIMUM_HEAVY_ATOMS = 8
COMMON_AUXILIARY_USES = 10

# Molecule, reaction id, molecule, reaction id, ..., molecule: from precursor to target.
Walk = tuple[str | int, ...]
Route = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question that the plan counts on its own.

    Attributes:
        task: Name of the task.
        steps: Reaction steps; 1 for single-step tasks.
        products: Size of the product set; 0 where the task has none.
        role: ``agents`` or ``solvents``; empty where the task has no role.
    """

    task: str
    steps: int = 1
    products: int = 0
    role: str = ""

    def __str__(self) -> str:
        parts = [self.task]
        if self.steps > 1:
            parts.append(f"{self.steps} steps")
        if self.products:
            parts.append(f"{self.products} products")
        if self.role:
            parts.append(self.role)
        return " ".join(parts)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A question that could be asked: unambiguous and with an answer. Two are equal only if identical.

    Attributes:
        kind: What kind of question it is.
        slots: What its template is filled with.
        target: The molecule it clusters by.
        tier: How much it would tell about a query; 0 is best.
        discriminating: Whether a wrong choice among the target's reactions would show.
    """

    kind: Kind
    slots: Mapping[str, Any]
    target: str
    tier: int
    discriminating: bool


def is_synthesis_target(name: str) -> bool:
    """Return whether a molecule is one that a chemist would set out to make.

    That is one connected molecule with a carbon atom and at least eight atoms other than hydrogen: it leaves
    out counter-ions, water, mineral acids and small reagents, which patents list as products of hundreds
    of unrelated reactions.
    """
    molecule = Chem.MolFromSmiles(name)
    if molecule is None or len(Chem.GetMolFrags(molecule)) != 1:
        return False
    has_carbon = any(atom.GetAtomicNum() == 6 for atom in molecule.GetAtoms())
    return has_carbon and molecule.GetNumHeavyAtoms() >= MINIMUM_HEAVY_ATOMS


def common_auxiliaries(reactions: Iterable[Reaction]) -> frozenset[str]:
    """Return the molecules that at least ten reactions use as agent or solvent.

    Toluenesulfonic acid or a carbodiimide is a product here and there, but nobody plans a route through it.
    """
    uses = Counter(name for each in reactions for name in {*each.agents, *each.solvents})
    return frozenset(name for name, count in uses.items() if count >= COMMON_AUXILIARY_USES)


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
