"""The figures of the taxonomy on the committed sample of planted errors."""

from pathlib import Path

import pytest

from kg.questions import load_questions
from kg.schema import default_schema
from plugins.bank import read_entries
from plugins.taxonomy import Evaluation, evaluate, labels_of

DATA = Path(__file__).parents[2] / "data" / "bank"


@pytest.fixture(scope="module", params=["development", "held_out"])
def evaluation(request: pytest.FixtureRequest) -> Evaluation:
    questions = {question.id: question for question in load_questions().questions}
    schema = default_schema()
    return evaluate(
        (
            entry.operator,
            entry.label,
            labels_of(questions[entry.question_id], entry.cypher, entry.execution, entry.scores, schema),
        )
        for entry in read_entries(DATA / f"{request.param}.jsonl.gz")
        if entry.label is not None and entry.kind == "error"
    )


def test_the_planted_error_is_the_primary_label(evaluation: Evaluation) -> None:
    assert evaluation.cases >= 150
    assert evaluation.primary_share >= 0.95, evaluation.misses.most_common(10)


def test_few_cases_are_left_without_a_label_of_their_own(evaluation: Evaluation) -> None:
    assert evaluation.other_share < 0.02, evaluation.misses.most_common(10)


def test_no_label_is_found_badly(evaluation: Evaluation) -> None:
    for label in evaluation.labels():
        planted = evaluation.planted(label)
        assert evaluation.confusion[label, label] >= 0.9 * planted, label
