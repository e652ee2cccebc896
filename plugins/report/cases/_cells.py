"""Cells of a result, cut into what is shown of them."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from plugins.scoring import Values

ROWS, COLUMNS, PIECES, CHARACTERS = 30, 12, 40, 240
"""What is shown of a result: rows, columns, values of a cell, characters of a value."""

_DEEPEST = 6


class Piece(NamedTuple):
    """One value within a cell: its text, and ``right``, ``extra`` or nothing."""

    text: str
    mark: str


class Rows(NamedTuple):
    """A result as it is shown, with what is not, in words."""

    columns: list[str]
    rows: list[list[list[Piece]]]
    note: str


def returned_rows(
    execution: Mapping[str, Any], scores: Mapping[str, Any], values: Mapping[str, Values]
) -> Rows:
    """Return the rows of an answer; values of columns that count are marked right or too much.

    Args:
        execution: The record's ``execution``.
        scores: Its ``scores``.
        values: What counts, as the scores read it.
    """
    columns = [str(name) for name in execution.get("columns") or ()]
    rows = execution.get("rows") or []
    keys = {
        column: key
        for key, told in (scores.get("per_key") or {}).items()
        for column in told.get("columns", ())
    }
    steps = _steps(values)
    shown = []
    for row in rows[:ROWS]:
        cells = row if isinstance(row, list) else [row]
        shown.append(
            [
                list(
                    _cell(value, steps if steps is not None else _texts_of(values, keys.get(column), "gold"))
                )
                for column, value in zip(columns[:COLUMNS], cells, strict=False)
            ]
        )
    return Rows(columns[:COLUMNS], shown, _note(execution, rows, columns))


def expected_rows(gold: Sequence[Mapping[str, Any]], values: Mapping[str, Values]) -> Rows:
    """Return the rows that were expected; values that the answer lacks are marked missing."""
    columns = list(gold[0]) if gold else []
    shown = [[_expected(column, row.get(column), values) for column in columns] for row in gold[:ROWS]]
    note = f"{len(gold):,} rows are expected; the first {ROWS} are shown." if len(gold) > ROWS else ""
    return Rows(columns, shown, note)


def text_of(value: Any) -> str:
    """Return a single value as text; numbers that count as the same have the same text."""
    if isinstance(value, float):
        return f"{value:.6f}".rstrip("0").rstrip(".")
    return value if isinstance(value, str) else str(value)


def _expected(column: str, value: Any, values: Mapping[str, Values]) -> list[Piece]:
    if column == "route" and column in values:
        mark = "right" if tuple(value) in values[column].returned else "missing"
        return [Piece(text, mark) for text, _ in _cell(value, None)]
    pieces = _cell(value, _texts_of(values, column, "returned"))
    return [Piece(text, "missing" if mark == "extra" else mark) for text, mark in pieces]


def _steps(values: Mapping[str, Values]) -> set[str] | None:
    """Return the reactions of all expected routes; None where no routes were asked for."""
    routes = values.get("route")
    if routes is None:
        return None
    return {text_of(step) for route in routes.gold if isinstance(route, tuple) for step in route}


def _texts_of(values: Mapping[str, Values], key: str | None, side: str) -> set[str] | None:
    return (
        None if key is None or key not in values else {text_of(each) for each in getattr(values[key], side)}
    )


def _note(execution: Mapping[str, Any], rows: Sequence[Any], columns: Sequence[str]) -> str:
    count = int(execution.get("row_count") or len(rows))
    parts = []
    if count > ROWS:
        parts.append(f"{count:,} rows came back; the first {ROWS} are shown.")
    if execution.get("truncated"):
        parts.append("The result was cut at the cap for rows when it was run.")
    if len(columns) > COLUMNS:
        parts.append(f"{len(columns)} columns came back; the first {COLUMNS} are shown.")
    return " ".join(parts)


def _cell(value: Any, wanted: Collection[str] | None) -> Iterator[Piece]:
    for number, text in enumerate(_texts(value, 0)):
        if number == PIECES:
            yield Piece("and more", "")
            return
        mark = "" if wanted is None else "right" if text in wanted else "extra"
        yield Piece(text if len(text) <= CHARACTERS else f"{text[:CHARACTERS]}…", mark)


def _texts(value: Any, depth: int) -> Iterator[str]:
    if value is None:
        return
    if isinstance(value, list) and depth < _DEEPEST:
        for item in value:
            yield from _texts(item, depth + 1)
    elif isinstance(value, dict) and depth < _DEEPEST:
        yield from _of_map(value, depth)
    else:
        yield text_of(value) if isinstance(value, str | int | float) else json.dumps(value)[: 2 * CHARACTERS]


def _of_map(value: Mapping[str, Any], depth: int) -> Iterator[str]:
    node = value.get("$node")
    path = value.get("$path")
    if isinstance(path, dict):
        for item in path.get("nodes") or ():
            yield from _texts({"$node": item}, depth + 1)
    elif isinstance(node, dict) and isinstance(node.get("properties"), dict):
        properties = node["properties"]
        yield from _texts(properties.get("name", properties.get("id")), depth + 1)
    else:
        for item in value.values():
            yield from _texts(item, depth + 1)
