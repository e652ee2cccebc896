"""Reactions as the graph holds them, records as sources give them, and the rules between the two."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol, get_args

ROLES = ("reactants", "products", "agents", "solvents")

RelationshipType = Literal["REACTS_IN", "PRODUCES", "USES_AGENT", "USES_SOLVENT"]
RELATIONSHIP_TYPES: tuple[RelationshipType, ...] = get_args(RelationshipType)
"""The type of the relationships of each role, in the order of `ROLES`."""
TYPE_OF_ROLE: Mapping[str, RelationshipType] = dict(zip(ROLES, RELATIONSHIP_TYPES, strict=True))

MAX_PER_ROLE = 4
"""At most this many reactants, products, agents and solvents each: the paper's limit (section 2)."""


@dataclass(frozen=True, slots=True)
class Source:
    """The record that a reaction was read from; rows count from 1, the grant date is ISO 8601."""

    file: str
    row: int
    original: str
    grant_date: str | None = None


@dataclass(frozen=True, slots=True)
class Reaction:
    """One reaction: molecules by role as canonical SMILES, each at most once a role.

    ``id`` counts from 1. Reactants contribute atoms to a product; agents are reagents and catalysts. There
    is at least one product. ``yields`` holds the percentage (0 to 100) of each product, None where unknown.
    ``yields_disputed`` says that records of the same reaction, of which one was kept, give another yield.
    """

    id: int
    reactants: tuple[str, ...]
    products: tuple[str, ...]
    agents: tuple[str, ...]
    solvents: tuple[str, ...]
    yields: tuple[float | None, ...]
    source: Source | None = None
    yields_disputed: bool = False

    @property
    def roles(self) -> tuple[tuple[str, ...], ...]:
        """The molecules by role, in the order of `ROLES`."""
        return self.reactants, self.products, self.agents, self.solvents

    @property
    def by_role(self) -> dict[str, tuple[str, ...]]:
        """The molecules by the name of their role."""
        return dict(zip(ROLES, self.roles, strict=True))

    @property
    def known_yields(self) -> dict[str, float]:
        """The known yields in percent by product."""
        yields = zip(self.products, self.yields, strict=True)
        return {product: value for product, value in yields if value is not None}

    @property
    def molecules(self) -> tuple[str, ...]:
        """All molecules, each once, in the order of the roles."""
        return tuple(dict.fromkeys(name for role in self.roles for name in role))

    def only(self, keeps: Callable[[str, str], bool]) -> "Reaction":
        """Return the reaction with those molecules only that ``keeps`` accepts, given their role and name."""
        reactants, products, agents, solvents = (
            tuple(name for name in names if keeps(role, name)) for role, names in self.by_role.items()
        )
        yields = dict(zip(self.products, self.yields, strict=True))
        kept = replace(self, products=products, yields=tuple(yields[name] for name in products))
        return replace(kept, reactants=reactants, agents=agents, solvents=solvents)


@dataclass(frozen=True, slots=True)
class RecordYield:
    """The yield, in percent, that a record gives of a product of a reaction; the record as in `Source`."""

    reaction: int
    product: str
    value: float
    file: str
    row: int
    grant_date: str | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a source, its molecules and yields (percent, a value for each product) as written.

    ``row`` counts from 1; for a text file it is the line. ``fault`` tells why the record cannot be read as a
    reaction. ``ignored`` names the columns of a table that are not read, ``changes`` what the reader changed
    (names of `CHANGES`, one for each value).
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
    changes: tuple[str, ...] = ()


class RecordSource(Protocol):
    """Where records come from: one file, one folder or one wheel."""

    def records(self) -> Iterator[Record]:
        """Yield the records in order; raise InputError if a file is empty, unreadable or malformed."""

    def provenance(self) -> dict[str, object]:
        """Return what the manifest says about the source: kind, files with SHA-256, licence where known."""


def place_of(record: Source | RecordYield) -> str:
    """Return file, row and, where known, grant date of a record, as people read them."""
    return f"{record.file} row {record.row}" + (f" ({record.grant_date})" if record.grant_date else "")


FactProperties = Mapping[tuple[int, str, str], Mapping[str, object]]
"""Properties that relationships have besides the yield, by reaction, relationship type and molecule."""


def relationships_of(
    reaction: Reaction, more: FactProperties | None = None
) -> Iterator[tuple[str, list[tuple[str, dict[str, object]]]]]:
    """Yield for each role the type of its relationships in the graph, and their molecules and properties.

    ``PRODUCES`` has the property ``yield`` (a float, in percent) only where the yield is known.
    """
    for kind, role in zip(RELATIONSHIP_TYPES, reaction.roles, strict=True):
        yields = reaction.yields if kind == "PRODUCES" else (None,) * len(role)
        known = [{} if value is None else {"yield": float(value)} for value in yields]
        given = [{} if more is None else more.get((reaction.id, kind, name), {}) for name in role]
        yield kind, [(name, {**a, **b}) for name, a, b in zip(role, known, given, strict=True)]


def reaction_string(reactants: tuple[str, ...], middle: tuple[str, ...], products: tuple[str, ...]) -> str:
    """Return ``reactants>agents and solvents>products`` for a source that gives no string of its own."""
    return ">".join(".".join(side) for side in (reactants, middle, products))


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that a person may set; the others always hold.

    Reactions with a molecule in fewer than ``min_count`` reactions are dropped. ``sample`` keeps so many of
    the rest, chosen by ``seed``.
    """

    min_count: int = 1
    sample: int | None = None
    seed: int = 0
