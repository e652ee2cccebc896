"""Canonical SMILES by RDKit, atom maps removed."""

from dataclasses import dataclass, field

from rdkit import Chem, rdBase

# A molecule with an impossible valence still has one canonical form; only the valence check is left out.
_WITHOUT_VALENCE = Chem.SanitizeFlags.SANITIZE_ALL ^ Chem.SanitizeFlags.SANITIZE_PROPERTIES


@dataclass(frozen=True, slots=True)
class Canonical:
    """A molecule's canonical SMILES, and whether RDKit accepts its valence."""

    smiles: str
    valence_accepted: bool = True


@dataclass(slots=True)
class Canonicaliser:
    """Turns SMILES into canonical SMILES and remembers what it has seen."""

    _seen: dict[str, Canonical | None] = field(default_factory=dict)

    def __call__(self, smiles: str) -> Canonical | None:
        """Return the canonical form without atom maps, or None where RDKit cannot read the SMILES.

        The form is a fixed point: made canonical again it does not change.
        """
        # RDKit takes what follows a space for the molecule's name, and drops it without a word.
        if not smiles.isascii() or any(character.isspace() for character in smiles):
            return None
        if smiles not in self._seen:
            self._seen[smiles] = _canonical(smiles)
        return self._seen[smiles]


def _canonical(smiles: str) -> Canonical | None:
    with rdBase.BlockLogs():
        molecule, accepted = _parse(smiles)
        if molecule is None or molecule.GetNumAtoms() == 0:
            return None
        mapped = False
        for atom in molecule.GetAtoms():
            mapped = mapped or atom.GetAtomMapNum() != 0
            atom.SetAtomMapNum(0)
        text = str(Chem.MolToSmiles(molecule))
        # Mapped atoms are written in brackets, which fixes their hydrogens: only a second reading frees them.
        if mapped:
            again, _ = _parse(text)
            text = str(Chem.MolToSmiles(again)) if again is not None else text
    return Canonical(text, accepted)


def _parse(smiles: str) -> tuple[Chem.Mol | None, bool]:
    molecule = Chem.MolFromSmiles(smiles)
    if molecule is not None:
        return molecule, True
    molecule = Chem.MolFromSmiles(smiles, sanitize=False)
    if molecule is None:
        return None, False
    failed = Chem.SanitizeMol(molecule, _WITHOUT_VALENCE, catchErrors=True)
    return (None, False) if failed != Chem.SanitizeFlags.SANITIZE_NONE else (molecule, False)
