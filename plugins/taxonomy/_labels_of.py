"""The labels of one case."""

from collections.abc import Mapping
from typing import Any

from kg.questions import Question
from kg.reading import read_query
from kg.schema import Schema
from plugins.taxonomy._asked import asked_of
from plugins.taxonomy._evidence import evidence
from plugins.taxonomy._perfect import is_perfect
from plugins.taxonomy._precedence import ranked, with_status
from plugins.taxonomy._rows import row_labels
from prompts.validation import critique


def labels_of(
    question: Question,
    cypher: str | None,
    execution: Mapping[str, Any],
    scores: Mapping[str, Any],
    schema: Schema,
) -> list[str]:
    """Return what is wrong with a case, the primary label first; none where nothing is.

    Something is wrong where the query did not run to its end, or where ``f1`` or ``row_f1`` is under 1. So
    a case can pass, with all values right, and still have labels: those of a result whose values do not
    stand in the rows of their reactions. The reference query is not looked at. The same arguments give the
    same labels.

    Args:
        question: The question with its slots and gold answer.
        cypher: The query; None where there is none.
        execution: The record's ``execution``.
        scores: The record's ``scores``.
        schema: The schema of the graph that the query ran on.

    Returns:
        Labels of ``kg.labels``, with details where they have one.

    Raises:
        GraphError: The tables of Cypher's grammar cannot be had.
    """
    status = execution["status"]
    if status == "ok" and is_perfect(scores):
        return []
    if cypher is None:
        return ["no_query"]
    if status in ("no_query", "refused"):
        return [status]
    reading = read_query(cypher, schema)
    findings = critique(reading, asked_of(question), schema, "benchmark")
    # The server has the last word on what is Cypher.
    found = [finding.label for finding in findings if finding.label != "syntax_error"]
    shown = evidence(question, execution, scores)
    if status == "syntax_error" and reading.parsed.errors:
        # What is left of a broken query is no evidence of anything but a string that broke it.
        found = [label for label in found if label == "altered_smiles"]
        return [*found, status]
    labels = ranked([*found, *row_labels(question, shown, scores)], shown, scores)
    if status != "ok":
        return with_status(labels, status)
    return labels or ["other"]
