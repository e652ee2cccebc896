"""Ids of reactions that no word announces."""

import pytest

from retrocypher.kg.claims.claim import Claim
from retrocypher.kg.claims.reader import read_answer

A, B, P = "CCO", "CC(=O)O", "CCOC(C)=O"

REACTION = {Claim(A, "REACTS_IN", 1404), Claim(B, "REACTS_IN", 1404), Claim(1404, "PRODUCES", P)}


@pytest.mark.parametrize(
    "answer",
    [
        f"1404: {A} + {B} → {P}",
        f"1404. {A} + {B} → {P}",
        f"1404) {A} + {B} → {P}",
        f"(1404) {A} + {B} → {P}",
        f"#1404: {A} + {B} → {P}",
        f"#1404 {A} + {B} → {P}",
        f"- **1404:** `{A}` + `{B}` $\\rightarrow$ `{P}`",
        f"- **#1404** \u2013 {A} + {B} → {P}",
        f"- `1404`: {A} and {B} give {P}",
        f"_1404_: {A} + {B} → {P}",
        f"[reaction.1404]\nreactants = ['{A}', '{B}']\nproducts = ['{P}']",
        f"Reaction 1404: from {A} and {B} to {P}",
        f"### 1404\n{A} + {B} → {P}",
        f"**1404**\n- Reactants: {A}, {B}\n- Products: {P}",
        f"R1404: {A} + {B} → {P}",
        f"rxn_1404: {A} + {B} &rarr; {P}",
        f"{A} + {B} → {P} (1404)",
        f"{A} + {B} \\to {P} (#1404)",
        f"{A} + {B} → {P}, see 1404",
        f"{A} and {B} react to give {P} (entry 1404)",
        f"Record 1404: {A} and {B} give {P}.",
        f"Procedure 1404: {A} and {B} give {P}.",
        f"No. 1404: {A} and {B} give {P}.",
    ],
)
def test_a_number_where_ids_stand_is_one(answer: str) -> None:
    found = read_answer(answer)
    assert found.reactions == (1404,)
    assert set(found.claims) == REACTION


@pytest.mark.parametrize(
    "answer",
    [
        f"1. {A} + {B} → {P}",
        f"#2: {A} + {B} → {P}",
        f"(3) {A} + {B} → {P}",
        f"Entry 12: {A} + {B} → {P}",
        f"Example 212: {A} + {B} → {P}",
        f"{A} + {B} → {P} (150 °C)",
        f"{A} (200 mg) + {B} → {P} at 150 °C",
        f"{A} + {B} → {P}, known since 1998",
        f"| MW | made from |\n|---|---|\n| 304 | {A} |",
        f"| MW | made from |\n|---|---|\n| **304** | {A} |",
        f"R1 is {A}, R2 is {B}",
    ],
)
def test_other_numbers_are_none(answer: str) -> None:
    assert read_answer(answer).reactions == ()


def test_the_steps_of_a_route_may_be_in_bold_type() -> None:
    answer = (
        "1. **Chain 1:**\n"
        f"   - **Step 1** \u2013 Reaction ID: `1400`\n     - Reactants: `{A}`\n     - Products: `CC=O`\n"
        f"   - **Step 2** \u2013 Reaction ID: `1404`\n     - Reactants: `CC=O`\n     - Products: `{B}`\n"
        "2. **Chain 2:**\n"
        f"   - **Step 1** \u2013 Reaction ID: `1401`\n     - Reactants: `{A}`\n     - Products: `CC=O`\n"
        f"   - **Step 2** \u2013 Reaction ID: `1404`\n     - Reactants: `CC=O`\n     - Products: `{B}`\n"
    )
    assert read_answer(answer, routes=True).routes == ((1400, 1404), (1401, 1404))


@pytest.mark.parametrize("said", ["So does rxn no 1729.", "So does reaction no. 1729.", "rxn no 1729"])
def test_a_number_behind_no_is_an_id_and_not_denied(said: str) -> None:
    assert read_answer(f"Reaction 12 makes CCO.\n{said}").reactions == (12, 1729)
