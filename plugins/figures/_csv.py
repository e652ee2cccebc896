"""Tables as CSV."""

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

# A spreadsheet takes what begins so for a formula.
_FORMULA = ("=", "+", "-", "@")
_CONTROL = re.compile("[\x00-\x1f\x7f]")


def as_csv(rows: Sequence[dict[str, Any]]) -> str:
    """Return rows as CSV, numbers with all their digits; what is not defined is empty."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([[_cell(row.get(name)) for name in columns] for row in rows])
    return text.getvalue()


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return "" if value is None else value
    safe = _CONTROL.sub(" ", value).encode("utf-8", "backslashreplace").decode()
    return f"'{safe}" if safe.startswith(_FORMULA) else safe
