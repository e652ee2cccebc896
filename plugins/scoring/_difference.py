"""What an answer lacks and what it has too much, for a person to read."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from kg.questions import Question
from plugins.scoring._encoder import KeyMatcher
from plugins.scoring._routes import routes
from plugins.scoring._single_step import missing_and_extra

_SHOWN = 50


def difference(
    question: Question, execution: Mapping[str, Any], key_encoder: KeyMatcher | None = None
) -> str:
    """Return the difference between gold and answer, a line a value or route: ``-`` missing, ``+`` extra.

    Args:
        question: The question with its gold answer.
        execution: The record's ``execution``.
        key_encoder: The opt-in encoder stage of key matching.
    """
    ok = execution["status"] == "ok"
    columns, rows = (execution["columns"], execution["rows"]) if ok else ([], [])
    found: Mapping[str, tuple[Collection[Any], Collection[Any]]]
    if question.setting == "multi_step":
        gold, returned = {tuple(row["route"]) for row in question.gold}, routes(columns, rows)
        found = {"route": (gold - returned, returned - gold)}
    else:
        found = missing_and_extra(question, columns, rows, key_encoder)
    lines = (
        line
        for key, (missing, extra) in found.items()
        for sign, values in (("-", missing), ("+", extra))
        for line in _lines(sign, key, values)
    )
    return "\n".join(lines) or "no difference"


def _lines(sign: str, key: str, values: Collection[Any]) -> Iterator[str]:
    shown = sorted(values, key=_in_order)[:_SHOWN]
    yield from (f"{sign} {key}: {' -> '.join(map(str, v)) if isinstance(v, tuple) else v}" for v in shown)
    if len(values) > _SHOWN:
        yield f"{sign} {key}: {len(values) - _SHOWN:,} more"


def _in_order(value: Any) -> tuple[int, Any]:
    """Order routes by their ids, and all else by its text."""
    return (0, value) if isinstance(value, tuple) else (1, str(value))
