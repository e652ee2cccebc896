"""What comes of a reference query, from the gold answer of its question."""

from collections.abc import Mapping
from typing import Any

from kg.questions import Question

_ROUTES = "reaction_nodes"
"""The column in which references of routes return them."""


def gold_execution(question: Question) -> dict[str, Any]:
    """Return the execution of a question's reference as in a record, without a graph.

    A gold answer is what the reference returned when the question was made. Rows of the graph differ in their
    order, and in the ids that a database gives its nodes.
    """
    columns = list(question.gold[0]) if question.gold else []
    rows = [[row[name] for name in columns] for row in question.gold]
    if columns == ["route"]:
        columns, rows = [_ROUTES], [[[_reaction(number) for number in row["route"]]] for row in question.gold]
    return {
        "status": "ok",
        "code": None,
        "message": None,
        "columns": columns,
        "rows": rows,
        "row_count": len(rows),
        "truncated": False,
        "time_s": 0.0,
    }


def _reaction(number: int) -> Mapping[str, Any]:
    return {"$node": {"id": str(number), "labels": ["Reaction"], "properties": {"id": number}}}
