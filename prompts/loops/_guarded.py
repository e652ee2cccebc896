"""Guarded retrieval with a fallback.

After GraphBuilder-RAG: a query is checked for safety and run with a short time limit; where it is invalid,
unsafe or brings nothing, the entities of the question are looked up and their neighbourhood is returned. Its
rows are marked and scored apart: they answer something else than the query did.
"""

import time
from dataclasses import dataclass
from typing import Any

from kg.execution import Execution, with_limit
from prompts.loops._interface import LoopCase, LoopResult, LoopTools, Step
from prompts.loops._neighbourhood import neighbourhood


@dataclass(frozen=True, slots=True)
class Guarded:
    """The loops ``guarded`` and, with a limit, ``guarded-limit``.

    Attributes:
        name: Its name.
        needs_model: It asks none.
        validates: It uses no validator.
        limit: Rows that a query may ask for, by a LIMIT put into it; None for no such limit.
        timeout_s: Seconds that a query may take.
        hops: How far the fallback reaches from a molecule of the question, in relationships.
        cap: How many reactions the fallback returns at most.
    """

    name: str = "guarded"
    needs_model: bool = False
    validates: bool = False
    limit: int | None = None
    timeout_s: float = 5.0
    hops: int = 2
    cap: int = 100

    def run(self, case: LoopCase, tools: LoopTools) -> LoopResult:
        """Run the query of the first answer under guard, and look around where that brings nothing."""
        query = self._checked(case, tools)
        started = time.perf_counter()
        execution = tools.graph.run(query, timeout_s=self.timeout_s, row_limit=self.limit)
        finding = {
            "message": execution.message,
            "row_count": execution.row_count,
            "truncated": execution.truncated,
        }
        time_s = time.perf_counter() - started
        tools.note(Step("executor", query, execution.status, [finding], time_s=time_s))
        if execution.status == "ok" and not _is_empty(execution):
            return LoopResult(query, execution)
        reason = "empty" if execution.status == "ok" else execution.status
        return LoopResult(query, execution, {"reason": reason, **self._fallback(case, tools)})

    def _checked(self, case: LoopCase, tools: LoopTools) -> str | None:
        """Return the query with its limit, where it may run at all."""
        started = time.perf_counter()
        planned = tools.graph.explain(case.cypher)
        query, findings = case.cypher, []
        if planned.status != "ok":
            findings.append({"code": planned.code, "message": planned.message})
        elif query is not None and self.limit is not None:
            query = with_limit(query, self.limit)
            if query != case.cypher:
                findings.append({"edit": f"no more than {self.limit} rows"})
        time_s = time.perf_counter() - started
        tools.note(Step("guard", query, planned.status, list(findings), time_s=time_s))
        return query

    def _fallback(self, case: LoopCase, tools: LoopTools) -> dict[str, Any]:
        started = time.perf_counter()
        found = neighbourhood(
            case.question, tools.graph, hops=self.hops, cap=self.cap, timeout_s=self.timeout_s
        )
        finding = {"resolved": found["resolved"], "row_count": found["row_count"]}
        time_s = time.perf_counter() - started
        tools.note(Step("fallback", found["cypher"], found["status"], [finding], time_s=time_s))
        return found


def _is_empty(execution: Execution) -> bool:
    """Whether a result holds nothing: no rows, or rows of nulls and empty lists."""
    return all(value in (None, [], {}) for row in execution.rows for value in row)
