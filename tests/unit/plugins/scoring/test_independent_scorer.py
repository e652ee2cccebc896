"""The scorer agrees with a second one, written from docs/scores.md alone, on results of many shapes."""

from typing import Any

import pytest
from msgspec import structs

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.scoring.score import Assessor
from tests.support import independent_scorer
from tests.support.predictions import Prediction, predictions

ASSESSOR = Assessor(default_schema(), 1.0, None)


def by_the_product(prediction: Prediction) -> dict[str, Any]:
    columns, rows = prediction.columns, prediction.rows
    execution = Execution("ok", columns=columns, rows=rows, row_count=len(rows))
    found = ASSESSOR.case(prediction.question, "RETURN 1", execution)
    scores = {**structs.asdict(found.scores), "passed": found.passed}
    if found.scores.unmatched_columns is not None and found.scores.per_key is not None:
        scores["unmatched_columns"] = sorted(found.scores.unmatched_columns)
        scores["per_key"] = {key: structs.asdict(value) for key, value in found.scores.per_key.items()}
    return scores


def rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    return round(value, 9) if isinstance(value, float) else value


def differences(prediction: Prediction) -> dict[str, Any]:
    expected = independent_scorer.score(prediction.question, prediction.columns, prediction.rows)
    found = by_the_product(prediction)
    expected, found = rounded(expected), rounded(found)
    return {name: (value, found[name]) for name, value in expected.items() if value != found[name]}


@pytest.mark.parametrize("seed", range(4))
def test_the_scorer_agrees_with_one_written_from_the_page(seed: int) -> None:
    questions = load_questions().questions
    differing = [
        (*each[1:], found) for each in predictions(questions, 250, seed) if (found := differences(each))
    ]
    assert not differing, f"{len(differing)} results, first: {differing[0]}"
