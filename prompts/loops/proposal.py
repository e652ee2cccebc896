"""Whether a query that a model proposes may take the place of the one there is."""

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Literal

from retrocypher.kg.cypher.edits import string_literals
from retrocypher.kg.cypher.tokens import Token, tokens
from retrocypher.kg.graph.molecules import find_molecules
from retrocypher.prompts.loops.interface import Graph, LoopCase, LoopTools, Step, ValidatorName
from retrocypher.prompts.templates.template import Texts
from retrocypher.prompts.validation.finding import Finding
from retrocypher.prompts.validation.question import read_question
from retrocypher.prompts.validation.validator import SchemaValidator, checklist_for, read_checklist_answer

_LONGEST = 1_500


def edits_between(before: str | None, after: str) -> list[dict[str, str]]:
    """Return the changes that make one query of another, each as the text it was and the text it is.

    Space and comments are not compared. Very long queries are one change.

    Args:
        before: A query; None where there was none.
        after: What became of it.
    """
    old, new = tokens(before or ""), tokens(after)
    if not old or len(old) + len(new) > _LONGEST:
        return [{"was": before or "", "is": after}]
    matcher = SequenceMatcher(None, [each.text for each in old], [each.text for each in new], autojunk=False)
    return [
        {
            "was": _written(before or "", old[first:last]),
            "is": _written(after, new[start:stop]),
        }
        for kind, first, last, start, stop in matcher.get_opcodes()
        if kind != "equal"
    ]


def _written(query: str, part: Sequence[Token]) -> str:
    """What a run of tokens looks like in its query, on one line."""
    return " ".join(query[part[0].start : part[-1].stop].split()) if part else ""


Verdict = Literal[
    "taken", "no_query", "unchanged", "unknown_name", "other_molecule", "lost_molecule", "not_executable"
]
_WHY: dict[Verdict, str] = {
    "no_query": "it held no query",
    "unchanged": "it was the query as it stood",
    "unknown_name": "it used a name that stands for nothing: {detail}",
    "other_molecule": "it used a text that is neither in the question nor in the query: {detail}",
    "lost_molecule": "it left out a molecule that the question names: {detail}",
    "not_executable": "the database cannot run it: {detail}",
}


@dataclass(frozen=True, slots=True)
class Considered:
    """A proposal and what was decided on it.

    Attributes:
        query: The proposed query; None where there is none.
        verdict: Whether it is taken, or why not.
        detail: What the verdict is about.
        executable: Whether the database can run it.
        findings: For the record.
    """

    query: str | None
    verdict: Verdict
    detail: str = ""
    executable: bool = False
    findings: tuple[dict[str, Any], ...] = ()

    @property
    def taken(self) -> bool:
        """Whether it takes the place of the query there is."""
        return self.verdict == "taken"

    @property
    def note(self) -> str:
        """What to tell the model that proposed it."""
        return "" if self.taken else _WHY[self.verdict].format(detail=self.detail)


def consider(
    proposed: str | None, current: str | None, executable: bool, case: LoopCase, graph: Graph
) -> Considered:
    """Decide on a proposal, with nothing masked any more.

    A query that can be run is never given up for one that cannot; one that cannot may be replaced by another.

    Args:
        proposed: The proposed query; None where the answer holds none.
        current: The query there is.
        executable: Whether that one can be run.
        case: What the loop started from.
        graph: Where the proposal is planned.

    Raises:
        GraphError: The graph cannot be asked.
    """
    if proposed is None:
        return Considered(None, "no_query")
    if current is not None and _same(proposed, current):
        return Considered(proposed, "unchanged", executable=executable)
    edit = {"edit": edits_between(current, proposed)}
    asked = {mention.smiles for mention in find_molecules(case.question)}
    had = {literal.value for literal in string_literals(current or "")}
    has = {literal.value for literal in string_literals(proposed)}
    known = asked | had | _names(case)
    if other := sorted(has - known):
        return Considered(proposed, "other_molecule", ", ".join(other), findings=(edit,))
    if lost := sorted(asked & had - has):
        return Considered(proposed, "lost_molecule", ", ".join(lost), findings=(edit,))
    planned = graph.explain(proposed)
    if planned.status == "ok":
        return Considered(proposed, "taken", executable=True, findings=(edit,))
    fault = {"status": planned.status, "message": planned.message}
    verdict: Verdict = "not_executable" if executable else "taken"
    return Considered(proposed, verdict, planned.message or planned.status, False, (edit, fault))


def _same(one: str, other: str) -> bool:
    return [token.text for token in tokens(one)] == [token.text for token in tokens(other)]


def _names(case: LoopCase) -> set[str]:
    """Names of the schema, which a query may write as strings: ``type(r) = 'PRODUCES'``."""
    schema = case.schema
    return {*schema.labels, *schema.types, *schema.properties, ""}


_TEXTS = Texts(Path(__file__).with_name("texts"))

messages_for = _TEXTS.messages
text_hashes = _TEXTS.hashes


_NAMES: dict[ValidatorName, tuple[ValidatorName, ...]] = {
    "schema": ("schema",),
    "checklist": ("checklist",),
    "both": ("schema", "checklist"),
}


def judge(query: str, case: LoopCase, tools: LoopTools) -> list[Finding]:
    """Have the validators of a run look at a query, and put what each says on the record.

    An answer that cannot be understood finds nothing: it must not set a corrector to work.

    Args:
        query: A query that can be run.
        case: What the loop started from.
        tools: Among them which validator to use.

    Raises:
        ModelError: The model behind the checklist cannot be asked.
        GraphError: The tables of Cypher's grammar cannot be had.
    """
    found: list[Finding] = []
    for name in _NAMES[tools.validator]:
        look = _by_schema if name == "schema" else _by_checklist
        found += [finding for finding in look(query, case, tools) if finding not in found]
    return found


def _by_schema(query: str, case: LoopCase, tools: LoopTools) -> Sequence[Finding]:
    started = time.perf_counter()
    said = SchemaValidator(case.schema, case.convention).validate(query, case.question)
    findings = [asdict(finding) for finding in said.findings] + ([{"note": said.note}] if said.note else [])
    verdict = "valid" if said.valid else "invalid"
    tools.note(Step("validator:schema", query, verdict, findings, time_s=time.perf_counter() - started))
    return said.findings


def _by_checklist(query: str, case: LoopCase, tools: LoopTools) -> Sequence[Finding]:
    items = checklist_for(case.setting, read_question(case.question).intent)
    messages = messages_for(
        "checklist",
        {
            "schema": case.schema_text,
            "checklist": "\n".join(f"{number}. {item.text}" for number, item in enumerate(items, 1)),
            "question": case.question,
            "query": query,
        },
    )
    answer = tools.ask("validator", messages)
    said = read_checklist_answer(answer.text, items)
    verdict = {True: "valid", False: "invalid", None: "malformed"}[said.valid]
    findings = [asdict(finding) for finding in said.findings]
    tools.note(Step("validator:checklist", query, verdict, findings, messages=messages, answer=answer))
    return said.findings
