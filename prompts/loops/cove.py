"""The loop ``cove``, chain of verification: plan the query, correct directions, validate, have it corrected.

After the paper's section 5.3. A query that can be planned has its directions corrected by rule; another goes
to a model with the error message, with its molecules masked. The validator's findings go to the same model
for minimal edits. At most three corrections.
"""

import re
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from retrocypher.kg.cypher.edits import Edit, apply_edits, quote, string_literals
from retrocypher.kg.cypher.tokens import TokenKind, tokens
from retrocypher.kg.graph.molecules import find_molecules
from retrocypher.kg.semantics.direction import correct_directions
from retrocypher.prompts.extraction.extract import extract_cypher
from retrocypher.prompts.loops.interface import LoopCase, LoopResult, LoopTools, Step
from retrocypher.prompts.loops.proposal import NO_QUERY, Decision, decide, messages_for
from retrocypher.prompts.validation.checklist import checklist_for, read_checklist_answer
from retrocypher.prompts.validation.finding import Finding
from retrocypher.prompts.validation.question import read_question

_NOTHING_FOUND = "The answer held no query."
_SHORTEST = 5
"""Shorter SMILES are not looked for outside of string literals: they are parts of words."""


@dataclass(frozen=True, slots=True)
class Cove:
    """The loop ``cove``, with at most this many corrections."""

    name: str = "cove"
    needs_model: bool = True
    validates: bool = True
    corrections: int = 3

    def run(self, case: LoopCase, tools: LoopTools) -> LoopResult:
        """Correct the query of the first completion until nothing is found wrong with it."""
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
        executable: Whether the database can run it.
        accepted: Whether the schema validator found nothing wrong with it; False where it did not look.
        problem: What is wrong with it, for the corrector; None where nothing was found.
        note: Why the corrector's last proposal was not taken.
    """

    case: LoopCase
    tools: LoopTools
    query: str | None = None
    executable: bool = False
    accepted: bool = False
    problem: str | None = None
    note: str = ""
    masked: "Masked" = field(init=False)

    def examine(self, query: str | None, *, validate: bool = True) -> None:
        """Take a query and find out what is wrong with it."""
        self.query, self.note = query, ""
        started = time.perf_counter()
        planned = self.tools.graph.explain(query)
        self.executable = planned.status == "ok"
        fault: list[dict[str, Any]] = (
            [] if self.executable else [{"code": planned.code, "message": planned.message}]
        )
        time_s = time.perf_counter() - started
        self.tools.note(Step("explain", self.query, planned.status, fault, time_s=time_s))
        if self.executable:
            self._turn()
        masks = self.case.of_reactions and not self.executable
        self.masked = (mask if masks else Masked.plain)(self.case.question, self.query or "")
        self.accepted = False
        if self.executable:
            self.problem = self._findings() if validate else None
        else:
            self.problem = self._error(planned.message) if query is not None else _NOTHING_FOUND

    def correct(self, *, last: bool) -> None:
        """Ask for a correction once, and take it unless there is a reason not to."""
        messages = messages_for(
            "correct_findings" if self.executable else "correct_error",
            {
                "schema": self.case.schema_text,
                "example": self.masked.example,
                "question": self.masked.question,
                "query": self.masked.query or NO_QUERY,
                "problem": self.problem or "",
                "note": f"\nYour last proposal was not taken: {self.note}." if self.note else "",
            },
            self.case.setting,
        )
        answer = self.tools.ask("corrector", messages)
        found = self._decision(extract_cypher(answer.text))
        self.tools.note(found.step(messages, answer))
        if found.taken:
            self.examine(found.query, validate=not last)
        else:
            self.note = self.masked.hide(found.note)

    def _decision(self, proposed: str | None) -> Decision:
        if proposed is not None:
            unknown = self.masked.unknown_names(proposed)
            proposed = self.masked.restore(proposed)
            if unknown:
                return Decision(proposed, "unknown_name", ", ".join(unknown))
        found = decide(proposed, self.query, self.executable, self.case, self.tools.graph)
        return self._reject(found) if found.taken and self.accepted else found

    def _reject(self, found: Decision) -> Decision:
        """Refuse a correction that the schema validator calls wrong, although it accepts the query."""
        turned = correct_directions(found.query or "", self.case.schema).query
        said = self.tools.rules.validate(turned, self.case.question)
        return found if said.valid else replace(found, verdict="rejected", detail=said.findings[0].message)

    def _turn(self) -> None:
        """Turn arrows that contradict the schema, unless the query could then no longer be run."""
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
        found = self._validate()
        lines = [f"{number}. {finding.message}" for number, finding in enumerate(found, 1)]
        return self.masked.hide("\n".join(lines)) or None

    def _validate(self) -> list[Finding]:
        """What the validators of the run find in an executable query, each noted on the record.

        A reply that cannot be understood finds nothing: it must not make a corrector change the query.
        """
        query, found = self.query or "", list[Finding]()
        if self.tools.validator in ("schema", "both"):
            found += _by_schema(query, self.case, self.tools)
            self.accepted = not found
        if self.tools.validator in ("checklist", "both"):
            found += [each for each in _by_checklist(query, self.case, self.tools) if each not in found]
        return found

    def _error(self, message: str | None) -> str:
        """Plan the masked query, so that positions in the message fit the text that the model reads."""
        planned = self.tools.graph.explain(self.masked.query)
        said = planned.message if planned.status != "ok" else message
        return self.masked.hide(said or "It cannot be run.")


def _by_schema(query: str, case: LoopCase, tools: LoopTools) -> Sequence[Finding]:
    started = time.perf_counter()
    said = tools.rules.validate(query, case.question)
    notes = {"note": said.note, "not_read": said.not_read}
    findings = [asdict(finding) for finding in said.findings]
    findings += [{name: text} for name, text in notes.items() if text]
    tools.note(Step("validator:schema", query, said.verdict, findings, time_s=time.perf_counter() - started))
    return said.findings


def _by_checklist(query: str, case: LoopCase, tools: LoopTools) -> Sequence[Finding]:
    items = checklist_for(case.setting, read_question(case.question).intent, case.convention)
    messages = messages_for(
        "checklist",
        {
            "schema": case.schema_text,
            "checklist": "\n".join(f"{number}. {item.text}" for number, item in enumerate(items, 1)),
            "question": case.question,
            "query": query,
        },
        case.setting,
    )
    answer = tools.ask("validator", messages)
    said = read_checklist_answer(answer.text, items)
    verdict = {True: "valid", False: "invalid", None: "malformed"}[said.valid]
    findings = [asdict(finding) for finding in said.findings]
    tools.note(Step("validator:checklist", query, verdict, findings, messages=messages, answer=answer))
    return said.findings


@dataclass(frozen=True, slots=True)
class Masked:
    """A question and a query with names in place of SMILES; one molecule has one name in both.

    Attributes:
        literals: For each name, its literal in Cypher, quotes included.
        values: For each name, its text.
    """

    question: str
    query: str
    literals: dict[str, str]
    values: dict[str, str]
    _pattern: re.Pattern[str]

    @classmethod
    def plain(cls, question: str, query: str) -> "Masked":
        """Return a question and a query as they are: only SMILES have to be masked."""
        return cls(question, query, {}, {}, re.compile(r"(?!)"))

    @property
    def example(self) -> str:
        """One of the names, as an example."""
        return next(iter(self.literals), "MOLECULE_1")

    def hide(self, text: str) -> str:
        """Mask another text, such as an error message."""
        named = {raw: name for name, raw in self.literals.items()}
        named |= {value: name for name, value in self.values.items() if len(value) >= _SHORTEST}
        return _replaced(text, named)

    def unknown_names(self, query: str) -> list[str]:
        """Return names in a query that have the form of ours but stand for nothing."""
        return sorted(name for name in set(self._pattern.findall(query)) if name not in self.literals)

    def restore(self, query: str) -> str:
        """Replace names in a query by their literals, within quotes or without."""
        edits: list[Edit] = []
        found = tokens(query)
        for place, token in enumerate(found):
            name = token.text[1:-1] if token.kind is TokenKind.STRING else token.text
            if name in self.literals and token.kind in (TokenKind.STRING, TokenKind.IDENTIFIER):
                # A model that writes a name as a parameter means the text.
                dollar = place > 0 and found[place - 1].name == "DOLLAR"
                start = found[place - 1].start if dollar else token.start
                edits.append(Edit(start, token.stop, self.literals[name]))
        return apply_edits(query, edits)


def mask(question: str, query: str) -> Masked:
    """Mask the molecules of a question and the string literals of a query, which may be broken."""
    prefix = _free_prefix(question + query)
    mentions = find_molecules(question)
    names: dict[str, str] = {}
    for mention in mentions:
        names.setdefault(mention.smiles, f"{prefix}_{len(names) + 1}")
    found = string_literals(query)
    # As first written in the query, so that restoring changes no character.
    literals = {name: quote(smiles) for smiles, name in names.items()}
    written: dict[str, str] = {}
    for at in found:
        name = names.get(at.value)
        if name is not None and name not in written.values():
            literals[name] = at.raw
            written[at.raw] = name
        elif at.raw not in written:
            written[at.raw] = f"{prefix}_{len(literals) + 1}"
            literals[written[at.raw]] = at.raw
    values = {name: smiles for smiles, name in names.items()}
    values |= {written[at.raw]: at.value for at in found}
    masked = apply_edits(query, [Edit(at.start, at.stop, f"'{written[at.raw]}'") for at in found])
    # Where a quote is broken, SMILES stand outside of any literal.
    masked = _replaced(masked, {smiles: name for smiles, name in names.items() if len(smiles) >= _SHORTEST})
    return Masked(
        question=apply_edits(question, [Edit(at.start, at.stop, names[at.smiles]) for at in mentions]),
        query=masked,
        literals=literals,
        values=values,
        _pattern=re.compile(rf"\b{prefix}_\d+\b"),
    )


def _free_prefix(text: str) -> str:
    prefix = "MOLECULE"
    while prefix in text:
        prefix += "X"
    return prefix


def _replaced(text: str, names: dict[str, str]) -> str:
    if not names:
        return text
    longest_first = sorted(names, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest_first)), lambda match: names[match[0]], text)
