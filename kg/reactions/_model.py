"""What a reaction is, as the graph holds it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """Where a reaction came from, so that an answer can be traced to its record.

    Attributes:
        file: Name of the file the record was read from.
        row: Row of the record in that file, from 1.
        original: The reaction string as the source gives it.
        grant_date: Grant date of the patent (ISO 8601), where known.
    """

    file: str
    row: int
    original: str
    grant_date: str | None = None


@dataclass(frozen=True, slots=True)
class Reaction:
    """One reaction: molecules by role as canonical SMILES, each at most once a role.

    Attributes:
        id: Identifier in the graph, from 1.
        reactants: Molecules that contribute atoms to a product.
        products: What the reaction makes; at least one.
        agents: Reagents and catalysts.
        solvents: Solvents.
        yields: Percentage (0 to 100) of each product, in the order of ``products``; None where unknown.
        source: The record it was read from, where kept.
    """

    id: int
    reactants: tuple[str, ...]
    products: tuple[str, ...]
    agents: tuple[str, ...]
    solvents: tuple[str, ...]
    yields: tuple[float | None, ...]
    source: Source | None = None
