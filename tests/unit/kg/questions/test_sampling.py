"""Samples of questions, and the paraphrases that an option names."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.question import (
    PARAPHRASE_COUNT,
    TASKS,
    Question,
    parse_paraphrases,
    select,
    setting_of,
)
from retrocypher.kg.questions.reading import load_questions

SHIPPED = load_questions().questions


def question(task: str, steps: int, number: int) -> Question:
    return Question(
        id=f"{task}-{number:03d}",
        task=task,
        setting=setting_of(task),
        steps=steps,
        text="?",
        slots={},
        reference_cypher="RETURN 1",
        gold=[],
        target="C",
        discriminating=True,
    )


def strata(questions: tuple[Question, ...]) -> Counter[tuple[str, int]]:
    return Counter((each.task, each.steps) for each in questions)


@given(sample=st.integers(1, 2400), seed=st.integers())
def test_a_sample_has_the_size_asked_for_and_fair_shares(sample: int, seed: int) -> None:
    chosen = select(SHIPPED, sample=sample, seed=seed)
    assert len(chosen) == len({each.id for each in chosen}) == sample
    found = strata(chosen)
    for stratum, size in strata(SHIPPED).items():
        assert abs(found[stratum] - sample * size / len(SHIPPED)) < 1


@given(sample=st.integers(1, 300), seed=st.integers(0, 50), shuffle=st.integers())
def test_a_sample_does_not_depend_on_the_order_it_is_taken_from(sample: int, seed: int, shuffle: int) -> None:
    shuffled = list(SHIPPED[::4])
    random.Random(shuffle).shuffle(shuffled)
    expected = {each.id for each in select(SHIPPED[::4], sample=sample, seed=seed)}
    assert {each.id for each in select(shuffled, sample=sample, seed=seed)} == expected


def test_a_sample_keeps_the_order_of_the_set() -> None:
    chosen = {each.id for each in select(SHIPPED, sample=100, seed=3)}
    assert [each for each in SHIPPED if each.id in chosen] == list(select(SHIPPED, sample=100, seed=3))


def test_a_seed_stands_for_the_same_sample_for_good() -> None:
    made_up = [question("precursors", 1, n) for n in range(9)]
    made_up += [question("intermediates", 3, n) for n in range(9)]
    chosen = [each.id for each in select(made_up, sample=4, seed=0)]
    assert chosen == ["precursors-005", "precursors-006", "intermediates-004", "intermediates-007"]
    assert select(made_up, sample=4, seed=0) != select(made_up, sample=4, seed=1)


def test_a_sample_of_what_one_setting_leaves_is_still_whole() -> None:
    multi = [each for each in SHIPPED if each.setting == "multi_step"]
    assert set(strata(select(multi, sample=24, seed=0)).values()) == {2}


def test_tasks_are_kept_whole_without_a_sample() -> None:
    chosen = select(SHIPPED, tasks=("conditions", "intermediates"))
    assert Counter(each.task for each in chosen) == {"conditions": 200, "intermediates": 300}
    assert select(SHIPPED) == SHIPPED
    assert select(SHIPPED, tasks=(), sample=5000) == SHIPPED


SINGLE_STEP = [each for each in SHIPPED if each.setting == "single_step"]


@pytest.mark.parametrize(
    ("questions", "options", "message"),
    [
        (SHIPPED, {"sample": 0}, "ask for at least 1"),
        (SHIPPED, {"sample": -1}, "ask for at least 1"),
        ([], {}, "no question is left"),
        (SINGLE_STEP, {"tasks": ("intermediates",)}, "no question is left: the set holds none of intermed"),
        (SHIPPED, {"tasks": ("precursor",)}, f"unknown task 'precursor'.*{'.*'.join(TASKS)}"),
    ],
    ids=["none", "fewer than none", "empty", "task of the other setting", "unknown task"],
)
def test_a_selection_of_nothing_is_refused(
    questions: Sequence[Question], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        select(questions, **options)


@pytest.mark.parametrize(
    ("names", "numbers"),
    [
        (["1"], (1,)),
        (["3, 1", "2,3"], (3, 1, 2)),
        (["2", "all"], tuple(range(1, PARAPHRASE_COUNT + 1))),
    ],
)
def test_numbers_come_with_commas_repeated_or_all_at_once(names: list[str], numbers: tuple[int, ...]) -> None:
    assert parse_paraphrases(names) == numbers


@pytest.mark.parametrize(
    ("names", "message"),
    [(["0"], "--phrasing 0"), (["1,x"], "--phrasing x"), ([], "names none"), ([","], "names none")],
)
def test_what_is_no_wording_is_refused(names: list[str], message: str) -> None:
    with pytest.raises(InputError, match=rf"{message}.*choose from 1 to {PARAPHRASE_COUNT}, or all"):
        parse_paraphrases(names)
