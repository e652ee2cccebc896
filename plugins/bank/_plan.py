"""How many mutants of which operator and task the bank is to have."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from kg.cypher import parse
from kg.questions import TASKS, Question
from prompts.models.mutations import Operator, mutations_of

COMPOSITION = "composition"


@dataclass(frozen=True, slots=True)
class Cell:
    """One operator at the questions of one task.

    Attributes:
        operator: Its name; `COMPOSITION` for several neutral operators in turn.
        task: The task.
        wanted: Entries to keep.
        tried: Candidates to run at most.
        composed: How many neutral operators a composition has.
        varied: Whether the reference of some candidates is first changed by neutral operators.
        most_steps: Questions with more steps are left out; None for no bound.
    """

    operator: str
    task: str
    wanted: int
    tried: int
    composed: int = 0
    varied: bool = False
    most_steps: int | None = None


@dataclass(frozen=True, slots=True)
class Size:
    """How large a bank is to be.

    Attributes:
        errors: Entries wanted of an operator that plants errors, over all tasks.
        style: Entries wanted of an operator of style.
        neutral: Entries wanted of a neutral operator.
        compositions: Compositions wanted of each number of operators, over all tasks.
        composed: How many operators are composed.
    """

    errors: int = 140
    style: int = 60
    neutral: int = 60
    compositions: int = 400
    composed: tuple[int, ...] = (2, 3, 4)


_COSTLY = {
    "anchor_apart": 0.4,
    "drop_anchor": 0.4,
    "drop_arrow": 0.4,
    "double_length": 1.0,
    "drop_type": 0.6,
    "extra_match": 0.5,
    "more_types": 0.4,
    "other_reaction": 0.5,
    "unbounded_length": 0.15,
}
"""Operators whose queries take long: a smaller share of them, and of routes the shortest only."""

_SHORT = 2
_MOST_OF_A_CELL = 90
_TRIES = 2


def plan(operators: Sequence[Operator], questions: Iterable[Question], size: Size) -> list[Cell]:
    """Return the cells of a bank, such that operators have about as many entries as each other."""
    first: dict[str, Question] = {}
    for question in questions:
        first.setdefault(question.task, question)
    parsed = {task: parse(question.reference_cypher) for task, question in first.items()}
    cells = []
    for operator in operators:
        tasks = [task for task, query in parsed.items() if mutations_of(operator, query)] or list(first)
        cells += [_cell(operator, task, len(tasks), size) for task in tasks]
    per_task = -(-size.compositions // len(TASKS))
    return cells + [
        Cell(COMPOSITION, task, per_task, _TRIES * per_task, count)
        for task in first
        for count in size.composed
    ]


def _cell(operator: Operator, task: str, tasks: int, size: Size) -> Cell:
    total: dict[Literal["error", "style", "neutral"], int] = {
        "error": size.errors,
        "style": size.style,
        "neutral": size.neutral,
    }
    share = total[operator.kind] * _COSTLY.get(operator.name, 1.0) / tasks
    wanted = max(1, min(round(share), _MOST_OF_A_CELL))
    return Cell(
        operator.name,
        task,
        wanted,
        _TRIES * wanted,
        varied=operator.kind == "error",
        most_steps=_SHORT if operator.name in _COSTLY else None,
    )
