"""Scores and labels of a case, of a query of a loop, and of the rows of a fallback."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import cast

from msgspec import UnsetType

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Question
from retrocypher.kg.semantics.schema import Schema
from retrocypher.plugins.runs.record import (
    Explanation,
    Fallback,
    JsonValue,
    Record,
    ResultScores,
    RoundResult,
    Scores,
)
from retrocypher.plugins.scoring.columns import ID_KEY, KeyMatcher
from retrocypher.plugins.scoring.explanation import explain
from retrocypher.plugins.scoring.labels import diagnose, labels_of
from retrocypher.plugins.scoring.routes import multi_step_scores
from retrocypher.plugins.scoring.single_step import (
    Values,
    asks_for_reactions,
    single_step_scores,
    values_by_key,
)
from retrocypher.plugins.scoring.table import Atom, Counts, compare
from retrocypher.plugins.scoring.text import text_scores


def score(
    question: Question,
    execution: Execution | Fallback,
    cypher: str | None,
    *,
    text_metrics: bool = True,
    key_encoder: KeyMatcher | None = None,
) -> Scores:
    """Return the scores of a case, as `docs/scores.md` defines them.

    A status other than ``ok`` is scored as a result without rows. Raises GraphError if the tables of Cypher's
    grammar, which text metrics need, cannot be had.
    """
    ran = execution.status == "ok"
    columns, rows = (execution.columns, execution.rows) if ran else ([], [])
    if question.setting == "single_step":
        scores = single_step_scores(question, columns, rows, key_encoder)
    else:
        scores = multi_step_scores(question, columns, rows)
    if text_metrics:
        scores.bleu, scores.meteor, scores.rouge_l = text_scores(question.reference_cypher, cypher)
    return scores


def f1_of(returned: Mapping[str, Values], question: Question) -> float:
    """Return F1, from 0 to 1, of values that `values_by_key` has read, against the gold of a question."""
    gold = values_by_key(question, Execution("no_query"))
    total = Counts()
    for key, values in returned.items():
        if key != ID_KEY:
            expected = gold[key].gold if key in gold else frozenset()
            # Routes are tuples of ids, all other values atoms.
            total += compare(key, cast(Set[Atom], values.returned), cast(Set[Atom], expected))
    return total.f1


@dataclass(frozen=True, slots=True)
class Assessment:
    """The scores and labels of a case."""

    scores: Scores
    labels: list[str]
    """Error labels, the primary one first."""
    finding: str | None
    """What the text of the query shows of the primary label; None if it shows nothing of it."""
    passed: bool
    """Whether F1 reaches the threshold, and with it what ids tell."""
    category: str | None = None
    """CypherBench's error category of a table case with labels."""


def unscored(found: Mapping[str, JsonValue]) -> Fallback:
    """Return a fallback from its fields, with scores of 0."""
    return Fallback(**{**found, "scores": ResultScores(0.0, 0.0, 0.0, None, None)})


@dataclass(frozen=True, slots=True)
class Assessor:
    """Scores and labels results; needs neither a graph nor a model."""

    schema: Schema
    """The schema of the graph that the queries ran on."""
    threshold: float
    """F1 below which a case fails."""
    key_encoder: KeyMatcher | None
    """The opt-in encoder stage of key matching."""

    def case(self, question: Question, cypher: str | None, execution: Execution) -> Assessment:
        """Return scores and labels of a case; raises GraphError if Cypher's grammar cannot be had."""
        scores = score(question, execution, cypher, key_encoder=self.key_encoder)
        found = diagnose(question, cypher, execution, scores, self.schema)
        passed = self._passes(question, execution, scores)
        return Assessment(scores, list(found.labels), found.message, passed)

    def query(self, question: Question, cypher: str | None, execution: Execution) -> RoundResult:
        """Return status, scores and labels of a query of a loop."""
        scores = score(question, execution, cypher, text_metrics=False, key_encoder=self.key_encoder)
        return RoundResult(
            execution.status,
            *_numbers(scores),
            passed=self._passes(question, execution, scores),
            errors=labels_of(question, cypher, execution, scores, self.schema),
        )

    def fallback(self, question: Question, found: Mapping[str, JsonValue]) -> Fallback:
        """Return a fallback from its fields, with scores of its own, which never count for the case."""
        fallback = unscored(found)
        scores = score(question, fallback, None, text_metrics=False, key_encoder=self.key_encoder)
        fallback.scores = ResultScores(*_numbers(scores))
        fallback.passed = self._passes(question, fallback, scores)
        return fallback

    def explain(self, record: Record, question: Question, finding: str | None) -> Explanation | UnsetType:
        """Return the explanation to store on the record of a case; UNSET if nothing is wrong with it."""
        return explain(record, question, finding, self.key_encoder)

    def _passes(self, question: Question, execution: Execution | Fallback, scores: Scores) -> bool:
        """Return whether F1 is high enough, and that of ids that are asked for, and of rows that have ids."""
        needed = [scores.f1]
        if asks_for_reactions(question):
            needed.append(scores.focus_f1 or 0.0)
        if min(needed) < self.threshold:
            return False
        if scores.row_f1 is None or scores.row_f1 >= self.threshold:
            return True
        return not values_by_key(question, execution, self.key_encoder)[ID_KEY].returned


def _numbers(scores: Scores) -> tuple[float, float, float, float | None, float | None]:
    precision, recall = scores.precision or 0.0, scores.recall or 0.0
    return scores.f1, precision, recall, scores.row_f1, scores.focus_f1
