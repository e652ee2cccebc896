"""The loops ``self-review`` and ``self-review-control``: a team of roles, each with a text of its own.

After "A Multi-Stage Self-Review Framework for Translating Natural Language into Neo4j Cypher Queries". A
schema analyst describes the graph for the generator, which writes the first completion. A reviewer looks at
the query before it is run, with lists of what exists; a result analyst looks at its rows or error; a
corrector rewrites it by what either found. The control arm has the first two roles only.
"""

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from retrocypher.kg.execution.execution import Execution
from retrocypher.prompts.extraction.candidates import visible_text
from retrocypher.prompts.extraction.extract import extract_cypher, extract_json, texts, yes_or_no
from retrocypher.prompts.loops.existing import what_exists
from retrocypher.prompts.loops.interface import LoopCase, LoopQuestion, LoopResult, LoopTools, Step
from retrocypher.prompts.loops.proposal import NO_QUERY, SELF_REVIEW_TEXTS, decide
from retrocypher.prompts.models.interface import Completion, Message

_HINTS = Path(__file__).parent / "texts" / "self_review" / "hints.yaml"
_LONGEST_ROW = 1_000
_LONGEST_FEEDBACK = 4_000
_NOT_RUN = "The query has not been run yet."
_NO_REASON = "The query does not answer the question."
_MATCHES = re.compile(r"matches\s+intent\W*\b(yes|no)\b\W*", re.IGNORECASE)
_VERDICTS = {True: "accepted", False: "rejected", None: "malformed"}


@dataclass(frozen=True, slots=True)
class SelfReview:
    """The loops ``self-review`` and, without reviews, ``self-review-control``.

    Attributes:
        reviews: Whether the first query is reviewed; False for the control arm.
        rounds: How many corrections at most.
        rows: How many rows the result analyst and the corrector see at most.
    """

    name: str = "self-review"
    needs_model: bool = True
    validates: bool = False
    reviews: bool = True
    rounds: int = 3
    rows: int = 20

    def first_messages(self, case: LoopQuestion, tools: LoopTools) -> list[Message]:
        """Return what the generator reads: the prompt, with the analyst's description and a hint."""
        messages, text = _described(case, tools)
        verdict = "made" if text.strip() else "empty"
        # Its cost is reported once for the run: which case of which process asked is chance.
        tools.note(Step("analyst", None, verdict, messages=messages, answer=Completion(text), cached=True))
        *before, last = case.messages
        guidelines = ""
        if tools.guidelines:
            guidelines = SELF_REVIEW_TEXTS.text("guidelines", {"guidelines": tools.guidelines}) + "\n\n"
        values = {**_shown(case, text), "guidelines": guidelines, "request": last["content"]}
        return [*before, {**last, "content": SELF_REVIEW_TEXTS.text("generator", values)}]

    def run(self, case: LoopCase, tools: LoopTools) -> LoopResult:
        """Review, run and correct the query of the first completion until its result is accepted."""
        if not self.reviews:
            return LoopResult(case.cypher)
        work = _Work(case, tools, _shown(case, _described(case, tools)[1]), self.rows, case.cypher)
        left = self.rounds
        work.review()
        if work.feedback is not None:
            work.correct()
            left -= 1
        work.analyse()
        while work.feedback is not None and left:
            left -= 1
            if work.correct() and left:
                work.analyse()
        return LoopResult(work.query)


def _described(case: LoopQuestion, tools: LoopTools) -> tuple[list[Message], str]:
    """Return what the schema analyst is asked, and its description, which is made once a run."""
    messages = SELF_REVIEW_TEXTS.messages("analyst", {"schema": case.schema_text})
    key = json.dumps(["self-review schema", tools.player, messages])
    return messages, tools.once.get(key, lambda: tools.ask("analyst", messages))


def _shown(case: LoopQuestion, described: str) -> dict[str, str]:
    """Return what all roles read; the schema itself where there is no description of it."""
    return {
        "description": visible_text(described).strip() or case.schema_text,
        "hint": _hints()[case.convention].strip(),
        "question": case.question,
    }


@cache
def _hints() -> dict[str, str]:
    read: dict[str, str] = yaml.safe_load(_HINTS.read_text(encoding="utf-8"))
    return read


