"""Routes read from rows in the plainest way: what the quick way of the project must agree with."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from retrocypher.plugins.scoring.columns import plain_name, resolve
from retrocypher.plugins.scoring.routes import Kind, StepName, most_numbered, step_name

MAX_DEPTH = 50

Cell = tuple[str, Any]
Route = tuple[int, ...]


class ReactionId(int):
    """The id of a Reaction node."""


def plain_routes(columns: Sequence[str], rows: Iterable[Any]) -> set[Route]:
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
    paths = [route for _, value in cells for route in _path_routes(value, depth) if route]
    if paths:
        return paths
    lists = _lists(cells, depth)
    if lists:
        return lists
    steps = single_steps(cells)
    return [steps] if steps else []


def _lists(cells: Sequence[Cell], depth: int) -> list[Route]:
    """Return the routes of a row's lists: of those that are most surely of reactions."""
    found: dict[Kind, list[Route]] = {}
    for column, value in cells:
        inner = [route for route in _list_routes(value, depth) if route]
        if inner:
            kind = step_name(column).kind if is_bare(value) else Kind.REACTION
            found.setdefault(kind, []).extend(inner)
    return next((found[kind] for kind in (Kind.REACTION, Kind.OTHER, Kind.POSITION) if kind in found), [])


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
    if entries is not None and not reaction_of(entries):
        yield from _routes_of_row(by_number(entries), depth + 1)
    elif isinstance(value, list) and depth <= MAX_DEPTH:
        inner = [route for item in value for route in _list_routes(item, depth + 1) if route]
        if inner:
            yield from inner
        else:
            yield tuple(step for item in value for step in step_of(item))


def _oriented(path: Mapping[str, Any]) -> Route:
    """Return a path's reactions in the direction in which most of its relationships point.

    A path in which as many point either way is left as it was returned.
    """
    nodes = _with_tag(path.get("nodes"), "$node")
    links = _with_tag(path.get("relationships"), "$relationship")
    steps = [step for node in nodes for step in step_of(node)]
    balance = 0
    for node, link in zip(nodes, links, strict=False):
        along = (relationship_of(link) or {}).get("start") == (node_of(node) or {}).get("id")
        balance += 1 if along else -1
    return tuple(steps[::-1] if balance < 0 else steps)


def _with_tag(value: Any, tag: str) -> list[Any]:
    """A path's nodes or relationships as they stand elsewhere: within a path they have no tag."""
    items = value if isinstance(value, list) else []
    return [item if isinstance(item, dict) and tag in item else {tag: item} for item in items]


_Step = tuple[StepName, Any, int]


def single_steps(cells: Sequence[Cell]) -> tuple[int, ...]:
    """Return the reactions of a row's single values, in column order.

    They are the Reaction nodes, the maps of reactions and the ids in columns that are named like a
    reaction's. One id or none gives way to numbered columns of one stem (``step1``, ``step2``). Else
    they are the numbers in columns that are not named like a quantity or a place in the route. A number
    that is the id of a node or map in the same row (``r1, r1.id``) says the same reaction again.
    """
    steps = _each_once((step_name(column), value, step) for column, value in cells for step in step_of(value))
    named = [step for name, value, step in steps if name.kind is Kind.REACTION or isinstance(value, dict)]
    if len(named) < 2:
        stem = most_numbered(column for column, _ in cells)
        numbered = [step for name, _, step in steps if name.number is not None and name.stem == stem]
        named = max(named, numbered, key=len)
    return tuple(named or [step for name, _, step in steps if name.kind is Kind.OTHER])


def _each_once(steps: Iterable[_Step]) -> list[_Step]:
    found = list(steps)
    told = {step for _, value, step in found if isinstance(value, dict)}
    return [each for each in found if isinstance(each[1], dict) or each[2] not in told]


