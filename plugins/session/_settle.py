"""What a loop's queries are worth: told after the loop, for the ledger, and never to the loop."""

from dataclasses import dataclass, field
from typing import Any

from kg.execution import Execution
from plugins.records import Round
from plugins.session._cases import Case
from plugins.session._rounds import Outcome
from plugins.session._tools import Tools
from prompts.loops import Graph, LoopResult, Step

_TAKEN = ("taken", "turned")


@dataclass(slots=True)
class Worth:
    """What the queries of one case are worth, each executed once.

    Attributes:
        case: The case.
        tools: What it is run with.
        graph: What it asks.
    """

    case: Case
    tools: Tools
    graph: Graph
    _executions: dict[str | None, Execution] = field(default_factory=dict)

    def execute(self, cypher: str | None) -> Execution:
        """Return what comes of a query; raises GraphError where the graph cannot be asked."""
        if cypher not in self._executions:
            self._executions[cypher] = self.graph.run(cypher)
        return self._executions[cypher]

    def result(self, cypher: str | None) -> dict[str, Any]:
        """Return status, scores and error labels of a query."""
        return self.tools.assessor.query(self.case.question, cypher, self.execute(cypher).to_json())


def settle(
    case: Case, tools: Tools, graph: Graph, outcome: Outcome, result: LoopResult
) -> tuple[str | None, Execution]:
    """Decide which query of a loop counts, and put on each round what its query is worth.

    A query that fails when it runs never replaces one that ran: planning does not tell all.

    Returns:
        The query that counts, and what came of it.

    Raises:
        GraphError: The graph cannot be asked.
    """
    worth = Worth(case, tools, graph)
    cypher, execution = result.cypher, result.execution
    if execution is None:
        execution = worth.execute(cypher)
        if execution.status != "ok":
            cypher, execution = _put_back(worth, outcome, cypher, execution)
    seen: set[str | None] = set()
    for turn in outcome.record.rounds:
        if turn.role == "fallback" or (turn.cypher is None and turn.role != "generator"):
            continue
        if turn.cypher not in seen:
            seen.add(turn.cypher)
            turn.findings.append({"result": worth.result(turn.cypher)})
    return cypher, execution


def _put_back(
    worth: Worth, outcome: Outcome, cypher: str | None, execution: Execution
) -> tuple[str | None, Execution]:
    for turn in reversed(outcome.record.rounds):
        if _counted(turn) and turn.cypher is not None and worth.execute(turn.cypher).status == "ok":
            finding = {"status": execution.status, "message": execution.message, "instead_of": cypher}
            outcome.add(Step("harness", turn.cypher, "put_back", [finding]))
            return turn.cypher, worth.execute(turn.cypher)
    return cypher, execution


def _counted(turn: Round) -> bool:
    """Whether the query of a round was the loop's own at some time."""
    return turn.role == "generator" or turn.verdict in _TAKEN
