"""What the atom maps of the source tell: the carbon atoms that a route carries, and implausible reactions.

Reactions can fit together as a pattern although no atom of the precursor reaches the target: an ester is
made with an acid and cleaved to the same acid. A chemist does not call that a route. Where a name was read
wrongly, the map takes molecules apart that no reaction takes apart.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import product

from rdkit import rdBase

from retrocypher.kg.graph.molecules import carbon_bonds, carbons_of, mapped_molecules, symmetries_of
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.questions.gold import Walk

MAXIMUM_SYMMETRIES = 10_000
"""A molecule with more symmetries is taken to carry nothing, because not all choices can be tried."""

MAXIMUM_BROKEN_BONDS = 2
"""A reaction that breaks more bonds between carbon atoms is implausible."""

Atoms = frozenset[int]
"""Atoms of a molecule: places in its canonical SMILES."""
_Numbers = Mapping[str, list[tuple[int, ...]]]
_NOTHING = frozenset({Atoms()})
# Three sides, and on the right one an atom with a number of its own.
_NUMBER = re.compile(r":([1-9]\d*)\]")
_MAPPED = re.compile(r"[^>]*>[^>]*>[^>]*:[1-9]\d*\][^>]*")


class CarriedCarbons:
    """Computes the share of a walk's carbon atoms that reach its last molecule.

    Between two steps, atoms are matched by the canonical structure of the intermediate. Where its symmetry,
    or a second copy of a molecule in a reaction, leaves a choice, the choice that carries least counts.
    """

    def __init__(self, reactions: Iterable[Reaction]) -> None:
        self._reactions: Mapping[int, Reaction] = {each.id: each for each in reactions}
        self._sides = cache(self._sides_of)
        self._steps = cache(self._steps_of)
        self._reaching = cache(self._reaching_of)

    def share(self, walk: Walk) -> float:
        """Return the share of the first molecule's carbon atoms that reach the last, from 0 to 1."""
        with rdBase.BlockLogs():
            carried = min(map(len, self._reaching(walk)))
            return carried / len(carbons_of(str(walk[0]))) if carried else 0.0

    def _reaching_of(self, walk: Walk) -> frozenset[Atoms]:
        """Return the carbon atoms of the first molecule that reach the last, one set for each choice."""
        if len(walk) == 1:
            return frozenset({carbons_of(str(walk[0]))})
        reactant, reaction, made = str(walk[0]), int(walk[1]), str(walk[2])
        later = self._reaching(walk[2:])
        if later == _NOTHING:
            return _NOTHING
        # The target has no later step that its atoms would have to be matched to.
        symmetries = symmetries_of(made, MAXIMUM_SYMMETRIES) if len(walk) > 3 else [None]
        if not symmetries:
            return _NOTHING
        images = {
            atoms if symmetry is None else Atoms(symmetry[atom] for atom in atoms)
            for atoms, symmetry in product(later, symmetries)
        }
        # A few maps of the source lead from one element to another.
        carbons = carbons_of(reactant)
        found = {
            Atoms(atom for atom, place in step.items() if place in atoms) & carbons
            for step in self._steps(reaction, reactant, made)
            for atoms in images
        }
        return _NOTHING if not found or Atoms() in found else frozenset(found)

    def _steps_of(self, reaction: int, reactant: str, made: str) -> list[dict[int, int]]:
        """Return which atom of a reactant becomes which atom of a product, for each pair of copies."""
        left, right = self._sides(reaction)
        steps: list[dict[int, int]] = []
        for before, after in product(left.get(reactant, ()), right.get(made, ())):
            places = {number: place for place, number in enumerate(after) if number}
            step = {atom: places[number] for atom, number in enumerate(before) if number in places}
            if step not in steps:
                steps.append(step)
        return steps

    def _sides_of(self, reaction: int) -> tuple[_Numbers, _Numbers]:
        """Return the molecules left and right of the arrow, each with the map numbers of its copies."""
        left, right = _sides(self._reactions[reaction])
        return _numbers(left), _numbers(right)


def has_atom_maps(reactions: Iterable[Reaction]) -> bool:
    """Return whether the source of every reaction maps atoms of its products."""
    return all(each.source is not None and _MAPPED.fullmatch(each.source.original) for each in reactions)


def is_implausible(reaction: Reaction) -> bool:
    """Return whether the atom map breaks a benzene ring, or more than two bonds between carbon atoms.

    A bond is broken where one of its atoms is part of a product, and there is no such bond in a product.
    """
    left, right = _sides(reaction)
    made = set(map(int, _NUMBER.findall(right.partition(" ")[0])))
    kept = {bond.numbers for bond in carbon_bonds(right) if bond.numbers <= made}
    with rdBase.BlockLogs():
        broken = [
            bond
            for bond in carbon_bonds(left)
            if not bond.numbers.isdisjoint(made) and bond.numbers not in kept
        ]
    return len(broken) > MAXIMUM_BROKEN_BONDS or any(bond.in_benzene for bond in broken)


def _sides(reaction: Reaction) -> tuple[str, str]:
    """Return what stands left and right of the arrow of the source."""
    source = reaction.source
    left, middle, right = source.original.split(">") if source else ("", "", "")
    # The extraction may have taken a reactant from between the arrows.
    return f"{left}.{middle}", right


def _numbers(side: str) -> _Numbers:
    found: dict[str, list[tuple[int, ...]]] = {}
    for smiles, numbers in mapped_molecules(side):
        found.setdefault(smiles, []).append(numbers)
    return found
