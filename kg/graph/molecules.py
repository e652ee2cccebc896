"""SMILES: canonical forms by RDKit, their atoms, and the molecules that a text mentions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from rdkit import Chem, rdBase

# A molecule with an impossible valence still has one canonical form; only the valence check is left out.
_WITHOUT_VALENCE = Chem.SanitizeFlags.SANITIZE_ALL ^ Chem.SanitizeFlags.SANITIZE_PROPERTIES

_WORD = re.compile(r"\S+")
_BETWEEN = re.compile(r"(?:>>|→|⟶|➔|⇒|=>|-->)")
_POSSESSIVE = re.compile("['\u2019]s$")
_CHARACTERS = re.compile(r"[A-Za-z0-9@+\-\[\]()=#$/\\%.:*~]+")
_CHAIN = re.compile(r"(?:Cl|Br|[BCNOPSFI])+")
_QUOTES = "\"'`*_\u00b4\u201c\u201d\u2018\u2019\u00ab\u00bb\u201e\u201a"
_PUNCTUATION = ",;!?:…"
_OPENING = "([{<"
_CLOSING = ")]}>"

MOST_MENTIONS = 40
"""How many molecules of a question are read; none names more."""

LONGEST = 2000
"""Characters of a SMILES; no molecule of a patent needs more."""

_LAYERS = 4
# Each of these is a SMILES and also a word; as a SMILES it has to stand between quotes.
_WORDS = frozenset(
    {"I", "B", "P", "IN", "ON", "SO", "NO", "OF", "IF", "IS", "ION", "IONS", "NON", "OK", "BIS"}
)
_COUNTED = re.compile(
    r"(?:[ \t]+|-)(?:reaction |synthetic )?(?:steps?|stages?|reactions?|hops?)\b", re.IGNORECASE
)

_KEPT = 10_000
_CARBON = 6
_BENZENE = 6


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


def molecule_of(name: str) -> Chem.Mol:
    """Return the molecule of a name of the graph, its valence unchecked; raise ValueError for others."""
    with rdBase.BlockLogs():
        molecule, _ = _parse(name)
    if molecule is None:
        raise ValueError(f"{name!r} is no name of a molecule")
    return molecule


def mapped_molecules(side: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the molecules of one side of a reaction: canonical SMILES, and the map numbers of its atoms.

    The numbers are in the order of the atoms in the canonical SMILES; 0 stands for an atom without one.
    Molecules that RDKit cannot read are left out.
    """
    for written in filter(None, side.partition(" ")[0].split(".")):
        if (found := _mapped_molecule(written)) is not None:
            yield found


# Agents and solvents are written alike in many reactions.
@lru_cache(maxsize=_KEPT)
def _mapped_molecule(written: str) -> tuple[str, tuple[int, ...]] | None:
    molecule, _ = _parse(written)
    if molecule is None:
        return None
    numbers = [atom.GetAtomMapNum() for atom in molecule.GetAtoms()]
    for atom in molecule.GetAtoms():
        atom.SetAtomMapNum(0)
    # As in `_canonical`: only a second reading frees the hydrogens of mapped atoms.
    for _ in range(2):
        text = str(Chem.MolToSmiles(molecule))
        numbers = [numbers[place] for place in molecule.GetPropsAsDict(True, True)["_smilesAtomOutputOrder"]]
        molecule, _ = _parse(text)
        if molecule is None:
            return None
    return text, tuple(numbers)


class CarbonBond(NamedTuple):
    """A bond between two carbon atoms: their map numbers, and whether it is part of a benzene ring."""

    numbers: frozenset[int]
    in_benzene: bool


def carbon_bonds(side: str) -> Iterator[CarbonBond]:
    """Yield the bonds between carbon atoms on one side of a reaction.

    Molecules that RDKit cannot read are left out.
    """
    for written in filter(None, side.partition(" ")[0].split(".")):
        yield from _carbon_bonds(written)


@lru_cache(maxsize=_KEPT)
def _carbon_bonds(written: str) -> tuple[CarbonBond, ...]:
    molecule, _ = _parse(written)
    if molecule is None:
        return ()
    bonds = [
        bond
        for bond in molecule.GetBonds()
        if bond.GetBeginAtom().GetAtomicNum() == bond.GetEndAtom().GetAtomicNum() == _CARBON
    ]
    aromatic = {bond.GetIdx() for bond in bonds if bond.GetIsAromatic()}
    rings = [set(ring) for ring in molecule.GetRingInfo().BondRings() if len(ring) == _BENZENE]
    benzene = set().union(*(ring for ring in rings if ring <= aromatic))
    return tuple(
        CarbonBond(
            frozenset(atom.GetAtomMapNum() for atom in (bond.GetBeginAtom(), bond.GetEndAtom())),
            bond.GetIdx() in benzene,
        )
        for bond in bonds
    )


def carbons_of(smiles: str) -> frozenset[int]:
    """Return which atoms of a canonical SMILES are carbon, as places in it."""
    molecule, _ = _parse(smiles)
    atoms = () if molecule is None else molecule.GetAtoms()
    return frozenset(atom.GetIdx() for atom in atoms if atom.GetAtomicNum() == _CARBON)


