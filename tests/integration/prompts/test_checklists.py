"""The checklists, read to the letter: no reference query is rejected, and no right query of the seen part."""

from collections.abc import Iterable

import pytest
from support.literal_reader import rejected_points

from retrocypher.benchmarks.instruments.known_queries import known_queries
from retrocypher.kg.questions.question import TASKS
from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.validation.finding import CONVENTIONS, Convention

pytestmark = pytest.mark.scale

_QUESTIONS = {question.id: question for question in load_questions().questions}


def _rejections(queries: Iterable[tuple[str, str]], convention: Convention) -> list[tuple[str, str, str]]:
    """The points that queries do not hold; a query comes with the id of its question."""
    return [
        (question, point, query)
        for question, query in queries
        for point in rejected_points(query, _QUESTIONS[question].text, convention)
    ]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_no_reference_query_is_rejected(task: str, convention: Convention) -> None:
    chosen = [each for each in _QUESTIONS.values() if each.task == task]

    assert len(chosen) >= 200
    assert _rejections(((each.id, each.reference_cypher) for each in chosen), convention) == []


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_no_right_query_is_rejected(convention: Convention) -> None:
    # A query that is right by one convention need not be by the other, which may want the id of a reaction.
    right = [each for each in known_queries("seen") if each.mistake is None and each.convention == convention]

    assert len(right) > 300
    assert _rejections(((each.question_id, each.cypher) for each in right), convention) == []
