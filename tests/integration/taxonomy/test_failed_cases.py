"""Queries as language models write them, run on a real graph: the first label is why they failed."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.execution.execution import Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import SHIPPED_QUESTIONS, load_questions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.scoring.labels import labels_of
from retrocypher.plugins.scoring.score import score

CASES = yaml.safe_load(Path(__file__).with_name("failed_cases.yaml").read_text("utf-8"))
QUESTIONS = {question.id: question for question in load_questions(SHIPPED_QUESTIONS["set-1"]).questions}


@pytest.fixture(scope="module")
def executor(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedExecutor]:
    running = GuardedExecutor(endpoint, Limits(timeout_s=10), tmp_path_factory.mktemp("guard"))
    yield running
    running.close()


def filled(query: str, question: Question, other: str) -> str:
    slots, products = question.slots, question.slots.get("products", [])
    values = {name: quote(slots[name]) for name in ("target", "start") if name in slots}
    values |= {"steps": str(question.steps), "hops": str(2 * question.steps), "next": str(question.steps + 1)}
    values |= dict(zip(("first", "second"), map(quote, products), strict=False))
    values |= {"all": f"[{', '.join(map(quote, products))}]", "other": quote(other)}
    for name, value in values.items():
        query = query.replace(f"{{{name}}}", value)
    return query


@pytest.mark.parametrize(
    "case", CASES, ids=[f"{number}-{each['question']}" for number, each in enumerate(CASES, 1)]
)
def test_the_first_label_is_why_a_query_failed(case: Mapping[str, Any], executor: GuardedExecutor) -> None:
    question = QUESTIONS[case["question"]]
    other = next(each for each in QUESTIONS.values() if each.target != question.target)
    query = filled(case["query"], question, other.target)
    execution = executor.run(query)
    scores = score(question, execution, query, text_metrics=False)
    assert execution.status != "ok" or not scores.is_perfect, "the error does not show at this question"
    found = labels_of(question, query, execution, scores, default_schema())
    assert found[0] in case["primary"], (found, query)