def step_of(value: Any) -> tuple[int, ...]:
    """Return the reaction a single value stands for; molecules and all else give none."""
    node = node_of(value)
    if node is not None:
        atom = node_atom(node)
        return (int(atom),) if type(atom) is ReactionId else ()
    entries = map_of(value)
    if entries is not None:
        return reaction_of(entries)
    number = whole_number(value)
    return () if number is None else (number,)


def reaction_of(entries: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the reaction that a map such as ``r{.id}`` stands for.

    None where the map has two different reactions, or an id beside a list of reactions: it holds a route.
    """
    found = {
        step for entry, value in entries.items() if is_reaction_id(entry, value) for step in step_of(value)
    }
    if len(found) != 1 or any(_is_list_of_reactions(entry, value) for entry, value in entries.items()):
        return ()
    return tuple(found)


def by_number(entries: Mapping[str, Any]) -> list[Cell]:
    """Return a map's entries, numbered ones in the order of their numbers: maps have none of their own."""
    return sorted(entries.items(), key=lambda entry: step_name(entry[0]).number or 0)


def is_bare(value: Any, depth: int = 0) -> bool:
    """Return whether a value holds ids as numbers and no node or map, which would tell what they are."""
    if isinstance(value, list) and depth <= MAX_DEPTH:
        return all(is_bare(item, depth + 1) for item in value)
    return not isinstance(value, dict)


def _is_list_of_reactions(entry: str, value: Any) -> bool:
    if not isinstance(value, list) or step_name(entry).kind is Kind.QUANTITY:
        return False
    return any(
        type(node_atom(node)) is ReactionId
        if (node := node_of(item)) is not None
        else whole_number(item) is not None
        for item in value
    )


def is_reaction_id(entry: str, value: Any) -> bool:
    """Return whether a map's entry is the id of a reaction, or the Reaction node itself."""
    if resolve(plain_name(entry), ("id",)) is None:
        return False
    node = node_of(value)
    return type(node_atom(node)) is ReactionId if node is not None else whole_number(value) is not None


def node_of(value: Any) -> Mapping[str, Any] | None:
    """Return what a node value holds, None for any other value."""
    return _tagged(value, "$node")


def relationship_of(value: Any) -> Mapping[str, Any] | None:
    """Return what a relationship value holds, None for any other value."""
    return _tagged(value, "$relationship")


def path_of(value: Any) -> Mapping[str, Any] | None:
    """Return what a path value holds, None for any other value."""
    return _tagged(value, "$path")


def map_of(value: Any) -> Mapping[str, Any] | None:
    """Return the entries of a map, or the properties of a relationship; None for any other value."""
    relationship = relationship_of(value)
    if relationship is not None:
        return _mapping(relationship.get("properties"))
    wrapped = _tagged(value, "$map")
    if wrapped is not None or not isinstance(value, dict):
        return wrapped
    # What else is tagged is a value of its own kind and no map.
    return None if len(value) == 1 and next(iter(value)).startswith("$") else value


def node_atom(node: Mapping[str, Any]) -> Any:
    """Return a node's value: the id of a Reaction, the name of any other node, else its id."""
    properties = _mapping(node.get("properties"))
    labels = node.get("labels")
    if isinstance(labels, list) and "Reaction" in labels:
        number = whole_number(properties.get("id"))
        return None if number is None else ReactionId(number)
    for key in ("name", "id"):
        if properties.get(key) is not None:
            return properties[key]
    return None


def whole_number(value: Any) -> int | None:
    """Return an integer given as such, as a float or as a string of digits; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    # Beyond 2**53 a float no longer tells one integer from the next.
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**53:
        return int(value)
    if isinstance(value, str) and len(value) <= 18 and value.isascii() and value.isdigit():
        return int(value)
    return None


def _tagged(value: Any, tag: str) -> Mapping[str, Any] | None:
    if isinstance(value, dict) and len(value) == 1 and tag in value:
        return _mapping(value[tag])
    return None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
