"""Scores and labels of a case, of a query on the way to its last, and of a fallback's rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from retrocypher.kg.questions.question import Question
from retrocypher.kg.semantics.schema import Schema
from retrocypher.plugins.scoring.columns import KeyMatcher
from retrocypher.plugins.scoring.labels import diagnose, labels_of
from retrocypher.plugins.scoring.score import score

_KEPT = ("f1", "precision", "recall", "row_f1", "focus_f1")


@dataclass(frozen=True, slots=True)
class Assessment:
    """What the query of a case is worth.

    Attributes:
        scores: The ``scores`` of the record.
        labels: Its ``errors``.
        finding: What the text of the query shows of the primary label; None where it shows nothing of it.
        passed: Whether F1 reaches the threshold.
    """

    scores: dict[str, Any]
    labels: list[str]
    finding: str | None
    passed: bool


@dataclass(frozen=True, slots=True)
class Assessor:
    """Assesses what came of queries; needs neither a graph nor a model.

    Attributes:
        schema: The schema of the graph that they ran on.
        threshold: F1 under which a case fails.
        key_encoder: Encoder stage of key matching, where asked for.
    """

    schema: Schema
    threshold: float
    key_encoder: KeyMatcher | None

    def case(self, question: Question, cypher: str | None, execution: Mapping[str, Any]) -> Assessment:
        """Return what the query of a case is worth.

        Args:
            question: The question with its gold answer.
            cypher: The query; None where there is none.
            execution: The record's ``execution``.

        Raises:
            GraphError: The tables of Cypher's grammar cannot be had.
        """
        scores = score(question, execution, cypher, key_encoder=self.key_encoder)
        found = diagnose(question, cypher, execution, scores, self.schema)
        return Assessment(scores, list(found.labels), found.message, self._passes(scores))

    def query(self, question: Question, cypher: str | None, execution: Mapping[str, Any]) -> dict[str, Any]:
        """Return the ``result`` that a round of a loop tells: status, scores and labels of its query."""
        scores = score(question, execution, cypher, text_metrics=False, key_encoder=self.key_encoder)
        return {
            "status": execution["status"],
            **{name: scores[name] for name in _KEPT},
            "passed": self._passes(scores),
            "errors": labels_of(question, cypher, execution, scores, self.schema),
        }

    def fallback(self, question: Question, fallback: Mapping[str, Any]) -> dict[str, Any]:
        """Return a fallback with scores of its own: they are never the scores of the case."""
        scores = score(question, fallback, None, text_metrics=False, key_encoder=self.key_encoder)
        return {
            **fallback,
            "scores": {name: scores[name] for name in _KEPT},
            "passed": self._passes(scores),
        }

    def _passes(self, scores: Mapping[str, Any]) -> bool:
        return bool(scores["f1"] >= self.threshold)
