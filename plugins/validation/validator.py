"""The schema validator: the verdict on a query by its text, the question's text and the schema."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from retrocypher.kg.interpreter.values import NotInterpretedError
from retrocypher.kg.labels.error_labels import name_of
from retrocypher.kg.semantics.reader import read_query
from retrocypher.kg.semantics.schema import Schema
from retrocypher.plugins.scoring.trial import can_be_tried, try_query
from retrocypher.prompts.validation.finding import (
    CONVENTIONS,
    Convention,
    Finding,
    QuestionIntent,
    Validation,
)
from retrocypher.prompts.validation.question import read_question
from retrocypher.prompts.validation.reaction_graph import load_domain
from retrocypher.prompts.validation.validator import find_issues

_REFUSED: Final = frozenset({"no_query", "syntax_error", "refused"})
"""Labels of what the server would not run."""


@dataclass(frozen=True, slots=True)
class SchemaValidator:
    """Judges a query by its text, the question's text and the schema: without gold, rows or a model.

    Raises ValueError if there is no such convention.
    """

    schema: Schema
    convention: Convention

    def __post_init__(self) -> None:
        if self.convention not in CONVENTIONS:
            raise ValueError(f"convention {self.convention!r} is none of {', '.join(CONVENTIONS)}")

    def validate(self, query: str, question: str) -> Validation:
        """Return whether a query, which may be any text, answers a question, and what is wrong with it.

        A query is tried on small graphs that are made for the question, and is valid if it is right on all
        of them. Where it cannot be tried, only the schema and the molecules of the question are looked at,
        and the verdict says what was not read.
        """
        reading, asked = read_query(query, self.schema), read_question(question)
        found = find_issues(reading, self.schema, [molecule.name for molecule in asked.molecules])
        if any(name_of(finding.label) in _REFUSED for finding in found):
            return _verdict(found, asked)
        unread = self._untried(asked)
        if unread is not None:
            return _verdict(found, asked, unread)
        try:
            wrong = try_query(reading.parsed, asked, self.convention)
        except NotInterpretedError as error:
            return _verdict(found, asked, str(error))
        return _verdict([] if wrong is None else [*found, wrong], asked)

    def _untried(self, asked: QuestionIntent) -> str | None:
        """What keeps any query from being tried; None where nothing does."""
        if not load_domain().fits(self.schema):
            return "what the question asks for, since the graph is no reaction graph"
        if asked.intent is None:
            return "what the question asks for"
        return None if can_be_tried(asked) else "routes of any number of steps, or so many steps or products"


def _verdict(findings: Sequence[Finding], asked: QuestionIntent, unread: str = "") -> Validation:
    return Validation(not findings, tuple(findings), asked, asked.note, unread)
