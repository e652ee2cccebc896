"""What judging a case takes besides the calls of its model: prompts, reading, G-Eval, the record's part."""

import json
import time
from collections.abc import Iterator

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.schema import default_schema_text
from retrocypher.plugins.judge.criteria import JudgeCase, load_criteria
from retrocypher.plugins.judge.judge import Judge
from retrocypher.plugins.runs.record import VARIANTS, JudgeRatings
from retrocypher.prompts.models.interface import Chat, Completion, Request

AIM_MS = 10


class Says:
    """A model whose answer costs nothing: a reason of some length, and a score with its probabilities."""

    label = "says"

    def __init__(self) -> None:
        text = json.dumps(
            {"reason": "The query returns what was asked for, in step 3 of 4. " * 4, "score": 7}
        )
        likely = [[str(number), -0.5 - number] for number in range(11)]
        numbers = [{"at": text.rindex("7"), "token": "7", "likely": likely}]
        self._answer = Completion(
            text, tokens={"prompt": 1_000, "completion": 60}, details={"numbers": numbers}
        )

    def answer(self, request: Request | Chat) -> Completion:
        return self._answer

    def close(self) -> None:
        """Nothing is held."""


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    opened = Judge(Says(), load_criteria(10))
    # DeepEval is imported once a process.
    opened.judge(case_of(load_questions().questions[0], ""), "with_reference")
    yield opened
    opened.close()


def case_of(question: Question, schema: str) -> JudgeCase:
    rows = [list(row.values()) for row in question.gold]
    columns, cypher = list(question.gold[0]), question.reference_cypher
    return JudgeCase(question.id, question.text, schema, cypher, cypher, columns, rows)


@pytest.mark.benchmark(timer=time.process_time)
def test_judging(benchmark: BenchmarkFixture, capsys: pytest.CaptureFixture[str], judge: Judge) -> None:
    schema = default_schema_text()
    cases = [case_of(question, schema) for question in load_questions().questions[::8]]

    def judge_all() -> list[JudgeRatings]:
        found = []
        for case in cases:
            both = {variant: judge.judge(case, variant) for variant in VARIANTS}
            found.append(JudgeRatings("says", judge.criteria.sha256, **both))
        return found

    records = benchmark.pedantic(judge_all, rounds=3)

    assert all(record.with_reference for record in records)
    assert benchmark.stats
    each = benchmark.stats.stats.min / len(cases) * 1_000
    with capsys.disabled():
        print(f"\njudging a case, both variants, besides the calls: {each:.2f} ms (aim: {AIM_MS})")
