"""The scores of a case as HTML, for the description on its page."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

_MEASURES = ("precision", "recall", "f1")
# Allure strips style sheets and gives tables no padding of its own.
_CELL = "padding: 2px 12px; border: 1px solid #ccc; text-align: left"


def scores_table(scores: Mapping[str, Any]) -> str:
    """Return the scores that are defined as a table, one a line, and those by key as another.

    Args:
        scores: The ``scores`` of a record.
    """
    defined = {name: value for name, value in scores.items() if isinstance(value, int | float)}
    tables = [_table(("score", "value"), ((name, _number(value)) for name, value in defined.items()))]
    keys = scores.get("per_key")
    if keys:
        rows = (
            [key, *(_number(each[measure]) for measure in _MEASURES), each["stage"] or ""]
            for key, each in keys.items()
        )
        tables.append(_table(("key", *_MEASURES, "matched by"), rows))
    return "<br>".join(tables)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:.3f}"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = (_row("th", head), *(_row("td", row) for row in rows))
    return f'<table style="border-collapse: collapse">{"".join(lines)}</table>'


def _row(cell: str, texts: Iterable[str]) -> str:
    opened, closed = f'<{cell} style="{_CELL}">', f"</{cell}>"
    return f"<tr>{''.join(opened + escape(text) + closed for text in texts)}</tr>"
