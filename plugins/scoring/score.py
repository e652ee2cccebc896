"""The scores of a result."""

from collections.abc import Iterable, Sequence
from typing import Any

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Question
from retrocypher.plugins.runs.record import Fallback, Scores
from retrocypher.plugins.scoring.columns import KeyMatcher
from retrocypher.plugins.scoring.counts import compare_sets
from retrocypher.plugins.scoring.routes import Route, routes
from retrocypher.plugins.scoring.single_step import single_step_scores
from retrocypher.plugins.scoring.text import text_scores


def multi_step_scores(question: Question, columns: Sequence[str], rows: Iterable[Any]) -> Scores:
    """Return the scores of a result against the question's gold routes."""
    gold = {tuple(row["route"]) for row in question.gold}
    returned = routes(columns, rows)
    exact = compare_sets(returned, gold)
    return Scores(
        precision=exact.precision,
        recall=exact.recall,
        f1=exact.f1,
        exact_path_precision=exact.precision,
        exact_path_recall=exact.recall,
        exact_path_f1=exact.f1,
        partial_path_recall=partial_path_recall(returned, gold),
    )


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


def score(
    question: Question,
    execution: Execution | Fallback,
    cypher: str | None,
    *,
    text_metrics: bool = True,
    key_encoder: KeyMatcher | None = None,
) -> Scores:
    """Return the scores of a case; `docs/scores.md` defines them.

    Needs neither a graph nor a model. A status other than ``ok`` is scored as a result without rows.

    Args:
        text_metrics: Whether to compute BLEU, METEOR and ROUGE-L; else they are None.

    Raises:
        GraphError: The tables of Cypher's grammar, by which query text is read, cannot be had.
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
