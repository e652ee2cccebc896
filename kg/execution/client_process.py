"""The process that talks to the server, started by `Client` with a pipe and its parent's process id.

What an untrusted query returns is received and decoded here, under a memory limit, so that a value too large
or too deep for the driver ends this process and not the one that runs the tests. It is stopped by a signal
where a query runs too long, which the server sees as a closed connection. ``docs/server.md`` describes the
JSON form of what a query returns.
"""

import base64
import datetime
import json
import logging
import math
import os
import resource
import sys
import threading
import time
from multiprocessing.connection import Connection
from typing import Any

import neo4j
from msgspec import convert
from neo4j.exceptions import BrokenRecordError, DriverError, Neo4jError
from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

from retrocypher.kg.execution.hashing import (
    HASH_BYTES,
    HASHED_BYTES,
    HASHED_ROWS,
    compared_rows,
    hash_value,
)
from retrocypher.kg.offline import refuse_as_parent
from retrocypher.kg.server.endpoint import Endpoint, connect

DEEPEST = 64
"""Levels of lists and maps that are kept; far below what breaks a reader of JSON."""

_TEMPORAL = {
    Date: "date",
    Time: "time",
    DateTime: "datetime",
    Duration: "duration",
    datetime.datetime: "datetime",
    datetime.date: "date",
    datetime.time: "time",
    datetime.timedelta: "duration",
}

MEMORY_BYTES = 768 * 1024**2
"""Address space of this process; the kept rows are at most a few MiB of it."""

FETCH_ROWS = 500
PARENT_CHECK_S = 1.0


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
    if type(value) in _TEMPORAL:
        return {"$temporal": {"type": _temporal_name(value), "value": _iso(value)}}
    if isinstance(value, Point):
        return {"$point": {"srid": value.srid, "coordinates": [_convert(float(part), 1) for part in value]}}
    if isinstance(value, (bytes, bytearray)):
        return {"$bytes": base64.b64encode(value).decode("ascii")}
    return {"$unknown": type(value).__name__}


def _node(node: Node, levels: int) -> dict[str, Any]:
    return {
        "id": node.element_id,
        "labels": sorted(node.labels),
        "properties": _properties(dict(node.items()), levels),
    }


def _relationship(edge: Relationship, levels: int) -> dict[str, Any]:
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


def _temporal_name(value: Any) -> str:
    name = _TEMPORAL[type(value)]
    zoneless = name in ("time", "datetime") and value.tzinfo is None
    return f"local{name}" if zoneless else name


def _iso(value: Any) -> str:
    if isinstance(value, datetime.timedelta):
        return f"PT{value.total_seconds():.6f}S"
    zone = getattr(getattr(value, "tzinfo", None), "zone", None) or getattr(value, "tzinfo", None)
    named = getattr(zone, "key", zone if isinstance(zone, str) else None)
    iso: str = value.iso_format() if hasattr(value, "iso_format") else value.isoformat()
    return f"{iso}[{named}]" if named and "/" in named else iso


