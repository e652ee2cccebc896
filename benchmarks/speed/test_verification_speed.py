"""How long it takes to read the claims of an answer and look them up, for each claim."""

import statistics
import time
from collections.abc import Callable

import neo4j
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from retrocypher.benchmarks.instruments.answers import true_answers
from retrocypher.kg.claims.facts import asking
from retrocypher.kg.claims.verification import Verifier
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.scoring.verdict import judge_answer

AIM_MS = 20.0
EVERY = 12


@pytest.fixture(scope="module")
def verifier(driver: neo4j.Driver, endpoint: Endpoint) -> Verifier:
    return Verifier(asking(driver, endpoint.database))


def test_verification(benchmark: BenchmarkFixture, say: Callable[[str], None], verifier: Verifier) -> None:
    answers = true_answers(load_questions().questions[::EVERY], read_graph())
    times: list[float] = []

    def judge_all() -> None:
        for question, answer in answers:
            started = time.perf_counter()
            found = judge_answer(question.text, answer, verifier)
            times.append(1000 * (time.perf_counter() - started) / len(found.claims))

    benchmark.pedantic(judge_all, rounds=3, warmup_rounds=1)

    benchmark.extra_info["median_ms"] = statistics.median(times)
    say(f"verification: {statistics.median(times):.2f} ms a claim at the median (aim {AIM_MS:g})")
