"""Scores of a multi-step answer."""

from collections.abc import Iterable, Sequence
from typing import Any

from kg.questions import Question
from plugins.scoring._counts import compare_sets
from plugins.scoring._routes import Route, routes


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
