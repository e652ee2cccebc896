"""The scores of a case as HTML, for the description on its page."""

from collections.abc import Mapping
from html import escape
from typing import Any


def scores_table(scores: Mapping[str, Any]) -> str:
    """Return the scores that are defined, one a line, and those by key, one a line.

    There are no columns: Allure takes every style, border and fixed width away, so that they would not be
    told apart.

    Args:
        scores: The ``scores`` of a record.
    """
    lines = [
        f"<b>{value:.3f}</b> {escape(name)}"
        for name, value in scores.items()
        if isinstance(value, int | float)
    ]
    by_key = [_of_key(key, each) for key, each in (scores.get("per_key") or {}).items()]
    return "".join(f"<p>{'<br>'.join(part)}</p><br>" for part in (lines, by_key) if part)


def _of_key(key: str, counts: Mapping[str, Any]) -> str:
    if counts["f1"] is None:
        return f"<b>{escape(key)}</b>: nothing expected and nothing returned"
    measured = f"F1 {counts['f1']:.3f}, precision {counts['precision']:.3f}, recall {counts['recall']:.3f}"
    matched = f" (column matched by {escape(counts['stage'])})" if counts["stage"] else " (no column)"
    return f"<b>{escape(key)}</b>: {measured}{matched}"