@dataclass(slots=True)
class _Work:
    """A query in the course of its review.

    Attributes:
        shown: What all roles read, by slot.
        rows: How many rows are shown at most.
        execution: Its result; None before it is run.
        feedback: What the last reviewer objects to; None where it accepts, or its reply cannot be read.
        note: Why the corrector's last proposal was not taken.
    """

    case: LoopCase
    tools: LoopTools
    shown: dict[str, str]
    rows: int
    query: str | None
    execution: Execution | None = None
    feedback: str | None = None
    note: str = ""

    def review(self) -> None:
        """Have the query reviewed before it is run, with lists of what exists."""
        exists = what_exists(self.case, self.query, self.tools.graph)
        values = {**self.shown, "exists": exists, "query": self.query or NO_QUERY}
        messages = SELF_REVIEW_TEXTS.messages("reviewer", values)
        answer = self.tools.ask("reviewer", messages)
        said = extract_json(answer.text) or {}
        issues = said.get("issues")
        found = (_finding(issue) for issue in (issues if isinstance(issues, list) else [issues]))
        findings = [finding for finding in found if finding["message"]]
        self._judged("reviewer", yes_or_no(said.get("accepted")), findings, messages, answer)

    def analyse(self) -> None:
        """Run the query, and have its result examined."""
        self.execution = execution = self.tools.graph.run(self.query)
        self.tools.note(Step.of_execution(self.query, execution))
        messages = SELF_REVIEW_TEXTS.messages("result_analyst", {**self.shown, **self._outcome()})
        answer = self.tools.ask("result_analyst", messages)
        text = visible_text(answer.text)
        found = _MATCHES.search(text)
        accepted = None if found is None else found[1].lower() == "yes"
        rest = text[found.end() :].strip() if found else ""
        self._judged("result_analyst", accepted, [{"message": rest}] if rest else [], messages, answer)

    def correct(self) -> bool:
        """Ask for a correction, take it unless there is a reason not to, and return whether it is taken."""
        note = f"\nYour last proposal was not taken: {self.note}." if self.note else ""
        values = {**self.shown, **self._outcome(), "feedback": self.feedback or "", "note": note}
        messages = SELF_REVIEW_TEXTS.messages("corrector", values)
        answer = self.tools.ask("corrector", messages)
        proposed, structured = _proposed(answer.text)
        graph = self.tools.graph
        now = self.execution or graph.explain(self.query)
        found = decide(proposed, self.query, now.status == "ok", self.case, graph)
        self.tools.note(found.step(messages, answer, {"structured": structured}))
        self.note = found.note
        if found.taken:
            self.query, self.execution = found.query, None
        return found.taken

    def _judged(
        self,
        role: str,
        accepted: bool | None,
        findings: list[dict[str, str]],
        messages: list[Message],
        answer: Completion,
    ) -> None:
        verdict = _VERDICTS[accepted]
        self.tools.note(Step(role, self.query, verdict, [*findings], messages=messages, answer=answer))
        # A reply that cannot be read finds nothing: it must not make a corrector change the query.
        self.feedback = None
        if accepted is False:
            said = "\n".join(f"- {finding['message']}" for finding in findings)
            self.feedback = said[:_LONGEST_FEEDBACK] or _NO_REASON

    def _outcome(self) -> dict[str, str]:
        """Return query and result as a role reads them."""
        query, execution = self.query or NO_QUERY, self.execution
        if execution is None:
            return {"query": query, "result": _NOT_RUN}
        if execution.status != "ok":
            said = f"status {execution.status}: {execution.message or ''}".strip(": ")
            return {"query": query, "result": said}
        rows = [
            json.dumps(dict(zip(execution.columns, row, strict=True)), ensure_ascii=False)[:_LONGEST_ROW]
            for row in execution.rows[: self.rows]
        ]
        more = execution.row_count - len(rows)
        count = f"{execution.row_count:,} rows" + (f", the first {self.rows} of them:" if more > 0 else ":")
        return {"query": query, "result": "\n".join([count, *rows])}


def _finding(issue: Any) -> dict[str, str]:
    """Return an issue of the reviewer's reply, with the dimension that it names."""
    if isinstance(issue, dict) and "problem" in issue:
        return {"dimension": str(issue.get("dimension", "")), "message": str(issue["problem"])}
    return {"message": "; ".join(texts(issue))}


def _proposed(answer: str) -> tuple[str | None, bool]:
    """Return the query in a correction, and whether it has the form that was asked for."""
    said = extract_json(answer) or {}
    query = next((said[key] for key in ("cypher", "query") if isinstance(said.get(key), str)), None)
    if query is None:
        return extract_cypher(answer), False
    return (extract_cypher(query) if "```" in query else query.strip() or None), True
