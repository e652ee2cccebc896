"""Evidence for the facts of a graph of reactions: which sources speak of each, and where."""

from dataclasses import dataclass
from typing import Literal, get_args

from retrocypher.kg.graph.reaction import RELATIONSHIP_TYPES, Reaction, RelationshipType

FactKind = Literal[RelationshipType, "yield"]
"""The type of a relationship, or ``yield`` for the property of a ``PRODUCES``."""

FACT_KINDS: tuple[FactKind, ...] = get_args(FactKind)

Source = Literal["other_reading", "other_records", "uspto_mit", "text_name", "text_yield"]
"""What may confirm a fact besides the record that the graph was built from.

- ``other_reading``: the second extraction of the same record, which reads roles in another way
- ``other_records``: other records of the same reaction, of which the graph keeps one
- ``uspto_mit``: the USPTO-MIT data set
- ``text_name``: the procedure text names the molecule
- ``text_yield``: the procedure text states the yield
"""

SOURCES: tuple[Source, ...] = get_args(Source)

Verdict = Literal["agrees", "differs"]
"""What a source says of a fact; a source that is silent about it gives no verdict."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A relationship between a reaction and a molecule, or the yield of a product."""

    reaction: int
    kind: FactKind
    molecule: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the sources say of a fact.

    Attributes:
        verdicts: Sources that are not silent, in the order of `SOURCES`.
        span: Where the procedure text names the molecule, or states the yield: first character and the one
            after the last, from 0. None where it does not, or where no name was understood.
    """

    fact: Fact
    verdicts: tuple[tuple[Source, Verdict], ...]
    span: tuple[int, int] | None = None


def facts_of(reaction: Reaction) -> tuple[Fact, ...]:
    """Return the facts of a reaction: its relationships, role by role, then its known yields."""
    kinds = zip(RELATIONSHIP_TYPES, reaction.roles, strict=True)
    related = [Fact(reaction.id, kind, molecule) for kind, role in kinds for molecule in role]
    return (*related, *(Fact(reaction.id, "yield", product) for product in reaction.known_yields))
