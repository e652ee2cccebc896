"""Routes read from the rows of a multi-step answer."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from plugins.scoring._column_names import column_names, plain_name, stem_name
from plugins.scoring._table import is_reaction_id
from plugins.scoring._values import (
    MAX_DEPTH,
    ReactionId,
    map_of,
    node_atom,
    node_of,
    path_of,
    relationship_of,
    whole_number,
)

Route = tuple[int, ...]


def routes(columns: Sequence[str], rows: Iterable[Any]) -> set[Route]:
    """Return the distinct routes of a result, each a sequence of reaction ids as it was returned.

    One row gives one route, unless it holds several paths or lists. Where a row holds paths, the paths
    are its routes; else its lists that hold reactions are; else its single reactions, in column order.
    """
    found: set[Route] = set()
    for row in rows:
        values = row if isinstance(row, list) else [row]
        found.update(_routes_of_row(list(zip(columns, values, strict=False)), 0))
    return found


def _routes_of_row(cells: Sequence[tuple[str, Any]], depth: int) -> list[Route]:
    if depth > MAX_DEPTH:
        return []
    paths = [route for _, value in cells for route in _path_routes(value, depth) if route]
    if paths:
        return paths
    lists = [route for _, value in cells for route in _list_routes(value, depth) if route]
    if lists:
        return lists
    steps = tuple(step for name, value in cells if not _is_measure(name, value) for step in _step(value))
    return [steps] if steps else []


def _path_routes(value: Any, depth: int) -> Iterator[Route]:
    """Yield the route of each path in a value."""
    if depth > MAX_DEPTH:
        return
    path = path_of(value)
    entries = map_of(value)
    if path is not None:
        yield _oriented(path)
    elif isinstance(value, list):
        for item in value:
            yield from _path_routes(item, depth + 1)
    elif entries is not None:
        for item in entries.values():
            yield from _path_routes(item, depth + 1)


def _list_routes(value: Any, depth: int) -> Iterator[Route]:
    """Yield the routes of a list, or of a map that is no reaction: its entries are read as a row."""
    entries = map_of(value)
    if entries is not None and not _reaction_of(entries):
        yield from _routes_of_row(list(entries.items()), depth + 1)
    elif isinstance(value, list) and depth <= MAX_DEPTH:
        inner = [route for item in value for route in _list_routes(item, depth + 1) if route]
        if inner:
            yield from inner
        else:
            yield tuple(step for item in value for step in _step(item))


def _step(value: Any) -> tuple[int, ...]:
    """Return the reaction a single value stands for; molecules and all else give none."""
    node = node_of(value)
    if node is not None:
        atom = node_atom(node)
        return (int(atom),) if type(atom) is ReactionId else ()
    entries = map_of(value)
    if entries is not None:
        return _reaction_of(entries)
    number = whole_number(value)
    return () if number is None else (number,)


def _reaction_of(entries: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the reaction that a map such as ``r{.id}`` stands for."""
    for entry, value in entries.items():
        if is_reaction_id(entry, value):
            return _step(value)
    return ()


def _oriented(path: Mapping[str, Any]) -> Route:
    """Return a path's reactions in the direction in which most of its relationships point.

    A path in which as many point either way is left as it was returned.
    """
    nodes = _items(path.get("nodes"))
    steps = [step for node in nodes for step in _step(node)]
    balance = 0
    for node, link in zip(nodes, _items(path.get("relationships")), strict=False):
        along = (relationship_of(link) or {}).get("start") == (node_of(node) or {}).get("id")
        balance += 1 if along else -1
    return tuple(steps[::-1] if balance < 0 else steps)


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _is_measure(column: str, value: Any) -> bool:
    """Return whether a number is, by its column's name, a length, a count or a yield and no reaction id."""
    if whole_number(value) is None:
        return False
    name = plain_name(column)
    return stem_name(name) in column_names().not_ids or name.startswith(("count_", "size_", "length_"))
