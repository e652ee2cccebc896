"""Results cut short, so that a bank of thousands of them stays small."""

import json
from dataclasses import replace
from typing import Any

from kg.execution import Execution

_MOST_ROWS = 120
"""More than any question's gold has."""

_MOST_VALUES = 40
_MOST_CHARACTERS = 40_000


def shortened(execution: Execution) -> Execution:
    """Return an execution with the first rows, and of long lists the first values.

    ``row_count`` stays that of the whole result.
    """
    rows: list[list[Any]] = []
    left = _MOST_CHARACTERS
    for row in execution.rows[:_MOST_ROWS]:
        short = _short(row)
        left -= len(json.dumps(short))
        if left < 0 and rows:
            break
        rows.append(short)
    return replace(execution, rows=rows, time_s=0.0)


def _short(value: Any) -> Any:
    if isinstance(value, list):
        return [_short(each) for each in value[:_MOST_VALUES]]
    if isinstance(value, dict):
        return {name: _short(each) for name, each in value.items()}
    return value
