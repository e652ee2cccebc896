"""Which molecules a chemist would ask for."""

from rdkit import Chem

MINIMUM_HEAVY_ATOMS = 8


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
