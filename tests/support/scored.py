"""Questions with a gold answer, and the scores of rows."""

from typing import Any

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Question, setting_of
from retrocypher.plugins.runs.record import Scores
from retrocypher.plugins.scoring.columns import KeyMatcher
from retrocypher.plugins.scoring.score import score

REFERENCE = (
    "MATCH (r:Reaction)-[:PRODUCES]->(m:Molecule {name: 'CC(=O)O'}) RETURN r.id AS id, m.name AS product"
)


def question_of(task: str, gold: list[dict[str, Any]], slots: dict[str, Any] | None = None) -> Question:
    """Return a question of a task with a gold answer."""
    steps = len(gold[0]["route"]) if gold and "route" in gold[0] else 1
    return Question("q", task, setting_of(task), steps, "", slots or {}, REFERENCE, gold, "P", True)


def scored(
    question: Question, columns: list[str], rows: list[Any], key_encoder: KeyMatcher | None = None
) -> Scores:
    """Score rows, without text metrics."""
    execution = Execution("ok", columns=columns, rows=rows)
    return score(question, execution, None, text_metrics=False, key_encoder=key_encoder)
