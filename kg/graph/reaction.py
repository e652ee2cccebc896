"""Reactions as the graph holds them, records as sources give them, and the rules between the two."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

ROLES = ("reactants", "products", "agents", "solvents")

MAX_PER_ROLE = 4
"""At most this many reactants, products, agents and solvents each: the paper's limit (section 2)."""


@dataclass(frozen=True, slots=True)
class Source:
    """The record that a reaction was read from.

    Attributes:
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
        products: At least one.
        agents: Reagents and catalysts.
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

    @property
    def roles(self) -> tuple[tuple[str, ...], ...]:
        """The molecules by role, in the order of `ROLES`."""
        return self.reactants, self.products, self.agents, self.solvents

    @property
    def molecules(self) -> tuple[str, ...]:
        """All molecules, each once, in the order of the roles."""
        return tuple(dict.fromkeys(name for role in self.roles for name in role))


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a source.

    Attributes:
        file: Name of the file, without its folder.
        row: Row in that file, from 1 (for a text file the line).
        reactants: SMILES as written, as in the other roles.
        yields: Percentage as written for each product, in the order of ``products``; None where absent.
        original: The reaction string as the source gives it.
        grant_date: Grant date of the patent (ISO 8601, to the precision the source has), where known.
        fault: Why the record cannot be read as a reaction; None for a readable one.
        ignored: Columns of a table that were given for it and are not read.
    """

    file: str
    row: int
    reactants: tuple[str, ...] = ()
    products: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    solvents: tuple[str, ...] = ()
    yields: tuple[float | None, ...] = ()
    original: str = ""
    grant_date: str | None = None
    fault: str | None = None
    ignored: tuple[str, ...] = ()


class RecordSource(Protocol):
    """Where records come from: one file, one folder or one wheel."""

    def records(self) -> Iterator[Record]:
        """Yield the records in the order of the source.

        Raises:
            InputError: A file is empty, unreadable or not of the promised layout.
        """

    def provenance(self) -> dict[str, object]:
        """Return what the manifest says about the source: kind, files with SHA-256, licence where known."""


def reaction_string(reactants: tuple[str, ...], middle: tuple[str, ...], products: tuple[str, ...]) -> str:
    """Return ``reactants>agents and solvents>products`` for a source that gives no string of its own."""
    return ">".join(".".join(side) for side in (reactants, middle, products))


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that a person may set; the others always hold.

    Attributes:
        min_count: A molecule in fewer reactions than this is rare, and its reactions go; 1 keeps all.
        sample: Keep this many reactions, chosen by ``seed``; None keeps all.
    """

    min_count: int = 1
    sample: int | None = None
    seed: int = 0
