"""How well labels find planted errors, in numbers."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from kg.labels import LABELS
from plugins.taxonomy import evaluate, evaluation_table

CASES = [
    ("drop_agents", "missing_component:agents", ["missing_component:agents", "empty_result"]),
    ("drop_agents", "missing_component:agents", ["missing_component:solvents"]),
    ("reverse", "traversal_direction", ["endpoint_anchoring", "traversal_direction"]),
    ("invent", "schema_violation", ["schema_violation:type"]),
    ("lose", "path_length", ["other"]),
]


def test_a_planted_detail_has_to_be_found_and_a_detail_that_was_not_planted_may_be_given() -> None:
    evaluation = evaluate(CASES)
    assert (evaluation.cases, evaluation.right, evaluation.named, evaluation.found) == (5, 2, 3, 4)
    assert evaluation.primary_share == 0.4
    assert evaluation.other_share == 0.2
    assert evaluation.confusion["traversal_direction", "endpoint_anchoring"] == 1


def test_nothing_to_evaluate_is_no_error() -> None:
    assert evaluate([]).primary_share == 0.0


def test_the_table_has_figures_matrix_and_misses() -> None:
    printed = io.StringIO()
    Console(file=printed, width=200).print(evaluation_table(evaluate(CASES), misses=2))
    text = printed.getvalue()
    assert "planted error is the primary label           40.00 % of 5" in text
    assert text.count("was labelled") == 2


@pytest.mark.parametrize("width", [20, 200])
def test_what_was_taken_for_what_is_a_matrix_only_where_that_has_room(width: int) -> None:
    printed = io.StringIO()
    Console(file=printed, width=200).print(evaluation_table(evaluate(CASES), width=width))
    assert ("planted (rows) and primary (columns)" in printed.getvalue()) == (width == 200)
    assert ("traversal_direction -> endpoint_anchoring: 1" in printed.getvalue()) == (width == 20)


labels = st.sampled_from([*LABELS])


@given(st.lists(st.tuples(labels, labels, st.lists(labels, min_size=1, max_size=4)), max_size=30))
def test_every_case_stands_in_one_cell(cases: list[tuple[str, str, list[str]]]) -> None:
    evaluation = evaluate(cases)
    assert evaluation.cases == len(cases)
    assert sum(map(evaluation.planted, LABELS)) == sum(map(evaluation.given, LABELS)) == len(cases)
    assert evaluation.right <= evaluation.named <= evaluation.found
