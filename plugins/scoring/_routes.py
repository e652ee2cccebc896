"""Routes read from the rows of a multi-step answer."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plugins.scoring._step_names import Kind, step_name
from plugins.scoring._steps import Cell, by_number, is_bare, reaction_of, single_steps, step_of
from plugins.scoring._values import MAX_DEPTH, map_of, may_hold, node_of, path_of, relationship_of

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


def _routes_of_row(cells: Sequence[Cell], depth: int) -> list[Route]:
    if depth > MAX_DEPTH:
        return []
    paths = [route for _, value in cells if may_hold(value) for route in _path_routes(value, depth)]
    if paths:
        return paths
    lists = _lists(cells, depth)
    if lists:
        return lists
    steps = single_steps(cells)
    return [steps] if steps else []


def _lists(cells: Sequence[Cell], depth: int) -> list[Route]:
    """Return the routes of a row's lists: of those that are most surely of reactions."""
    found: list[tuple[Kind, list[Route]]] = []
    for column, value in cells:
        inner = _list_routes(value, depth) if may_hold(value) else []
        if inner:
            found.append((step_name(column).kind if is_bare(value) else Kind.REACTION, inner))
    for wanted in (Kind.REACTION, Kind.OTHER, Kind.POSITION):
        surest = [route for kind, inner in found if kind is wanted for route in inner]
        if surest:
            return surest
    return []


def _path_routes(value: Any, depth: int) -> list[Route]:
    """Return the route of each path in a value that may hold others."""
    if depth > MAX_DEPTH:
        return []
    items: Iterable[Any] | None = value if isinstance(value, list) else None
    if items is None:
        path = path_of(value)
        if path is not None:
            route = _oriented(path)
            return [route] if route else []
        items = (map_of(value) or {}).values()
    return [route for item in items if may_hold(item) for route in _path_routes(item, depth + 1)]


def _list_routes(value: Any, depth: int) -> list[Route]:
    """Return the routes of a list, or of a map that is no reaction: its entries are read as a row."""
    if not isinstance(value, list):
        entries = map_of(value)
        if entries is None or reaction_of(entries):
            return []
        return _routes_of_row(by_number(entries), depth + 1)
    if depth > MAX_DEPTH:
        return []
    inner = [route for item in value if may_hold(item) for route in _list_routes(item, depth + 1)]
    if inner:
        return inner
    steps = tuple(step for item in value for step in step_of(item))
    return [steps] if steps else []


def _oriented(path: Mapping[str, Any]) -> Route:
    """Return a path's reactions in the direction in which most of its relationships point.

    A path in which as many point either way is left as it was returned.
    """
    nodes = _tagged(path.get("nodes"), "$node")
    links = _tagged(path.get("relationships"), "$relationship")
    steps = [step for node in nodes for step in step_of(node)]
    balance = 0
    for node, link in zip(nodes, links, strict=False):
        along = (relationship_of(link) or {}).get("start") == (node_of(node) or {}).get("id")
        balance += 1 if along else -1
    return tuple(steps[::-1] if balance < 0 else steps)


def _tagged(value: Any, tag: str) -> list[Any]:
    """A path's nodes or relationships as they stand elsewhere: within a path they have no tag."""
    items = value if isinstance(value, list) else []
    return [item if isinstance(item, dict) and tag in item else {tag: item} for item in items]
