"""Molecules in text: finding SMILES, and their one canonical form."""

from kg.molecules._find import MOST_MENTIONS, Mention, canonical_smiles, find_molecules, is_doubtful
from kg.molecules._name import canonical_name

__all__ = ["MOST_MENTIONS", "Mention", "canonical_name", "canonical_smiles", "find_molecules", "is_doubtful"]
