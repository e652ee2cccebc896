"""The loop ``review``: self-review by an analyst of the schema, a reviewer and a corrector.

After "A multi-stage self-review framework" (schema review, generation, execution, feedback on question, query
and result, correction from a structured response). The first completion of the case is the generation.
"""

import json
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from retrocypher.kg.execution.execution import Execution
from retrocypher.prompts.extraction.extract import extract_cypher, extract_json, texts, yes_or_no
from retrocypher.prompts.loops.interface import LoopCase, LoopResult, LoopTools, Step
from retrocypher.prompts.loops.proposal import NO_QUERY, Decision, decide, messages_for
from retrocypher.prompts.models.interface import Completion

_CONVENTIONS = Path(__file__).parent / "texts" / "conventions.yaml"
_LONGEST_ROW = 1_000


@dataclass(frozen=True, slots=True)
class Review:
    """The loop ``review``, with at most this many rounds, and rows shown to the reviewer."""

    name: str = "review"
    needs_model: bool = True
    validates: bool = False
    rounds: int = 3
    rows: int = 20

    def run(self, case: LoopCase, tools: LoopTools) -> LoopResult:
        """Review and correct the query of the first completion until it is accepted."""
        shown = {"schema": self._summary(case, tools), "question": case.question}
        query, note = case.cypher, ""
        execution = self._execute(query, tools)
        review = self._review(query, execution, shown, case, tools)
        for left in reversed(range(self.rounds)):
            if review is None:
                break
            values = {**shown, **self._outcome(query, execution), "problem": review, "note": note}
            found = self._correct(query, execution, values, case, tools)
            if not found.taken:
                note = f"\nYour last proposal was not taken: {found.note}."
                continue
            query, note = found.query, ""
            if left:
                execution = self._execute(query, tools)
                review = self._review(query, execution, shown, case, tools)
        return LoopResult(query)

    def _summary(self, case: LoopCase, tools: LoopTools) -> str:
        """Return the analyst's description of the schema, or the schema itself where that is empty."""
        messages = messages_for("review_schema", {"schema": case.schema_text}, case.setting)
        key = json.dumps(["review schema", tools.player, messages])
        text = tools.once.get(key, lambda: tools.ask("analyst", messages))
        answer, verdict = Completion(text), "made" if text.strip() else "empty"
        # Its cost is reported once for the run: which case of which process asked is chance.
        tools.note(Step("analyst", None, verdict, messages=messages, answer=answer, cached=True))
        return text.strip() or case.schema_text

    def _execute(self, query: str | None, tools: LoopTools) -> Execution:
        started = time.perf_counter()
        execution = tools.graph.run(query)
        finding = {
            "code": execution.code,
            "message": execution.message,
            "row_count": execution.row_count,
            "truncated": execution.truncated,
        }
        time_s = time.perf_counter() - started
        tools.note(Step("executor", query, execution.status, [finding], time_s=time_s))
        return execution

    def _review(
        self,
        query: str | None,
        execution: Execution,
        shown: dict[str, str],
        case: LoopCase,
        tools: LoopTools,
    ) -> str | None:
        """Return what the reviewer objects to; None where it accepts, or its reply cannot be read."""
        convention = {"convention": _conventions()[case.convention].strip()}
        messages = messages_for(
            "review_feedback", {**shown, **convention, **self._outcome(query, execution)}, case.setting
        )
        answer = tools.ask("reviewer", messages)
        said = extract_json(answer.text) or {}
        accepted = yes_or_no(said.get("accepted"))
        issues = [*texts(said.get("issues")), *texts(said.get("suggestions"))]
        verdict = {True: "accepted", False: "rejected", None: "malformed"}[accepted]
        findings = [{"message": issue} for issue in issues]
        tools.note(Step("reviewer", query, verdict, findings, messages=messages, answer=answer))
        if accepted is not False:
            return None
        return "\n".join(f"- {issue}" for issue in issues) or "- The query does not answer the question."

    def _correct(
        self,
        query: str | None,
        execution: Execution,
        values: dict[str, str],
        case: LoopCase,
        tools: LoopTools,
    ) -> Decision:
        messages = messages_for("review_correct", values, case.setting)
        answer = tools.ask("corrector", messages)
        proposed, structured = _proposed(answer.text)
        found = decide(proposed, query, execution.status == "ok", case, tools.graph)
        findings: list[dict[str, Any]] = [*found.findings, {"structured": structured}]
        findings += [{"detail": found.detail}] if found.detail else []
        tools.note(Step("corrector", found.query, found.verdict, findings, messages=messages, answer=answer))
        return found

    def _outcome(self, query: str | None, execution: Execution) -> dict[str, str]:
        """Return query and result as a role reads them."""
        if execution.status != "ok":
            said = f"status {execution.status}: {execution.message or ''}".strip(": ")
            return {"query": query or NO_QUERY, "result": said}
        rows = [
            json.dumps(dict(zip(execution.columns, row, strict=True)), ensure_ascii=False)[:_LONGEST_ROW]
            for row in execution.rows[: self.rows]
        ]
        more = execution.row_count - len(rows)
        count = f"{execution.row_count:,} rows" + (f", the first {self.rows} of them:" if more > 0 else ":")
        return {"query": query or NO_QUERY, "result": "\n".join([count, *rows])}


def _proposed(answer: str) -> tuple[str | None, bool]:
    """Return the query in a correction, and whether it has the form that was asked for."""
    said = extract_json(answer) or {}
    query = next((said[key] for key in ("cypher", "query") if isinstance(said.get(key), str)), None)
    if query is None:
        return extract_cypher(answer), False
    return (extract_cypher(query) if "```" in query else query.strip() or None), True


@cache
def _conventions() -> dict[str, str]:
    read: dict[str, str] = yaml.safe_load(_CONVENTIONS.read_text(encoding="utf-8"))
    return read
