"""Values of a result row, read from the documented JSON form."""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any

# Deeper nesting than any answer needs; what lies below is not read.
MAX_DEPTH = 50

Atom = str | int | float


class ReactionId(int):
    """The id of a Reaction node; equal to the same plain integer."""


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


def node_atom(node: Mapping[str, Any]) -> Atom | None:
    """Return a node's value: the id of a Reaction, the name of any other node, else its id."""
    properties = _mapping(node.get("properties"))
    labels = node.get("labels")
    if isinstance(labels, list) and "Reaction" in labels:
        number = whole_number(properties.get("id"))
        return None if number is None else ReactionId(number)
    for key in ("name", "id"):
        if properties.get(key) is not None:
            return scalar_atom(properties[key])
    return None


def scalar_atom(value: Any) -> Atom:
    """Return a scalar as a value that hashes and compares as its Cypher value does."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    # true is not 1, and NaN must equal itself to be counted once.
    return json.dumps(value, sort_keys=True, default=str)


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


def atoms(value: Any, depth: int = 0) -> Iterator[Atom]:
    """Yield the values in a gold cell: lists flattened, nulls left out."""
    if value is None or depth > MAX_DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            yield from atoms(item, depth + 1)
    elif (node := node_of(value)) is not None:
        atom = node_atom(node)
        if atom is not None:
            yield atom
    else:
        yield scalar_atom(value)


def _tagged(value: Any, tag: str) -> Mapping[str, Any] | None:
    if isinstance(value, dict) and len(value) == 1 and tag in value:
        return _mapping(value[tag])
    return None


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
