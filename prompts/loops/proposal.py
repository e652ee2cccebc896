"""Whether a query that a model proposes in a loop replaces the current one; the texts of the loops."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Literal

from retrocypher.kg.cypher.edits import string_literals
from retrocypher.kg.cypher.tokens import Token, tokens
from retrocypher.kg.graph.molecules import find_molecules
from retrocypher.kg.questions.question import Setting
from retrocypher.prompts.loops.interface import Graph, LoopCase, Step
from retrocypher.prompts.models.interface import Completion, Message
from retrocypher.prompts.templates.template import Texts

_FOLDER = Path(__file__).with_name("texts")
_TEXTS, _TABLE_TEXTS = Texts(_FOLDER), Texts(_FOLDER / "table")

SELF_REVIEW_TEXTS = Texts(_FOLDER / "self_review")


def text_hashes() -> dict[str, str]:
    """Return the SHA-256 of each text of the loops by its name."""
    reviewed = SELF_REVIEW_TEXTS.hashes().items()
    return {**_TEXTS.hashes(), **{f"self_review/{name}": sha256 for name, sha256 in reviewed}}


def messages_for(name: str, values: Mapping[str, str], setting: Setting) -> list[dict[str, str]]:
    """Return the messages of a text of the loops; table questions have texts without chemistry."""
    return (_TABLE_TEXTS if setting == "table" else _TEXTS).messages(name, values)


NO_QUERY = "(there is none)"
"""What a model reads in place of a query where there is none."""

_LONGEST = 1_500
"""Tokens of two queries that are compared token by token."""


Verdict = Literal[
    "taken",
    "no_query",
    "unchanged",
    "unknown_name",
    "other_molecule",
    "lost_molecule",
    "not_executable",
    "rejected",
]
_WHY: dict[Verdict, str] = {
    "no_query": "it held no query",
    "unchanged": "it was the query as it stood",
    "unknown_name": "it used a name that stands for nothing: {detail}",
    "other_molecule": "it used a text that is neither in the question nor in the query: {detail}",
    "lost_molecule": "it left out a molecule that the question names: {detail}",
    "not_executable": "the database cannot run it: {detail}",
    "rejected": "the query as it stood is valid, and the proposal is not: {detail}",
}


@dataclass(frozen=True, slots=True)
class Decision:
    """The decision on a proposed query.

    Attributes:
        verdict: Whether it is taken, or why not.
        detail: The names, molecules or message behind the verdict.
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
        """Whether it replaces the current query."""
        return self.verdict == "taken"

    @property
    def note(self) -> str:
        """Why it is not taken, for the model that proposed it."""
        return "" if self.taken else _WHY[self.verdict].format(detail=self.detail)

    def step(self, messages: list[Message], answer: Completion, *more: dict[str, Any]) -> Step:
        """Return the step of the corrector that proposed it; ``more`` are further findings."""
        detail = [{"detail": self.detail}] if self.detail else []
        findings = [*self.findings, *more, *detail]
        return Step("corrector", self.query, self.verdict, findings, messages=messages, answer=answer)


def decide(
    proposed: str | None, current: str | None, executable: bool, case: LoopCase, graph: Graph
) -> Decision:
    """Decide whether a proposed query, no longer masked, replaces the current one.

    A query that can be run (`executable`) is never replaced by one that cannot.
    """
    if proposed is None:
        return Decision(None, "no_query")
    if current is not None and _words(proposed) == _words(current):
        return Decision(proposed, "unchanged", executable=executable)
    edit = {"edit": edits_between(current, proposed)}
    asked = {mention.smiles for mention in find_molecules(case.question)} if case.of_reactions else set()
    had = {literal.value for literal in string_literals(current or "")}
    has = {literal.value for literal in string_literals(proposed)}
    # A query may write names of the schema as strings: ``type(r) = 'PRODUCES'``.
    known = {*asked, *had, *case.schema.labels, *case.schema.types, *case.schema.properties, ""}
    other = sorted(has - known)
    if not case.of_reactions:
        other = [each for each in other if each not in case.question]
    if other:
        return Decision(proposed, "other_molecule", ", ".join(other), findings=(edit,))
    if lost := sorted(asked & had - has):
        return Decision(proposed, "lost_molecule", ", ".join(lost), findings=(edit,))
    planned = graph.explain(proposed)
    if planned.status == "ok":
        return Decision(proposed, "taken", executable=True, findings=(edit,))
    fault = {"status": planned.status, "message": planned.message}
    verdict: Verdict = "not_executable" if executable else "taken"
    return Decision(proposed, verdict, planned.message or planned.status, False, (edit, fault))


def _words(query: str) -> list[str]:
    return [token.text for token in tokens(query)]


def edits_between(before: str | None, after: str) -> list[dict[str, str]]:
    """Return the changes from one query to another, each as the text it was and the text it is.

    Space and comments are not compared. Very long queries are one change.
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
    return " ".join(query[part[0].start : part[-1].stop].split()) if part else ""
