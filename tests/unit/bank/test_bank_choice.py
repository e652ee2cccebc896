"""What a bank is to hold, and what of it is held out: by the seed alone."""

import itertools
from collections import Counter

import pytest

from retrocypher.kg.mutations.registry import OPERATORS
from retrocypher.kg.questions.question import TASKS, Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.judge.bank import held_out_operators, held_out_questions
from retrocypher.plugins.judge.bank_candidates import COMPOSITION, Candidate, Cell, Size, candidates, plan

ALL = tuple(OPERATORS.values())


@pytest.fixture(scope="module")
def questions() -> tuple[Question, ...]:
    return load_questions().questions


def test_a_tenth_of_every_stratum_is_held_out(questions: tuple[Question, ...]) -> None:
    held_out = held_out_questions(questions, 0)
    assert len(held_out) == 240
    counts = Counter((each.task, each.steps) for each in questions if each.id in held_out)
    assert set(counts.values()) == {20, 10}
    assert held_out == held_out_questions(reversed(list(reversed(questions))), 0)
    assert held_out != held_out_questions(questions, 1)


@pytest.mark.parametrize("seed", range(5))
def test_a_fifth_of_the_operators_is_held_out_and_no_label_with_all_of_its_own(seed: int) -> None:
    held_out = held_out_operators(ALL, seed)
    errors = [operator for operator in ALL if operator.kind == "error"]
    assert len(held_out) == round(len(errors) / 5)
    assert held_out <= {operator.name for operator in errors}
    left = {operator.label for operator in errors if operator.name not in held_out}
    assert left == {operator.label for operator in errors}
    assert held_out == held_out_operators(ALL, seed)


def test_operators_have_about_as_many_entries_as_each_other(questions: tuple[Question, ...]) -> None:
    cells = plan(ALL, questions, Size())
    wanted = Counter[str]()
    for cell in cells:
        wanted[cell.operator] += cell.wanted
    errors = {name: wanted[name] for name, operator in OPERATORS.items() if operator.kind == "error"}
    assert sum(errors.values()) >= 8_000
    assert max(errors.values()) <= 0.02 * sum(errors.values())
    assert {cell.task for cell in cells} == set(TASKS)
    neutral = sum(wanted[name] for name, operator in OPERATORS.items() if operator.kind == "neutral")
    assert neutral + wanted[COMPOSITION] >= 2_000


@pytest.mark.parametrize(
    "cell",
    [
        Cell("reverse_arrow", "precursors", 5, 10, varied=True),
        Cell("smiles_stereo", "chains_between", 5, 10, varied=True),
        Cell(COMPOSITION, "multi_product", 5, 10, composed=3),
    ],
    ids=lambda cell: cell.operator,
)
def test_candidates_depend_on_seed_and_cell_alone(questions: tuple[Question, ...], cell: Cell) -> None:
    own = [question for question in questions if question.task == cell.task]

    def first(seed: int) -> list[Candidate]:
        return list(itertools.islice(candidates(cell, own, seed), 20))

    assert first(0) == first(0)
    assert first(0) != first(1)
    assert len({each.mutant.query for each in first(0)}) == 20
    if cell.composed:
        assert {each.mutant.operator.count("+") for each in first(0)} == {cell.composed - 1}
    else:
        assert {each.mutant.operator for each in first(0)} == {cell.operator}
        assert any(each.base for each in itertools.islice(candidates(cell, own, 0), 60))
