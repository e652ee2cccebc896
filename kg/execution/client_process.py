"""The process that talks to the server, started by `Client` with a pipe and its parent's process id.

What an untrusted query returns is received and decoded here, under a memory limit, so that a value too large
or too deep for the driver ends this process and not the one that runs the tests. It is stopped by a signal
where a query runs too long, which the server sees as a closed connection.
"""

import json
import logging
import os
import resource
import sys
import threading
import time
from multiprocessing.connection import Connection
from typing import Any

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from retrocypher.kg.execution.json_value import to_json_value
from retrocypher.kg.offline import refuse_as_parent
from retrocypher.kg.server.endpoint import Endpoint, connect

MEMORY_BYTES = 768 * 1024**2
"""Address space of this process; the kept rows are at most a few MiB of it."""

FETCH_ROWS = 500
PARENT_CHECK_S = 1.0


class Client:
    """Answers requests; one query at a time."""

    def __init__(self) -> None:
        self._driver: neo4j.Driver | None = None
        self._database = ""

    def answer(self, request: dict[str, Any]) -> bytes:
        """Return the answer to one request as JSON; errors are answers too."""
        try:
            if request["op"] == "open":
                self._open(Endpoint.from_json(request["endpoint"]))
                return b"{}"
            return self._explain(request) if request["op"] == "explain" else self._run(request)
        except Neo4jError as error:
            return _error("server", error.code, error.message)
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
