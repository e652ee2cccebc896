from collections.abc import Callable
from typing import Any

import pytest

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Question, setting_of
from retrocypher.plugins.runs.record import Scores
from retrocypher.plugins.scoring.columns import KeyMatcher
from retrocypher.plugins.scoring.score import score

REFERENCE = (
    "MATCH (r:Reaction)-[:PRODUCES]->(m:Molecule {name: 'CC(=O)O'}) RETURN r.id AS id, m.name AS product"
)


def _question(task: str, gold: list[dict[str, Any]], slots: dict[str, Any] | None = None) -> Question:
    steps = len(gold[0]["route"]) if gold and "route" in gold[0] else 1
    return Question("q", task, setting_of(task), steps, "", slots or {}, REFERENCE, gold, "P", True)


def _scored(
    question: Question, columns: list[str], rows: list[Any], key_encoder: KeyMatcher | None = None
) -> Scores:
    execution = Execution("ok", columns=columns, rows=rows)
    return score(question, execution, None, text_metrics=False, key_encoder=key_encoder)


@pytest.fixture(scope="session")
def question() -> Callable[..., Question]:
    """Makes a question of a task with a gold answer."""
    return _question


@pytest.fixture(scope="session")
def scored() -> Callable[..., Scores]:
    """Scores a question, columns and rows, without text metrics."""
    return _scored
