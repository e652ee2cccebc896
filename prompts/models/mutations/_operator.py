"""What a mutation operator is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kg.cypher import Edit, ParsedQuery

Mutation = tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of error.

    Attributes:
        name: As in ``mutant:NAME``; lower-case letters and underscores.
        summary: What it does, in a few words for messages and docs.
        mutations: Every way to make this error in a query, each a set of edits; none where it does not apply.
            Depends on nothing but the query.
    """

    name: str
    summary: str
    mutations: Callable[[ParsedQuery], Sequence[Mutation]]
