"""Which molecules a chemist would ask for."""

from collections import Counter
from collections.abc import Iterable

from rdkit import Chem

from kg.reactions import Reaction

MINIMUM_HEAVY_ATOMS = 8
COMMON_AUXILIARY_USES = 10


def is_synthesis_target(name: str) -> bool:
    """Return whether a molecule is one that a chemist would set out to make.

    That is one connected molecule with a carbon atom and at least eight atoms other than hydrogen: it leaves
    out counter-ions, water, mineral acids and small reagents, which patents list as products of hundreds
    of unrelated reactions.

    Args:
        name: SMILES; an unreadable one is no target.
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
