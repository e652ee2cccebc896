"""Which questions a shard has."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import TASKS, Question, setting_of
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.runs.shards import Shard, parse_shard

QUESTIONS = load_questions().questions


def question(number: int, task: str, steps: int) -> Question:
    name = f"{task}-{number:03}"
    return replace(QUESTIONS[0], id=name, task=task, steps=steps, setting=setting_of(task))


@st.composite
def questions(draw: st.DrawFn) -> list[Question]:
    strata = draw(st.lists(st.tuples(st.sampled_from(TASKS), st.integers(1, 4)), min_size=1, max_size=60))
    return [question(number, *stratum) for number, stratum in enumerate(strata)]


@given(questions(), st.integers(1, 12), st.randoms(use_true_random=False))
def test_shards_are_apart_cover_all_and_are_alike_in_size(
    every: list[Question], of: int, order: object
) -> None:
    count = min(of, len(every))
    shards = [Shard(number, count).select(every) for number in range(1, count + 1)]
    ids = [each.id for shard in shards for each in shard]
    assert sorted(ids) == sorted(each.id for each in every)
    sizes = [len(shard) for shard in shards]
    assert max(sizes) - min(sizes) <= 1
    for stratum in {(each.task, each.steps) for each in every}:
        held = [sum((each.task, each.steps) == stratum for each in shard) for shard in shards]
        assert max(held) - min(held) <= 1
    mixed = sorted(every, key=lambda each: hash((str(order), each.id)))
    for number, shard in enumerate(shards, 1):
        assert {each.id for each in Shard(number, count).select(mixed)} == {each.id for each in shard}
        assert [each.id for each in shard] == [each.id for each in every if each in shard]


def test_a_shard_of_the_shipped_questions_is_the_same_for_ever() -> None:
    mine = Shard(2, 5).select(QUESTIONS)
    assert [each.id for each in mine[:3]] == ["precursors-002", "precursors-007", "precursors-015"]
    tasks = Counter(each.task for each in mine)
    assert (len(mine), tasks["precursors"], tasks["chains_between"]) == (480, 40, 60)


def test_a_shard_without_a_question_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"--shard 4/9: no question is left for it, for the run has 3; split it"
    ):
        Shard(4, 9).select(QUESTIONS[:3])


@pytest.mark.parametrize(
    "text", ["0/5", "6/5", "2", "2/0", "a/b", "-1/2", "1/2/3", "", "\u0662/\u0665", "1.0/2"]
)
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"--shard .*: give NUMBER/COUNT"):
        parse_shard(text)


def test_a_shard_is_read_and_shown() -> None:
    assert parse_shard(None) is None
    assert str(parse_shard(" 2/5 ")) == "shard 2 of 5"
    assert Shard(1, 1).select(QUESTIONS) == QUESTIONS
