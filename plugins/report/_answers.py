"""What became of written answers, by task."""

from collections import Counter
from itertools import groupby
from typing import Any

from plugins.report._run import Run

_COUNTS = ("cases", "written", "insufficient", "empty", "failed")
_ALL = "all"


def answered(run: Run) -> list[dict[str, Any]]:
    """Return a table for each model and loop with written answers: a row a task, and one for all.

    Args:
        run: The run.
    """
    told = [cell for cell in run.summary["cells"] if "answers" in cell]
    series = groupby(
        sorted(told, key=lambda cell: (cell["model"], cell["loop"])),
        lambda cell: (cell["model"], cell["loop"]),
    )
    return [_table(model, loop, list(cells)) for (model, loop), cells in series]


def _table(model: str, loop: str, cells: list[dict[str, Any]]) -> dict[str, Any]:
    by_task: dict[str, list[dict[str, Any]]] = {_ALL: []}
    for cell in cells:
        by_task.setdefault(cell["task"], []).append(cell["answers"])
        by_task[_ALL].append(cell["answers"])
    return {"model": model, "loop": loop, "rows": [(task, _row(part)) for task, part in by_task.items()]}


def _row(parts: list[dict[str, Any]]) -> dict[str, Any]:
    verdicts: Counter[str] = Counter()
    for part in parts:
        verdicts.update(part["verdicts"])
    return {**{name: sum(part[name] for part in parts) for name in _COUNTS}, "verdicts": verdicts}
