"""Scores where some questions cannot be answered: abstaining is right there, and wrong elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from msgspec import UNSET, UnsetType

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.runs.record import (
    ABSTAINED,
    Explanation,
    Fallback,
    JsonValue,
    Record,
    RoundResult,
    Scores,
)
from retrocypher.plugins.scoring.score import Assessment, unscored

LABEL = "answered_unanswerable"


class CaseAssessor(Protocol):
    """What scores and labels the results of a case."""

    def case(self, question: Question, cypher: str | None, execution: Execution) -> Assessment:
        """Return scores and labels of a case."""

    def query(self, question: Question, cypher: str | None, execution: Execution) -> RoundResult:
        """Return status, scores and labels of a query of a loop."""

    def fallback(self, question: Question, found: Mapping[str, JsonValue]) -> Fallback:
        """Return a fallback from its fields."""

    def explain(self, record: Record, question: Question, finding: str | None) -> Explanation | UnsetType:
        """Return the explanation to store on the record of a case."""


@dataclass(frozen=True, slots=True)
class AbstentionAssessor:
    """Scores questions that cannot be answered by whether the model abstained; others by another assessor."""

    answerable: CaseAssessor

    def case(self, question: Question, cypher: str | None, execution: Execution) -> Assessment:
        """Return scores and labels of a case."""
        if question.reference_cypher:
            return self.answerable.case(question, cypher, execution)
        passed = execution.message == ABSTAINED
        value = float(passed)
        scores = Scores(f1=value, precision=value, recall=value)
        if question.setting == "table":
            scores.ex = value
        return Assessment(scores, [] if passed else [LABEL], None, passed)

    def query(self, question: Question, cypher: str | None, execution: Execution) -> RoundResult:
        """Return status, scores and labels of a query of a loop; one of an unanswerable question is wrong."""
        if question.reference_cypher:
            return self.answerable.query(question, cypher, execution)
        return RoundResult(execution.status, 0.0, 0.0, 0.0, None, None, passed=False, errors=[LABEL])

    def fallback(self, question: Question, found: Mapping[str, JsonValue]) -> Fallback:
        """Return a fallback from its fields."""
        if question.reference_cypher:
            return self.answerable.fallback(question, found)
        return unscored(found)

    def explain(self, record: Record, question: Question, finding: str | None) -> Explanation | UnsetType:
        """Return the explanation to store on the record of a case; UNSET if there is no answer to compare."""
        return self.answerable.explain(record, question, finding) if question.reference_cypher else UNSET