def symmetries_of(smiles: str, most: int) -> list[tuple[int, ...]]:
    """Return the ways to map a molecule onto itself; none if there are more than ``most``."""
    molecule, _ = _parse(smiles)
    if molecule is None:
        return []
    found = molecule.GetSubstructMatches(molecule, uniquify=False, useChirality=True, maxMatches=most + 1)
    return [] if len(found) > most else list(found)


class Mention(NamedTuple):
    """A molecule in a text: its SMILES as written, and where it stands."""

    smiles: str
    start: int
    stop: int


def find_molecules(text: str, most: int = MOST_MENTIONS, *, doubtful: bool = False) -> list[Mention]:
    """Return the SMILES in a text in order; after ``most`` of them the rest of the text is not read.

    A word counts as one where RDKit reads its syntax and it cannot be taken for a word of the language;
    ``doubtful`` includes those that can (`is_doubtful`). Quotes, brackets and punctuation around it do not
    belong to it.
    """
    found: list[Mention] = []
    with rdBase.BlockLogs():
        for word in _WORD.finditer(text):
            start = word.start()
            for piece in _pieces(word.group()):
                at = text.index(piece, start)
                mention = _molecule(text, piece, at, doubtful=doubtful)
                if mention is not None:
                    found.append(mention)
                    if len(found) == most:
                        return found
                start = at + len(piece)
    return found


def _pieces(word: str) -> list[str]:
    """The parts of a word between commas, semicolons and reaction arrows, none of which a SMILES holds."""
    return [part for side in _BETWEEN.split(word) for part in re.split(r"[,;]", side) if part]


def is_doubtful(smiles: str) -> bool:
    """Whether a SMILES is also a word of the language."""
    return smiles in _WORDS


def _molecule(text: str, piece: str, start: int, *, doubtful: bool) -> Mention | None:
    core = piece.rstrip(_PUNCTUATION + ".")
    core = _POSSESSIVE.sub("", core)
    quoted = core[:1] in _QUOTES and core[:1] != "" and core[-1:] in _QUOTES
    stripped = core.strip(_QUOTES + _PUNCTUATION)
    if stripped.endswith("."):
        stripped = stripped.rstrip(".")
    for candidate in _unwrapped(stripped):
        if _is_smiles(candidate, quoted=doubtful or quoted or candidate != stripped):
            at = text.index(candidate, start)
            if not quoted and len(candidate) == 1 and _COUNTED.match(text, at + 1):
                return None
            return Mention(candidate, at, at + len(candidate))
    return None


def _unwrapped(word: str) -> list[str]:
    """A word, and the word without brackets and quotes at its ends, the longest first."""
    found = [word]
    for _ in range(_LAYERS):
        if not word or not (
            word[0] in _OPENING + _QUOTES or word[-1] in _CLOSING + _QUOTES + _PUNCTUATION + "."
        ):
            break
        ends = word[0] in _OPENING + _QUOTES, word[-1] in _CLOSING + _QUOTES + _PUNCTUATION + "."
        found += [word[:-1]] if ends[1] else []
        found += [word[1:]] if ends[0] else []
        word = word[ends[0] : len(word) - ends[1]]
        found.append(word)
    return sorted(dict.fromkeys(found), key=len, reverse=True)


def _is_smiles(word: str, *, quoted: bool) -> bool:
    if len(word) > LONGEST or not _CHARACTERS.fullmatch(word) or word.isdigit():
        return False
    if word.isalpha():
        if not _CHAIN.fullmatch(word) or (word in _WORDS and not quoted):
            return False
    elif not any(character.isalpha() or character == "*" for character in word) or _is_hyphenated(word):
        return False
    molecule = Chem.MolFromSmiles(word, sanitize=False)
    return molecule is not None and molecule.GetNumAtoms() > 0


def _is_hyphenated(word: str) -> bool:
    """Whether it is letters and hyphens in lower case, such as `non-co`."""
    return all(part.isalpha() and part.islower() for part in re.split(r"[-.:/]", word) if part)


@lru_cache(maxsize=256)
def canonical_smiles(smiles: str) -> str | None:
    """Return a SMILES as RDKit writes it; None where RDKit reads no molecule in it."""
    # RDKit takes what follows a space for a name, stops at a NUL, and cannot be given half a surrogate pair.
    if len(smiles) > LONGEST or not _CHARACTERS.fullmatch(smiles):
        return None
    with rdBase.BlockLogs():
        molecule = Chem.MolFromSmiles(smiles, sanitize=False)
        if (
            molecule is None
            or Chem.SanitizeMol(molecule, catchErrors=True) != Chem.SanitizeFlags.SANITIZE_NONE
        ):
            return None
        return str(Chem.MolToSmiles(molecule)) or None


@lru_cache(maxsize=_KEPT)
def canonical_name(smiles: str) -> str | None:
    """Return a SMILES as the graph writes it: canonical, without atom maps, its valence not checked.

    None where RDKit reads no molecule in it, or it is longer than `LONGEST`.
    """
    if not 0 < len(smiles) <= LONGEST or not smiles.isprintable():
        return None
    # Without a memory of its own: this function has one, and it is bounded.
    found = Canonicaliser()(smiles)
    return None if found is None else found.smiles
