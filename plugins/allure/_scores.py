"""The scores of a case as Markdown, for the description on its page."""

from collections.abc import Iterable, Mapping
from typing import Any

_MEASURES = ("precision", "recall", "f1")


def scores_table(scores: Mapping[str, Any]) -> str:
    """Return the scores that are defined as a table, and those by key as another.

    Args:
        scores: The ``scores`` of a record.
    """
    defined = {name: value for name, value in scores.items() if isinstance(value, int | float)}
    tables = [_table(defined, [map(_number, defined.values())])]
    keys = scores.get("per_key")
    if keys:
        rows = [
            [key, *(_number(each[measure]) for measure in _MEASURES), each["stage"] or ""]
            for key, each in keys.items()
        ]
        tables.append(_table(("key", *_MEASURES, "matched by"), rows))
    return "\n\n".join(tables)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    names = list(head)
    return "\n".join(f"| {' | '.join(row)} |" for row in (names, ["---"] * len(names), *rows))
