"""The one JSON form of what a query returns; ``docs/server.md`` describes it."""

import base64
import math
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from neo4j.graph import Node, Relationship


DEEPEST = 64
"""Levels of lists and maps that are kept; far below what breaks a reader of JSON."""


def to_json_value(value: Any) -> Any:
    """Return a value that the driver gave as strict JSON data: no NaN, text keys, characters that UTF-8 has.

    Scalars, lists and maps stay what they are. A value that JSON does not have becomes an object with one key
    that begins with ``$``; a map whose own keys begin with ``$`` is wrapped in ``$map``, so that nothing a
    query returns can pass for one. Never raises: what is not known is shown by its type under ``$unknown``,
    and what is nested deeper than `DEEPEST` levels is left out under ``$deeper``.
    """
    return _convert(value, DEEPEST)


def _convert(value: Any, levels: int) -> Any:
    if value is None or value is True or value is False:
        return value
    kind = type(value)
    if kind is str:
        return _text(value)
    if kind is int:
        return value
    if kind is float:
        return value if math.isfinite(value) else {"$float": _non_finite(value)}
    if levels == 0:
        return {"$deeper": kind.__name__}
    # Durations and points are tuples too, so the exact type is asked for.
    if kind is list or kind is tuple:
        return [_convert(item, levels - 1) for item in value]
    if kind is dict:
        return _map(value, levels)
    return _special(value, levels)


def _special(value: Any, levels: int) -> Any:
    # Late, as everywhere but in the client's own process: see `retrocypher.kg.server.endpoint`.
    from neo4j.graph import Node, Path, Relationship
    from neo4j.spatial import Point

    if isinstance(value, Node):
        return {"$node": _node(value, levels)}
    if isinstance(value, Relationship):
        return {"$relationship": _relationship(value, levels)}
    if isinstance(value, Path):
        return {
            "$path": {
                "nodes": [_node(node, levels - 1) for node in value.nodes],
                "relationships": [_relationship(edge, levels - 1) for edge in value.relationships],
            }
        }
    if type(value) in _temporal_names():
        return {"$temporal": {"type": _temporal_name(value), "value": _iso(value)}}
    if isinstance(value, Point):
        return {"$point": {"srid": value.srid, "coordinates": [_convert(float(part), 1) for part in value]}}
    if isinstance(value, (bytes, bytearray)):
        return {"$bytes": base64.b64encode(value).decode("ascii")}
    return {"$unknown": type(value).__name__}


def _node(node: "Node", levels: int) -> dict[str, Any]:
    return {
        "id": node.element_id,
        "labels": sorted(node.labels),
        "properties": _properties(dict(node.items()), levels),
    }


def _relationship(edge: "Relationship", levels: int) -> dict[str, Any]:
    start, end = edge.start_node, edge.end_node
    return {
        "id": edge.element_id,
        "type": edge.type,
        "start": start.element_id if start is not None else None,
        "end": end.element_id if end is not None else None,
        "properties": _properties(dict(edge.items()), levels),
    }


def _properties(values: dict[str, Any], levels: int) -> dict[str, Any]:
    """Property names are not wrapped: their place tells what they are."""
    return {_text(key): _convert(item, max(levels - 1, 0)) for key, item in values.items()}


def _map(values: dict[Any, Any], levels: int) -> dict[str, Any]:
    converted = {_text(str(key)): _convert(item, levels - 1) for key, item in values.items()}
    return {"$map": converted} if any(key.startswith("$") for key in converted) else converted


def _text(value: str) -> str:
    """Half a surrogate pair is no character and cannot be written as UTF-8."""
    if value.isascii():
        return value
    return value.encode("utf-8", "replace").decode("utf-8")


def _non_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


@cache
def _temporal_names() -> Mapping[type, str]:
    from neo4j.time import Date, DateTime, Duration, Time

    return {
        Date: "date",
        Time: "time",
        DateTime: "datetime",
        Duration: "duration",
        datetime: "datetime",
        date: "date",
        time: "time",
        timedelta: "duration",
    }


def _temporal_name(value: Any) -> str:
    name = _temporal_names()[type(value)]
    zoneless = name in ("time", "datetime") and value.tzinfo is None
    return f"local{name}" if zoneless else name


def _iso(value: Any) -> str:
    if isinstance(value, timedelta):
        return f"PT{value.total_seconds():.6f}S"
    zone = getattr(getattr(value, "tzinfo", None), "zone", None) or getattr(value, "tzinfo", None)
    named = getattr(zone, "key", zone if isinstance(zone, str) else None)
    iso: str = value.iso_format() if hasattr(value, "iso_format") else value.isoformat()
    return f"{iso}[{named}]" if named and "/" in named else iso
