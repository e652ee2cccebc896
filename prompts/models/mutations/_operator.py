"""What a mutation operator is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from kg.cypher import Edit, ParsedQuery

MutationKind = Literal["error", "style", "neutral"]


class Mutation(NamedTuple):
    """One change to a query.

    Attributes:
        edits: What is changed, at places of the query as given.
        detail: What the label's colon is followed by, where the place decides it: the component that is
            missing, or which part of the schema is violated.
    """

    edits: tuple[Edit, ...]
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Operator:
    """One kind of change.

    Attributes:
        name: As in ``mutant:NAME``; lower-case letters and underscores.
        summary: What it does, in a few words for messages and docs.
        kind: ``error`` where the result is meant to be worse, ``style`` where rows change and no score,
            ``neutral`` where the score stays.
        label: The error it plants, by its name in ``kg.labels``; None for a neutral operator.
        mutations: Every way to make this change to a query; none where it does not apply. Depends on
            nothing but the query, which has no syntax error.
    """

    name: str
    summary: str
    kind: MutationKind
    label: str | None
    mutations: Callable[[ParsedQuery], Sequence[Mutation]]

    def label_of(self, mutation: Mutation) -> str | None:
        """The label of one of its mutations, with the detail that the place decides."""
        if self.label is None or not mutation.detail:
            return self.label
        return f"{self.label}:{mutation.detail}"