class Client:
    """Answers requests; one query at a time."""

    def __init__(self) -> None:
        self._driver: neo4j.Driver | None = None
        self._database = ""

    def answer(self, request: dict[str, Any]) -> bytes:
        """Return the answer to one request as JSON; errors are answers too."""
        try:
            if request["op"] == "open":
                self._open(convert(request["endpoint"], Endpoint))
                return b"{}"
            if request["op"] == "explain":
                return self._explain(request)
            return self._hash(request) if request["values"] else self._run(request)
        except Neo4jError as error:
            return _error("server", error.code, error.message)
        except BrokenRecordError as error:
            # The driver's dates end with the year 9999; the server's do not.
            what = f"The driver cannot represent a value of the result: {error}, {error.__cause__}."
            return _error("value", None, what)
        except (DriverError, OSError) as error:
            return _error("lost", None, f"{type(error).__name__}: {error}")
        except (MemoryError, RecursionError):
            return _error("memory", None, "The result holds a value that is too large to read.")

    def _open(self, endpoint: Endpoint) -> None:
        if self._driver:
            self._driver.close()
        self._driver = connect(endpoint)
        self._database = endpoint.database

    def _explain(self, request: dict[str, Any]) -> bytes:
        with self._session() as session:
            query = _query("EXPLAIN\n" + request["text"], request)
            summary = session.run(query, request["parameters"]).consume()
        operators: list[tuple[str, str]] = []
        waiting = [summary.plan] if summary.plan else []
        while waiting:
            plan = waiting.pop()
            details = str(plan.get("args", {}).get("Details", ""))
            operators.append((plan["operatorType"].partition("@")[0], details))
            waiting += plan.get("children", [])
        return json.dumps({"query_type": summary.query_type, "operators": operators}).encode()

    def _run(self, request: dict[str, Any]) -> bytes:
        row_cap, byte_cap = request["row_cap"], request["byte_cap"]
        rows: list[str] = []
        size = 0
        truncated = False
        with self._session() as session:
            result = session.run(_query(request["text"], request), request["parameters"])
            columns = json.dumps([to_json_value(column) for column in result.keys()])  # noqa: SIM118
            for record in result:
                if _surely_longer(record.values(), byte_cap):
                    truncated = True
                    break
                row = json.dumps(to_json_value(record.values()), allow_nan=False)
                size += len(row)
                if len(rows) == row_cap or size > byte_cap:
                    truncated = True
                    break
                rows.append(row)
            # The server drops the rest; its own error there cannot change what was kept.
            if not truncated:
                result.consume()
        kept = f'{{"columns": {columns}, "rows": [{",".join(rows)}], "truncated": {json.dumps(truncated)}}}'
        return kept.encode()

    def _hash(self, request: dict[str, Any]) -> bytes:
        """Run a query and return a line of JSON, then the hashes of all values."""
        hashes = bytearray()
        rows = 0
        truncated = False
        with self._session() as session:
            result = session.run(_query(request["text"], request), request["parameters"])
            width = len(result.keys())
            for row in compared_rows((record.values() for record in result), request["values"]):
                if rows == HASHED_ROWS or len(hashes) + width * HASH_BYTES > HASHED_BYTES:
                    truncated = True
                    break
                for value in row:
                    hashes += hash_value(to_json_value(value), request["values"])
                rows += 1
            if not truncated:
                result.consume()
        head = json.dumps({"width": width, "row_count": rows, "truncated": truncated})
        return head.encode() + b"\n" + hashes

    def _session(self) -> neo4j.Session:
        if self._driver is None:
            raise OSError("not connected")
        return self._driver.session(
            database=self._database, default_access_mode=neo4j.READ_ACCESS, fetch_size=FETCH_ROWS
        )


def _surely_longer(values: list[Any], byte_cap: int) -> bool:
    """Whether a row has too many values for the cap, at two bytes each, without writing them down."""
    left = byte_cap // 2
    waiting: list[Any] = [values]
    while waiting and left >= 0:
        part = waiting.pop()
        left -= len(part)
        items = part.values() if isinstance(part, dict) else part
        waiting += [item for item in items if isinstance(item, (list, dict))] if left >= 0 else []
    return left < 0


def _query(text: str, request: dict[str, Any]) -> neo4j.Query:
    return neo4j.Query(text, metadata=request["metadata"], timeout=request["server_timeout_s"])


def _error(kind: str, code: str | None, message: str | None) -> bytes:
    return json.dumps({"error": {"kind": kind, "code": code, "message": message}}).encode()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_CHECK_S)
    os._exit(0)


def main() -> None:
    """Answer requests until the other side goes away."""
    refuse_as_parent()
    connection = Connection(int(sys.argv[1]))
    threading.Thread(target=_end_with, args=(int(sys.argv[2]),), daemon=True).start()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    logging.getLogger("neo4j").addHandler(logging.NullHandler())
    client = Client()
    while True:
        try:
            request = json.loads(connection.recv_bytes())
        except EOFError:
            return
        connection.send_bytes(client.answer(request))
