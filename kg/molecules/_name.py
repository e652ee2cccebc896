"""The name that the graph gives a molecule."""

from functools import lru_cache

from kg.reactions import Canonicaliser

LONGEST = 2000
"""Characters of a SMILES; no molecule of a patent needs more."""
_KEPT = 10_000


@lru_cache(maxsize=_KEPT)
def canonical_name(smiles: str) -> str | None:
    """Return a SMILES as the graph writes it: canonical, without atom maps, its valence not checked.

    Where it is not in the graph, it is the name it would have there.

    Args:
        smiles: As someone wrote it.

    Returns:
        None where RDKit reads no molecule in it, or it is longer than `LONGEST`.
    """
    if not 0 < len(smiles) <= LONGEST or not smiles.isprintable():
        return None
    # Without a memory of its own: this function has one, and it is bounded.
    found = Canonicaliser()(smiles)
    return None if found is None else found.smiles
