"""Whether a query that a model proposes may take the place of the one there is."""

from dataclasses import dataclass
from typing import Any, Literal

from kg.cypher import string_literals, tokens
from prompts.loops._edit_text import edits_between
from prompts.loops._interface import Graph, LoopCase
from prompts.validation import find_molecules

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
