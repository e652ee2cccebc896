"""One query of the bank."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from kg.execution import Execution
from prompts.models.mutations import MutationKind


@dataclass(frozen=True, slots=True)
class BankEntry:
    """A changed reference query, with what came of it on the graph.

    Attributes:
        question_id: The question whose reference was changed.
        task: Its task.
        operator: Name of the operator; several neutral ones, in turn, are joined by ``+``.
        place: Which of the operator's changes it is, from 0.
        kind: ``error``, ``style`` or ``neutral``, and so it behaves (see ``docs/bank.md``).
        label: The planted error as in ``kg.labels``, with its detail; None for neutral entries.
        base: Neutral operators, joined by ``+``, that changed the reference before; empty for most.
        cypher: The query.
        execution: What came of it, as in a record, but with rows and lists cut short. ``row_count`` is that
            of the whole result.
        scores: Its scores as in a record, of the whole result, without text metrics.
        held_out: Whether it is set aside for the final figures.
    """

    question_id: str
    task: str
    operator: str
    place: int
    kind: MutationKind
    label: str | None
    base: str
    cypher: str
    execution: dict[str, Any]
    scores: dict[str, Any]
    held_out: bool

    @property
    def status(self) -> str:
        """What happened when it ran."""
        return str(self.execution["status"])

    @property
    def f1(self) -> float:
        """Its F1."""
        return float(self.scores["f1"])

    @property
    def row_f1(self) -> float | None:
        """Its F1 over whole reactions; None for multi-step questions."""
        row_f1: float | None = self.scores["row_f1"]
        return row_f1

    def to_json(self) -> dict[str, Any]:
        """Return the entry as one JSON object."""
        return {part.name: getattr(self, part.name) for part in fields(self)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "BankEntry":
        """Read what `to_json` returned."""
        return cls(**{part.name: value[part.name] for part in fields(cls)})

    def result(self) -> Execution:
        """Return the execution as an object."""
        return Execution(**self.execution)
