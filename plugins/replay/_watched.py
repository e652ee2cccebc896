"""A graph that remembers what it was asked, for the record."""

from collections.abc import Callable, Mapping
from typing import Any

from kg.execution import Execution
from plugins.replay._calls import Call
from prompts.loops import Graph


class WatchedGraph:
    """Asks a graph the same thing once within a case, and keeps what came of it.

    Args:
        graph: The graph.
    """

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

    def to_json(self, execution: Execution, fallback: Mapping[str, Any] | None) -> list[dict[str, Any]]:
        """Return the calls as the ``graph_calls`` of a record.

        Args:
            execution: What is on the record as ``execution``.
            fallback: What is there as ``execution.fallback``; None where there is none.
        """
        return [call.to_json(result, execution, fallback) for call, result in self._calls.items()]

    def _once(
        self,
        call: Any,
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
