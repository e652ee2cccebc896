"""Questions and the ten tasks."""

from dataclasses import dataclass, fields
from typing import Any, Literal

Setting = Literal["single_step", "multi_step"]

SINGLE_STEP_TASKS = (
    "precursors",
    "producing_reactions",
    "best_yield",
    "multi_product",
    "co_products",
    "conditions",
)
MULTI_STEP_TASKS = ("chains_to_target", "chains_between", "intermediates", "multi_step_precursors")
TASKS = SINGLE_STEP_TASKS + MULTI_STEP_TASKS


def setting_of(task: str) -> Setting:
    """Return the setting a task belongs to."""
    return "single_step" if task in SINGLE_STEP_TASKS else "multi_step"


@dataclass(frozen=True, slots=True)
class Question:
    """One natural-language instance of a task, with its reference Cypher and gold answer.

    Attributes:
        id: Stable identifier, e.g. ``precursors-001``.
        task: One of `TASKS`.
        setting: ``single_step`` or ``multi_step``.
        steps: Number of reaction steps; 1 for single-step tasks.
        slots: What the template was filled with: ``target``, ``products``, ``start``, ``steps``, ``role``.
        reference_cypher: The reference query, literals in place, as it is executed.
        gold: Expected rows. Single-step: one row a reaction with ``id``, ``reactants``, ``products``,
            ``agents``, ``solvents`` and ``target_yield`` or ``co_products`` where the task asks.
            Multi-step: one row a distinct route, ``{"route": [reaction ids, precursor to target]}``.
        target: Name of the molecule the question clusters by.
        discriminating: Whether a wrong choice among the target's reactions would show.
    """

    id: str
    task: str
    setting: Setting
    steps: int
    text: str
    slots: dict[str, Any]
    reference_cypher: str
    gold: list[dict[str, Any]]
    target: str
    discriminating: bool

    def to_json(self) -> dict[str, Any]:
        """Return the question as one JSON object; its parts are shared, not copied."""
        return {part.name: getattr(self, part.name) for part in fields(self)}
