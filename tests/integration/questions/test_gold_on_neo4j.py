"""Gold on a real server: the two ways of computing it agree, and a difference is not passed over."""

from dataclasses import replace
from pathlib import Path

import neo4j
import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.questions.candidates import Kind
from retrocypher.kg.questions.gold import GoldDifferenceError, check_gold
from retrocypher.kg.questions.question_set import build_questions
from retrocypher.kg.questions.reading import load_questions

QUESTIONS = load_questions().questions


def test_all_2400_reference_queries_return_their_gold(driver: neo4j.Driver) -> None:
    check_gold(driver, QUESTIONS)


@pytest.mark.parametrize("task", ["precursors", "chains_between"])
def test_a_difference_stops_and_prints_the_question(driver: neo4j.Driver, task: str) -> None:
    question = next(each for each in QUESTIONS if each.task == task)
    lacking = replace(question, gold=question.gold[:-1])
    with pytest.raises(GoldDifferenceError) as raised:
        check_gold(driver, [lacking])
    message = str(raised.value)
    assert question.id in message
    assert question.text in message
    assert f"only the reference returns: {question.gold[-1]}" in message
    assert "only the traversal returns: nothing" in message


def test_a_set_that_was_made_reads_back(driver: neo4j.Driver, tmp_path: Path) -> None:
    plan = {
        Kind("best_yield"): 5,
        Kind("multi_product", products=2): 3,
        Kind("multi_product", products=4): 6,
        Kind("conditions", role="solvents"): 2,
        Kind("chains_to_target", steps=2): 5,
    }
    built = build_questions(read_graph(), 5, plan)
    check_gold(driver, built.questions)
    built.write(tmp_path / "questions")
    found = load_questions(tmp_path / "questions")
    assert found.questions == built.questions
    assert found.manifest == built.manifest
    assert found.manifest["not_as_planned"] == {
        "multi_product 2 products": {"planned": 3, "made": 8},
        "multi_product 4 products": {"planned": 6, "made": 1},
    }
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="questions cannot be written there"):
        built.write(tmp_path / "file")
