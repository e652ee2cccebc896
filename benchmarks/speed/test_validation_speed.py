"""What the schema validator adds to a case: parsing, reading the question, a run on small graphs."""

import statistics
import time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.validation.validator import SchemaValidator

AIM_MS = 30.0


@pytest.mark.benchmark(timer=time.process_time)
def test_validation(benchmark: BenchmarkFixture, capsys: pytest.CaptureFixture[str]) -> None:
    questions = load_questions().questions[::12]
    validator = SchemaValidator(default_schema(), "benchmark")

    def parsed(question: Question) -> float:
        begun = time.process_time()
        parse(question.reference_cypher)
        return time.process_time() - begun

    def validated(question: Question) -> float:
        begun = time.process_time()
        found = validator.validate(question.reference_cypher, question.text)
        spent = time.process_time() - begun
        assert found.valid
        return spent

    spent = benchmark.pedantic(lambda: [*map(validated, questions)], rounds=3, warmup_rounds=1)
    whole, parsing = (1000 * statistics.median(each) for each in (spent, map(parsed, questions)))
    benchmark.extra_info["median_ms"] = whole
    with capsys.disabled():
        print(f"\nvalidation: {whole:.2f} ms a query, {parsing:.2f} ms of it parsing (aim {AIM_MS:.0f})")
