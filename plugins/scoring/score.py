"""One case's scores."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.scoring.columns import KeyMatcher
from retrocypher.plugins.scoring.counts import compare_sets
from retrocypher.plugins.scoring.routes import Route, routes
from retrocypher.plugins.scoring.single_step import single_step_scores
from retrocypher.plugins.scoring.text import text_scores


def multi_step_scores(question: Question, columns: Sequence[str], rows: Iterable[Any]) -> dict[str, Any]:
    """Return the scores of a result against the question's gold routes."""
    gold = {tuple(row["route"]) for row in question.gold}
    returned = routes(columns, rows)
    exact = compare_sets(returned, gold)
    return {
        "precision": exact.precision,
        "recall": exact.recall,
        "f1": exact.f1,
        "exact_path_precision": exact.precision,
        "exact_path_recall": exact.recall,
        "exact_path_f1": exact.f1,
        "partial_path_recall": partial_path_recall(returned, gold),
    }


def partial_path_recall(returned: set[Route], gold: set[Route]) -> float:
    """Return the mean, over gold routes, of the longest common suffix with a returned route ÷ its length.

    The suffix ends at the target. In [0, 1]; 1 where there is no route on either side.
    """
    if not gold:
        return 0.0 if returned else 1.0
    longest = max(len(route) for route in gold)
    suffixes = {route[-length:] for route in returned for length in range(1, min(len(route), longest) + 1)}
    total = 0.0
    for route in gold:
        lengths = range(len(route), 0, -1)
        total += next((length for length in lengths if route[-length:] in suffixes), 0) / len(route)
    return total / len(gold)


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
