"""The calls of the graph that a case made, as its record holds them."""

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct, structs

from retrocypher.kg.execution.execution import Execution
from retrocypher.plugins.runs.record import NO_LOOP, Fallback, GraphCall, Record
from retrocypher.prompts.loops.interface import Graph


class Call(Struct, frozen=True):
    """One call of a graph."""

    call: Literal["run", "explain"]
    """Whether the query was run, or only planned."""
    cypher: str
    """The query, not blank."""
    timeout_s: float | None = None
    """Seconds it might take, if the caller set a limit of its own."""
    row_limit: int | None = None
    """Rows it might ask for, if the caller set a limit."""

    def digest(self) -> bytes:
        """Return what stands for the call in an index."""
        text = json.dumps([self.call, self.cypher, self.timeout_s, self.row_limit])
        return hashlib.blake2b(text.encode(), digest_size=16).digest()


def calls_of(record: Record) -> Iterator[tuple[Call, Execution]]:
    """Yield the calls of a case with their results; none if the graph could not be asked."""
    execution = record.execution
    if execution is None:
        return
    if record.loop == NO_LOOP:
        if record.cypher is not None:
            yield Call("run", record.cypher), _plain(execution)
        return
    # Records of the first versions hold no calls.
    for each in record.graph_calls:
        call = Call(each.call, each.cypher, each.timeout_s, each.row_limit)
        if each.result == "execution":
            yield call, _plain(execution)
        elif isinstance(each.result, Execution):
            yield call, each.result
        elif execution.fallback:
            yield call, _plain(execution.fallback)


def _plain(part: Execution | Fallback) -> Execution:
    """Return an execution without its fallback, or that of a fallback, which has no code."""
    names = Execution.__struct_fields__
    return Execution(**{name: getattr(part, name) for name in names if hasattr(part, name)})


class WatchedGraph:
    """Asks a graph the same thing only once within a case, and keeps the results."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._calls: dict[Call, Execution] = {}

    def explain(self, cypher: str | None) -> Execution:
        """Return whether a query may run, as the graph does."""
        return self._once("explain", cypher, None, None, lambda: self._graph.explain(cypher))

    def run(
        self, cypher: str | None, *, timeout_s: float | None = None, row_limit: int | None = None
    ) -> Execution:
        """Run a query, as the graph does."""

        def run() -> Execution:
            return self._graph.run(cypher, timeout_s=timeout_s, row_limit=row_limit)

        return self._once("run", cypher, timeout_s, row_limit, run)

    def calls(self, execution: Execution, fallback: Fallback | None) -> list[GraphCall]:
        """Return the calls as the ``graph_calls`` of a record.

        Results that the record holds elsewhere are named, not repeated.

        Args:
            execution: The ``execution`` of the record, without a fallback.
        """

        def result(found: Execution) -> Execution | Literal["execution", "fallback"]:
            if structs.replace(found, time_s=execution.time_s) == execution:
                return "execution"
            return "fallback" if fallback is not None and found.rows is fallback.rows else found

        return [
            GraphCall(call.call, call.cypher, call.timeout_s, call.row_limit, result(found))
            for call, found in self._calls.items()
        ]

    def _once(
        self,
        call: Literal["run", "explain"],
        cypher: str | None,
        timeout_s: float | None,
        row_limit: int | None,
        ask: Callable[[], Execution],
    ) -> Execution:
        if cypher is None or not cypher.strip():
            return ask()
        key = Call(call, cypher, timeout_s, row_limit)
        if key not in self._calls:
            self._calls[key] = ask()
        return self._calls[key]
