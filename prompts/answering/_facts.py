"""Rows as a model reads them: one JSON object a line."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def facts_of(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Yield each row as one line of JSON, values by column.

    Nodes and relationships are their properties, paths alternate between nodes and types of relationships:
    labels and internal ids would only cost room. A line break within a value is escaped, as JSON has it, so
    that no value can look like a line of its own.

    Args:
        columns: Column names.
        rows: Rows in column order, in the JSON form of a record.
    """
    for row in rows:
        told = {column: _plain(value) for column, value in zip(columns, row, strict=True)}
        yield json.dumps(told, ensure_ascii=False)


def tells_nothing(rows: Sequence[Sequence[Any]]) -> bool:
    """Return whether no row has a value: there is none, or all that they hold is null or empty."""
    return not any(_holds(value) for row in rows for value in row)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    match next(iter(value.items()), ("", None)):
        case ("$node" | "$relationship", {"properties": properties}):
            return _plain(properties)
        case ("$path", {"nodes": nodes, "relationships": relationships}):
            return [*_along(nodes, relationships)]
        case ("$temporal", {"value": written}):
            return written
        case ("$map" | "$float" | "$bytes", held):
            return _plain(held)
    return {name: _plain(each) for name, each in value.items()}


def _along(nodes: Sequence[Any], relationships: Sequence[Any]) -> Iterator[Any]:
    for number, node in enumerate(nodes):
        if number:
            between = relationships[number - 1]
            held = _plain(between["properties"])
            yield {between["type"]: held} if held else between["type"]
        yield _plain(node["properties"])


def _holds(value: Any) -> bool:
    if isinstance(value, list):
        return any(map(_holds, value))
    return value is not None and value != ""
