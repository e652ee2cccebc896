"""Chain of verification: plan, turn arrows, validate, and have what is wrong corrected.

After the paper's section 5.3: a query that can be planned has its directions corrected by rule, another is
given to a model with the error message and without SMILES. The validator's findings go to the same model for
minimal edits. At most three corrections.
"""

import time
from dataclasses import dataclass, field

from kg.direction import correct_directions
from prompts.extraction import extract_cypher
from prompts.loops._interface import LoopCase, LoopResult, LoopTools, Step
from prompts.loops._judging import judge
from prompts.loops._masking import Masked, mask
from prompts.loops._proposal import Considered, consider
from prompts.loops._texts import messages_for

_NO_QUERY = "(there is none)"
_NOTHING_FOUND = "The answer held no query."


@dataclass(frozen=True, slots=True)
class Cove:
    """The loop ``cove``.

    Attributes:
        name: Its name.
        needs_model: It asks a model to correct.
        validates: It has queries judged by the validator of the run.
        corrections: How often at most.
    """

    name: str = "cove"
    needs_model: bool = True
    validates: bool = True
    corrections: int = 3

    def run(self, case: LoopCase, tools: LoopTools) -> LoopResult:
        """Correct the query of the first answer until nothing is found wrong with it."""
        work = _Work(case, tools)
        work.examine(case.cypher)
        for left in reversed(range(self.corrections)):
            if work.problem is None:
                break
            work.correct(last=left == 0)
        return LoopResult(work.query)


@dataclass(slots=True)
class _Work:
    """A query in the course of its correction.

    Attributes:
        query: The query there is.
        executable: Whether the database can run it.
        problem: What is wrong with it, for the corrector; None where nothing is known to be.
        note: Why the corrector's last proposal was not taken.
    """

    case: LoopCase
    tools: LoopTools
    query: str | None = None
    executable: bool = False
    problem: str | None = None
    note: str = ""
    masked: Masked = field(init=False)

    def examine(self, query: str | None, *, validate: bool = True) -> None:
        """Take a query and find out what is wrong with it."""
        self.query, self.note = query, ""
        started = time.perf_counter()
        planned = self.tools.graph.explain(query)
        self.executable = planned.status == "ok"
        fault = [] if self.executable else [{"code": planned.code, "message": planned.message}]
        self._note("explain", planned.status, fault, started)
        if self.executable:
            self._turn()
            self.masked = mask(self.case.question, self.query or "")
            self.problem = self._findings() if validate else None
        else:
            self.masked = mask(self.case.question, self.query or "")
            self.problem = self._error(planned.message) if query is not None else _NOTHING_FOUND

    def correct(self, *, last: bool) -> None:
        """Have the query corrected once, and take the correction if it may be taken."""
        messages = messages_for(
            "correct_findings" if self.executable else "correct_error",
            {
                "schema": self.case.schema_text,
                "example": self.masked.example,
                "question": self.masked.question,
                "query": self.masked.query or _NO_QUERY,
                "problem": self.problem or "",
                "note": self._last_time(),
            },
        )
        answer = self.tools.ask("corrector", messages)
        found = self._considered(extract_cypher(answer.text))
        findings = [*found.findings, *([{"detail": found.detail}] if found.detail else [])]
        self.tools.note(
            Step("corrector", found.query, found.verdict, findings, messages=messages, answer=answer)
        )
        if found.taken:
            self.examine(found.query, validate=not last)
        else:
            self.note = self.masked.hide(found.note)

    def _considered(self, proposed: str | None) -> Considered:
        if proposed is not None:
            unknown = self.masked.unknown_names(proposed)
            proposed = self.masked.restore(proposed)
            if unknown:
                return Considered(proposed, "unknown_name", ", ".join(unknown))
        return consider(proposed, self.query, self.executable, self.case, self.tools.graph)

    def _turn(self) -> None:
        """Turn arrows that contradict the schema, as long as the query can still be run."""
        started = time.perf_counter()
        corrected = correct_directions(self.query or "", self.case.schema)
        turned = corrected.query != self.query
        taken = turned and self.tools.graph.explain(corrected.query).status == "ok"
        edits = [
            {"edit": [{"was": each.before, "is": each.after}], "message": each.message}
            for each in corrected.turned
        ]
        verdict = "turned" if taken else "not_executable" if turned else "unchanged"
        if taken:
            self.query = corrected.query
        self.tools.note(
            Step("direction", corrected.query, verdict, edits, time_s=time.perf_counter() - started)
        )

    def _findings(self) -> str | None:
        found = judge(self.query or "", self.case, self.tools)
        lines = [f"{number}. {finding.message}" for number, finding in enumerate(found, 1)]
        return self.masked.hide("\n".join(lines)) or None

    def _error(self, message: str | None) -> str:
        """What the database says of the query without its SMILES, so that positions fit what is shown."""
        planned = self.tools.graph.explain(self.masked.query)
        said = planned.message if planned.status != "ok" else message
        return self.masked.hide(said or "It cannot be run.")

    def _last_time(self) -> str:
        return f"\nYour last proposal was not taken: {self.note}." if self.note else ""

    def _note(self, role: str, verdict: str, findings: list[dict[str, str | None]], started: float) -> None:
        time_s = time.perf_counter() - started
        self.tools.note(Step(role, self.query, verdict, list(findings), time_s=time_s))
