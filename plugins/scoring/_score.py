"""One case's scores."""

from collections.abc import Mapping
from typing import Any

from kg.execution import Execution
from kg.questions import Question
from plugins.scoring._encoder import KeyMatcher
from plugins.scoring._multi_step import multi_step_scores
from plugins.scoring._single_step import single_step_scores
from plugins.scoring._text import text_scores

NAMES = (
    "precision",
    "recall",
    "f1",
    "per_key",
    "focus_f1",
    "row_f1",
    "unmatched_columns",
    "exact_path_precision",
    "exact_path_recall",
    "exact_path_f1",
    "partial_path_recall",
    "bleu",
    "meteor",
    "rouge_l",
)


def score(
    question: Question,
    execution: Execution | Mapping[str, Any],
    cypher: str | None,
    *,
    text_metrics: bool = True,
    key_encoder: KeyMatcher | None = None,
) -> dict[str, Any]:
    """Return the ``scores`` of a case's record; definitions in ``docs/scores.md``.

    Needs neither a graph nor a model. A status other than ``ok`` is scored as a result without rows.

    Args:
        question: The question with its gold answer.
        execution: What came of the query, as an object or as a record holds it.
        cypher: The query; None where there is none.
        text_metrics: Whether to compute BLEU, METEOR and ROUGE-L; else they are null.
        key_encoder: The opt-in encoder stage of key matching.

    Raises:
        GraphError: The tables of Cypher's grammar, by which query text is read, cannot be had.
    """
    columns, rows = _answer(execution)
    if question.setting == "single_step":
        found = single_step_scores(question, columns, rows, key_encoder)
    else:
        found = multi_step_scores(question, columns, rows)
    if text_metrics:
        found |= text_scores(question.reference_cypher, cypher)
    return {name: found.get(name) for name in NAMES}


def _answer(execution: Execution | Mapping[str, Any]) -> tuple[list[str], list[Any]]:
    """Return columns and rows; none of either where the query did not run to its end."""
    if isinstance(execution, Execution):
        status, columns, rows = execution.status, execution.columns, execution.rows
    else:
        status, columns, rows = (
            execution["status"],
            execution.get("columns") or [],
            execution.get("rows") or [],
        )
    return (columns, rows) if status == "ok" else ([], [])
