"""How many cases a second one core scores: all questions, rows from gold, a query near the reference."""

import time
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.runs.record import Scores
from retrocypher.plugins.scoring.score import score

Answer = tuple[Question, Execution, str]


def near_miss(question: Question, number: int) -> Answer:
    """Gold less its last row, and the reference with other names, as a model writes it; no query twice."""
    if question.setting == "single_step":
        columns = list(question.gold[0])
        rows = [[row[column] for column in columns] for row in question.gold]
    else:
        columns = ["reaction_nodes"]
        rows = [[[reaction_node(step) for step in row["route"]]] for row in question.gold]
    cypher = question.reference_cypher.replace("reaction", f"r{number}").replace("OPTIONAL ", "", 1)
    return question, Execution("ok", columns=columns, rows=rows[:-1] or rows), cypher


def reaction_node(number: int) -> dict[str, Any]:
    return {"$node": {"id": f"4:x:{number}", "labels": ["Reaction"], "properties": {"id": number}}}


@pytest.fixture(scope="module")
def answers() -> list[Answer]:
    return [near_miss(question, number) for number, question in enumerate(load_questions().questions)]


@pytest.mark.benchmark(timer=time.process_time)
@pytest.mark.parametrize(("text_metrics", "aim"), [(False, 2000), (True, 300)], ids=["rows", "rows and text"])
def test_scoring(
    benchmark: BenchmarkFixture,
    capsys: pytest.CaptureFixture[str],
    answers: list[Answer],
    text_metrics: bool,
    aim: int,
) -> None:
    def score_all() -> list[Scores]:
        return [score(*answer, text_metrics=text_metrics) for answer in answers]

    scores = benchmark.pedantic(score_all, rounds=3)

    assert sum(each.f1 > 0 for each in scores) > len(scores) / 2
    assert benchmark.stats
    rate = len(answers) / benchmark.stats.stats.median
    benchmark.extra_info["cases_per_s"] = rate
    kind = "with" if text_metrics else "without"
    with capsys.disabled():
        print(f"\nscoring, {kind} text metrics: {rate:,.0f} cases/s of a core (aim {aim:,})")
