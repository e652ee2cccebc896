"""Graphs whose rows come from records."""

from collections.abc import Mapping

from kg.errors import GraphError
from kg.execution import Execution
from plugins.replay._calls import Call, calls_of
from plugins.replay._index import RunIndex

_LONGEST = 200


class NotRecorded(GraphError):  # noqa: N818 - the name that records and readers know
    """No run that is replayed has what a case asks the graph: nobody's wrong answer."""


class RecordedGraphs:
    """Gives each case the rows of its own record, and of others for what that does not hold.

    Args:
        index: The records.
    """

    def __init__(self, index: RunIndex) -> None:
        self._index = index

    def of(self, case_id: str) -> "_RecordedGraph":
        """Return the graph of a case."""
        record = self._index.case(case_id)
        own = {} if record is None else dict(calls_of(record))
        return _RecordedGraph(case_id, own, self._index)


class _RecordedGraph:
    """Answers what was asked before, and nothing else."""

    def __init__(self, case_id: str, own: Mapping[Call, Execution], index: RunIndex) -> None:
        self._case_id = case_id
        self._own = own
        self._index = index

    def explain(self, cypher: str | None) -> Execution:
        if cypher is None or not cypher.strip():
            return Execution("no_query")
        return self._find(Call("explain", cypher))

    def run(
        self, cypher: str | None, *, timeout_s: float | None = None, row_limit: int | None = None
    ) -> Execution:
        if cypher is None or not cypher.strip():
            return Execution("no_query")
        return self._find(Call("run", cypher, timeout_s, row_limit))

    def _find(self, call: Call) -> Execution:
        if call in self._own:
            return self._own[call]
        other = self._index.calling(call)
        if other is None:
            raise NotRecorded(self._missing(call))
        return dict(calls_of(other))[call]

    def _missing(self, call: Call) -> str:
        shown = call.cypher if len(call.cypher) <= _LONGEST else f"{call.cypher[:_LONGEST]}..."
        what = "rows" if call.call == "run" else "plan"
        return (
            f"{self._case_id}: the records of {self._index.named} hold no {what} of its query now: "
            f"{shown!r}. Run the case once on a graph, and name that run with --replay too."
        )
