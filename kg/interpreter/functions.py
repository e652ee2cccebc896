"""The functions and aggregates of Cypher, on values."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from retrocypher.kg.interpreter.graph import (
    GraphNode,
    GraphPath,
    GraphRelationship,
    Value,
    element_id,
)
from retrocypher.kg.interpreter.values import (
    LONGEST,
    NotInterpretedError,
    QueryFailsError,
    group_key,
    is_number,
    sort_key,
)

Function = Callable[..., Value]


def call(name: str, arguments: Sequence[Value]) -> Value:
    """Return what a function gives; null where its first argument is null.

    Raises NotInterpretedError for a function that is not known, and QueryFailsError for arguments that do not
    fit.
    """
    if name == "coalesce":
        return next((each for each in arguments if each is not None), None)
    function = _FUNCTIONS.get(name)
    if function is None:
        raise NotInterpretedError(f"the function {name}")
    if any(each is None for each in arguments):
        return None
    try:
        return function(*arguments)
    except (TypeError, ValueError, AttributeError, OverflowError, IndexError) as error:
        raise QueryFailsError(f"{name}() does not take such a value") from error


def _length(value: Value) -> int:
    if isinstance(value, GraphPath):
        return len(value.relationships)
    raise TypeError


def _size(value: Value) -> int:
    if isinstance(value, str | list):
        return len(value)
    raise TypeError


def _keys(value: Value) -> list[str]:
    return list(_properties(value))


def _properties(value: Value) -> dict[str, Value]:
    return dict(value if isinstance(value, dict) else value.properties)


def _reversed(value: Value) -> Value:
    if isinstance(value, str | list):
        return value[::-1]
    raise TypeError


def _range(start: int, stop: int, step: int = 1) -> list[int]:
    if not step or not all(type(each) is int for each in (start, stop, step)):
        raise ValueError
    found = range(start, stop + (1 if step > 0 else -1), step)
    if len(found) > LONGEST:
        raise NotInterpretedError("so long a list")
    return list(found)


def _to_string(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value) and 1e-3 <= abs(value) < 1e7:
        return repr(value)
    raise TypeError


def _to_integer(value: Value) -> int | None:
    if isinstance(value, str):
        try:
            return int(float(value))
        except ValueError:
            return None
    return int(value)


def _to_float(value: Value) -> float | None:
    try:
        return float(value) if not isinstance(value, bool) else None
    except ValueError:
        return None


def _round(value: float, precision: int = 0) -> float:
    # Halves go up, where Python's own round takes the even neighbour.
    scale = 10.0**precision
    return math.floor(value * scale + 0.5) / scale


def _split(text: str, delimiter: str) -> list[str]:
    return text.split(delimiter) if delimiter else list(text)


_FUNCTIONS: Final[Mapping[str, Function]] = {
    "id": lambda element: element.id,
    "elementid": element_id,
    "type": lambda relationship: relationship.type,
    "labels": lambda node: sorted(node.labels),
    "nodes": lambda path: list(path.nodes),
    "relationships": lambda path: list(path.relationships),
    "length": _length,
    "startnode": lambda relationship: relationship.start,
    "endnode": lambda relationship: relationship.end,
    "properties": _properties,
    "keys": _keys,
    "size": _size,
    "isempty": lambda value: not value if isinstance(value, str | list | dict) else None,
    "head": lambda items: items[0] if items else None,
    "last": lambda items: items[-1] if items else None,
    "tail": lambda items: items[1:],
    "reverse": _reversed,
    "range": _range,
    "tolower": str.lower,
    "lower": str.lower,
    "toupper": str.upper,
    "upper": str.upper,
    "trim": str.strip,
    "btrim": str.strip,
    "ltrim": str.lstrip,
    "rtrim": str.rstrip,
    "left": lambda text, count: text[:count],
    "right": lambda text, count: text[-count:] if count else "",
    "substring": lambda text, start, count=None: text[start:][:count],
    "replace": lambda text, old, new: text.replace(old, new),
    "split": _split,
    "tostring": _to_string,
    "tostringornull": _to_string,
    "tointeger": _to_integer,
    "tointegerornull": _to_integer,
    "tofloat": _to_float,
    "tofloatornull": _to_float,
    "tostringlist": lambda items: [None if each is None else _to_string(each) for each in items],
    "abs": abs,
    "ceil": lambda value: float(math.ceil(value)),
    "floor": lambda value: float(math.floor(value)),
    "round": _round,
    "sign": lambda value: (value > 0) - (value < 0),
    "sqrt": math.sqrt,
}


def _numbers(values: Sequence[Value]) -> list[Any]:
    if not all(is_number(each) for each in values):
        raise QueryFailsError("sum() and avg() take numbers only")
    return list(values)


def _average(values: Sequence[Value]) -> Value:
    return sum(_numbers(values)) / len(values) if values else None


AGGREGATES: Final[Mapping[str, Callable[[Sequence[Value]], Value]]] = {
    "count": len,
    "collect": list,
    "sum": lambda values: sum(_numbers(values)),
    "avg": _average,
    "min": lambda values: min(values, key=sort_key, default=None),
    "max": lambda values: max(values, key=sort_key, default=None),
}
"""Aggregates by name; each takes the values that are not null."""

UNKNOWN_AGGREGATES: Final = frozenset({"stdev", "stdevp", "percentilecont", "percentiledisc"})


def aggregate(name: str, values: Sequence[Value], *, distinct: bool) -> Value:
    """Return an aggregate of values, nulls left out."""
    found = [each for each in values if each is not None]
    if distinct:
        found = list({group_key(each): each for each in reversed(found)}.values())[::-1]
    return AGGREGATES[name](found)


def look_up(of: Value, key: Value) -> Value:
    """Return a property of a node, relationship or map; null where it has none."""
    if of is None or key is None:
        return None
    if isinstance(of, GraphNode | GraphRelationship):
        return of.properties.get(key)
    if isinstance(of, dict):
        return of.get(key)
    raise QueryFailsError(f"`{key}` is looked up on a value that has no properties")
