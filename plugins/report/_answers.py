"""What became of written answers, by task."""

from collections import Counter
from itertools import groupby
from typing import Any

from plugins.report._run import Run
from plugins.summary import MEASURED, pooled

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
    rows = [(task, _row(part)) for task, part in by_task.items()]
    measured = [name for name in MEASURED if any(row["measured"][name] for _, row in rows)]
    return {"model": model, "loop": loop, "rows": rows, "measured": measured}


def _row(parts: list[dict[str, Any]]) -> dict[str, Any]:
    verdicts: Counter[str] = Counter()
    for part in parts:
        verdicts.update(part["verdicts"])
    judged = [part["judge"] for part in parts if "judge" in part]
    return {
        **{name: sum(part[name] for part in parts) for name in _COUNTS},
        "verdicts": verdicts,
        "support": pooled((part["support"], part.get("claiming", 0)) for part in parts),
        "measured": {
            name: pooled((each[name]["mean"], each[name]["count"]) for each in judged if name in each)
            for name in MEASURED
        },
    }
