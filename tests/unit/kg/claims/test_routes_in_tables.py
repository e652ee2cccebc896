"""Routes told in tables, a row a step."""

import pytest

from retrocypher.kg.claims.claim import Claim
from retrocypher.kg.claims.reader import read_answer

A, B, P = "CCO", "CC=O", "CC(=O)O"


@pytest.mark.parametrize("title", ["Step", "**Step**"])
def test_the_rows_of_a_route_follow_one_another(title: str) -> None:
    answer = (
        f"| Route | {title} | Reaction | Reactants | Products |\n|---|---|---|---|---|\n"
        f"| 1 | 1 | 1400 | {A} | {B} |\n| 1 | 2 | 1404 | {B} | {P} |\n"
        f"| 2 | 1 | 1401 | {A} | {B} |\n| 2 | 2 | 1404 | {B} | {P} |\n"
    )
    found = read_answer(answer, routes=True)
    assert found.routes == ((1400, 1404), (1401, 1404))
    assert Claim(1400, "LEADS_TO", 1404) in found.claims
    assert Claim(1404, "LEADS_TO", 1401) not in found.claims


def test_a_row_without_the_step_before_it_is_a_route_of_its_own() -> None:
    answer = "| Step | Reaction |\n|---|---|\n| 2 | 1404 |\n| 1 | 1400 |\n"
    assert read_answer(answer, routes=True).routes == ((1404,), (1400,))


def test_a_column_that_counts_steps_of_rows_is_no_step() -> None:
    answer = "| Steps | Reaction |\n|---|---|\n| 1 | 1400 |\n| 2 | 1404 |\n"
    assert read_answer(answer).routes == ()
