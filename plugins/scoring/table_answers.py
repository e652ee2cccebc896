"""Scores and labels of table questions: the rows of a query against those of the reference query.

- **EX** and **PSJS** are CypherBench's (`graph_metrics`).
- **Precision, recall and F1** count rows as a multiset; a row is the multiset of its values, so that neither
  names nor order of columns matter. EX of 1 implies an F1 of 1; the order of rows counts for EX only.

The reference query runs on the live graph, once for each distinct text in a process.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec import UnsetType

from retrocypher.kg.cypher.edits import string_literals
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.cypher.tokens import TokenKind, tokens
from retrocypher.kg.errors import GraphError
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.labels.error_labels import name_of
from retrocypher.kg.questions.question import Question, TableFacts
from retrocypher.kg.semantics.direction import correct_directions
from retrocypher.kg.semantics.reader import read_query
from retrocypher.kg.semantics.result_order import without_cut
from retrocypher.kg.semantics.schema import Schema
from retrocypher.plugins.runs.record import (
    Explanation,
    Fallback,
    JsonValue,
    Record,
    RoundResult,
    Scores,
)
from retrocypher.plugins.scoring.error_category import error_category
from retrocypher.plugins.scoring.explanation import explain
from retrocypher.plugins.scoring.graph_metrics import GraphMetrics, RowComparison
from retrocypher.plugins.scoring.labels import CAUSES_FIRST, Diagnosis, not_read, with_status
from retrocypher.plugins.scoring.score import Assessment, unscored
from retrocypher.plugins.scoring.table import Counts
from retrocypher.plugins.scoring.text import text_scores
from retrocypher.prompts.validation.validator import find_issues


@dataclass(frozen=True, slots=True)
class TableAssessor:
    """Scores and labels results of table questions; runs reference queries."""

    schema: Schema
    """The schema of the graph that the queries ran on."""
    threshold: float
    """Value of the headline metric below which a case fails."""
    headline: str
    """The metric that decides whether a case passes."""
    metrics: GraphMetrics

    def case(self, question: Question, cypher: str | None, execution: Execution) -> Assessment:
        """Return scores and labels of a case; raises GraphError if the reference query cannot be run."""
        scores, rows = self._scores(question, cypher, execution)
        scores.bleu, scores.meteor, scores.rouge_l = text_scores(question.reference_cypher, cypher)
        found = _diagnose(question, cypher, execution, self.schema, scores, rows)
        category = None
        if found.labels:
            category = error_category(
                cypher, question.reference_cypher, execution.status, found.labels, scores, self.schema
            )
        return Assessment(scores, list(found.labels), found.message, self._passes(scores), category)

    def query(self, question: Question, cypher: str | None, execution: Execution) -> RoundResult:
        """Return status, scores and labels of a query of a loop."""
        scores, rows = self._scores(question, cypher, execution)
        return RoundResult(
            execution.status,
            scores.f1,
            scores.precision or 0.0,
            scores.recall or 0.0,
            None,
            None,
            passed=self._passes(scores),
            errors=list(_diagnose(question, cypher, execution, self.schema, scores, rows).labels),
        )

    def fallback(self, question: Question, found: Mapping[str, JsonValue]) -> Fallback:
        """Return a fallback from its fields; its rows answer no table question and score 0."""
        return unscored(found)

    def explain(self, record: Record, question: Question, finding: str | None) -> Explanation | UnsetType:
        """Return the explanation to store on the record of a case; UNSET if nothing is wrong with it."""
        return explain(record, question, finding, None)

    def _passes(self, scores: Scores) -> bool:
        value = scores.value(self.headline)
        return value is not None and value >= self.threshold

    def _scores(
        self, question: Question, cypher: str | None, execution: Execution
    ) -> tuple[Scores, RowComparison]:
        readings = question.table.readings if isinstance(question.table, TableFacts) else ()
        found = [
            self._of_reading(question.id, each, cypher, execution)
            for each in (question.reference_cypher, *readings)
        ]
        # Any valid reading of an ambiguous question will do.
        return max(found, key=lambda each: (each[0].ex or 0.0, each[0].f1, each[0].psjs or 0.0))

    def _of_reading(
        self, name: str, reference: str, cypher: str | None, execution: Execution
    ) -> tuple[Scores, RowComparison]:
        rows = self.metrics.compare_rows(reference, cypher, execution)
        if isinstance(rows, str):
            raise GraphError(f"The reference query of {name} has no complete result: {rows}")
        found = self.metrics.measure(reference, cypher, execution)
        scores = Scores(f1=0.0, precision=0.0, recall=0.0, ex=found.ex, psjs=found.psjs, executable=0.0)
        if execution.status == "ok":
            counts = Counts(rows.shared, rows.returned - rows.shared, rows.expected - rows.shared)
            scores.f1, scores.precision, scores.recall = counts.f1, counts.precision, counts.recall
            scores.executable = 1.0
        return scores, rows


def _diagnose(
    question: Question,
    cypher: str | None,
    execution: Execution,
    schema: Schema,
    scores: Scores,
    rows: RowComparison,
) -> Diagnosis:
    """Return the labels of a case, from the schema, the text of the query and the rows.

    Those that rest on reactions are not among them.
    """
    status = execution.status
    if scores.ex == 1.0:
        return Diagnosis()
    if cypher is None:
        return Diagnosis(("no_query",))
    if status in ("no_query", "refused"):
        return Diagnosis((status,))
    reading = read_query(cypher, schema)
    findings = find_issues(reading, schema)
    if status == "syntax_error" and reading.parsed.errors:
        return Diagnosis((status,))
    found = [each.label for each in findings if name_of(each.label) in CAUSES_FIRST]
    if _lacks_an_entity(question, cypher):
        found.append("wrong_entity")
    unread = reading.parsed.unread
    if unread is None and (without_cut(reading.parsed) is None) != (
        without_cut(parse(question.reference_cypher)) is None
    ):
        found.append("limit")
    if correct_directions(reading.parsed, schema).turned:
        found.append("traversal_direction")
    found = sorted(dict.fromkeys(found), key=lambda label: CAUSES_FIRST.index(name_of(label)))
    if status == "ok":
        # Of a result that is too large no rows are known.
        seen = [] if execution.truncated and not rows.returned else _seen_in_rows(rows)
        found += [label for label in seen if label not in found]
        labels = found or ["other"]
    else:
        labels = with_status(found, status, execution.code)
    message = next((each.message for each in findings if each.label == labels[0]), None)
    message = message if unread is None else not_read(unread)
    return Diagnosis(tuple(labels), message)


def _lacks_an_entity(question: Question, cypher: str) -> bool:
    """Whether the query does not have the name of a node that the question names."""
    if not isinstance(question.table, TableFacts):
        return False
    written = {literal.value for literal in string_literals(cypher)}
    # A name may be a number, which is written without quotes.
    written |= {token.text for token in tokens(cypher) if token.kind is TokenKind.NUMBER}
    return any(entity.partition(":")[2] not in written for entity in question.table.entities)


def _seen_in_rows(rows: RowComparison) -> list[str]:
    if not rows.returned:
        return ["empty_result"]
    if rows.width_differs:
        return ["return_shape"]
    if rows.same_rows and rows.returned == rows.expected:
        # The same rows, and yet another result: it is their order, or which column has which value.
        return ["wrong_aggregation_or_order"]
    return ["duplicate_or_incomplete"] if rows.same_rows else []
