"""What the choice of questions is made from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of question that the plan counts on its own.

    Attributes:
        task: Name of the task.
        steps: Reaction steps; 1 for single-step tasks.
        products: Size of the product set; 0 where the task has none.
        role: ``agents`` or ``solvents``; empty where the task has no role.
    """

    task: str
    steps: int = 1
    products: int = 0
    role: str = ""

    def __str__(self) -> str:
        parts = [self.task]
        if self.steps > 1:
            parts.append(f"{self.steps} steps")
        if self.products:
            parts.append(f"{self.products} products")
        if self.role:
            parts.append(self.role)
        return " ".join(parts)


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A question that could be asked: unambiguous and with an answer. Two are equal only if identical.

    Attributes:
        kind: What kind of question it is.
        slots: What its template is filled with.
        target: The molecule it clusters by.
        tier: How much it would tell about a query; 0 is best.
        discriminating: Whether a wrong choice among the target's reactions would show.
    """

    kind: Kind
    slots: Mapping[str, Any]
    target: str
    tier: int
    discriminating: bool
