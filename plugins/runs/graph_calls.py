"""What a case asked of the graph, and what came of it, as its record tells."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from retrocypher.kg.execution.execution import Execution
from retrocypher.prompts.loops.interface import Graph

_NO_LOOP = "none"


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a graph.

    Attributes:
        call: Whether the query was run, or only planned.
        cypher: The query, not blank.
        timeout_s: Seconds it might take, where the caller set a limit of its own.
        row_limit: Rows it might ask for, where the caller set a limit.
    """

    call: Literal["run", "explain"]
    cypher: str
    timeout_s: float | None = None
    row_limit: int | None = None

    def digest(self) -> bytes:
        """Return what stands for the call in an index."""
        text = json.dumps([self.call, self.cypher, self.timeout_s, self.row_limit])
        return hashlib.blake2b(text.encode(), digest_size=16).digest()

    def to_json(self, result: Execution, execution: Execution, fallback: Mapping[str, Any] | None) -> Any:
        """Return the call as it stands in a record; what the record holds elsewhere is named, not repeated.

        Args:
            result: What came of it.
            execution: What is on the record as ``execution``.
            fallback: What is there as ``execution.fallback``.
        """
        told: Any = result.to_json()
        if replace(result, time_s=execution.time_s) == execution:
            told = "execution"
        elif fallback is not None and result.rows is fallback["rows"]:
            told = "fallback"
        return {**asdict(self), "result": told}


def calls_of(record: Mapping[str, Any]) -> Iterator[tuple[Call, Execution]]:
    """Yield the calls of a case with what came of each; none where the graph could not be asked.

    Args:
        record: A record as in ``records.jsonl``.
    """
    execution = record["execution"]
    if execution is None:
        return
    if record["loop"] == _NO_LOOP:
        if record["cypher"] is not None:
            yield Call("run", record["cypher"]), Execution.from_json(execution)
        return
    held = {"execution": execution, "fallback": execution.get("fallback")}
    # Records of the first versions hold none.
    for told in record.get("graph_calls", ()):
        call = Call(told["call"], told["cypher"], told["timeout_s"], told["row_limit"])
        result = told["result"]
        yield call, Execution.from_json(held[result] if isinstance(result, str) else result)


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
