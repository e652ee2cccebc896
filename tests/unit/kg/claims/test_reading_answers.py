"""What is read from answers of many forms."""

import pytest

from retrocypher.kg.claims.claim import Claim
from retrocypher.kg.claims.reader import read_answer

A, B, P = "CCO", "CC(=O)O", "CCOC(C)=O"

REACTION = {
    Claim(A, "REACTS_IN", 12),
    Claim(B, "REACTS_IN", 12),
    Claim(12, "PRODUCES", P),
    Claim(12, "USES_AGENT", "[H+]"),
    Claim(12, "USES_SOLVENT", "C1CCOC1"),
    Claim(12, "YIELD", 81.5, product=P),
}


@pytest.mark.parametrize(
    "answer",
    [
        f"Reaction 12 turns {A} and {B} into {P} (81.5 % yield) with [H+] as the agent in C1CCOC1.",
        f"Reaction 12\n- Reactants: {A}, {B}\n- Products: {P}\n- Agents: [H+]\n- Solvents: C1CCOC1\n"
        "- Yield: 81.5 %",
        f"**Reaction 12**\n\n* Reactants:\n  * `{A}`\n  * `{B}`\n* Product: `{P}` (81.5 %)\n* Agent: `[H+]`\n"
        "* Solvent: `C1CCOC1`",
        "| ID | Reactants | Products | Agents | Solvents | Yield (%) |\n|---:|---|---|---|---|---|\n"
        f"| 12 | {A}, {B} | {P} | [H+] | C1CCOC1 | 81.5 |",
        f'```json\n{{"id": 12, "reactants": ["{A}", "{B}"], "products": ["{P}"], "agents": ["[H+]"],\n'
        ' "solvents": ["C1CCOC1"], "target_yield": 81.5}\n```',
        f"{A} and {B} are the reactants of reaction 12, [H+] is its agent and C1CCOC1 the solvent; "
        f"it gives {P} in 81.5% yield.",
        f"{P} is made by reaction 12 from {A} and {B}, in 81.5 percent yield. Agent: [H+]. Solvent: C1CCOC1.",
        f"1. Reaction 12: {A} + {B} → {P} (81.5%); agent [H+]; solvent C1CCOC1",
        f"In reaction 12, {A} reacts with {B} in C1CCOC1 to give {P} in 81.5 % yield. The agent is [H+].",
        "Reaction 1 (ID 12): OCC and OC(C)=O give CC(=O)OCC in 81.5 % yield. The agent is [H+]. "
        "The solvent used is O1CCCC1.",
    ],
)
def test_a_reaction_is_read_from_each_way_to_tell_it(answer: str) -> None:
    assert set(read_answer(answer).claims) == REACTION
    assert read_answer(answer).reactions == (12,)


@pytest.mark.parametrize(
    "answer",
    [
        "Route 1: 1400 → 1404 → 1500",
        "Route 1: reactions 1400, 1404 and 1500",
        "- **Pathway 1**: reactions 1400, 1404, and 1500.",
        "Path A: reaction 1400, reaction 1404 and reaction 1500.",
        "Route 1: reaction 1400, then reaction 1404, then reaction 1500.",
        "The route is reaction 1400 followed by 1404 and then 1500.",
        "Step 1: reaction 1400.\nStep 2: reaction 1404.\nStep 3: reaction 1500.",
        "| Route |\n|---|\n| 1400, 1404, 1500 |",
        "First comes reaction 1400. Then reaction 1404 takes place. Finally, reaction 1500 is run.",
        f"{A} → (reaction 1400) → {B} → (reaction 1404) → CC → (reaction 1500) → {P}",
        "The reaction chain is 1400 -> 1404 -> 1500.",
    ],
)
def test_a_route_is_read_from_each_way_to_tell_it(answer: str) -> None:
    found = read_answer(answer)
    assert found.routes == ((1400, 1404, 1500),)
    assert {Claim(1400, "LEADS_TO", 1404), Claim(1404, "LEADS_TO", 1500)} <= set(found.claims)


def test_an_answer_without_ids_is_read_with_the_molecule_of_its_question() -> None:
    found = read_answer(f"It is made from {A} and {B}.", P, frozenset([P])).claims
    assert found == (Claim(A, "REACTS_IN", None, product=P), Claim(B, "REACTS_IN", None, product=P))


@pytest.mark.parametrize("said", ["81.5 pct yield", "81.5% yield", "81.5 per cent", "an 81.5-percent yield"])
def test_a_percentage_is_read_however_it_is_written(said: str) -> None:
    assert read_answer(f"Reaction 12 makes {P} with {said}.").claims[-1] == Claim(
        12, "YIELD", 81.5, product=P
    )


@pytest.mark.parametrize("name", ["N", "O", "I", "P", "B"])
@pytest.mark.parametrize(
    "form",
    [
        "Reaction 12\n- Products: `{}`",
        "Reaction 12\n- Products: `{}`\n- Step 2: reaction 13",
        "Reaction 12\n- Products: **{}**",
        "Reaction 12\n- **Products:** {}",
        "Reaction 12 makes `{}`.",
        "CCO → `{}` (reaction 12)",
    ],
)
def test_a_molecule_of_one_letter_is_read_where_molecules_stand(name: str, form: str) -> None:
    assert Claim(12, "PRODUCES", name) in read_answer(form.format(name)).claims


@pytest.mark.parametrize(
    "answer", ["Conclusion: I found it.", "**I** found it.", "In N steps, an N-step route."]
)
def test_letters_of_the_language_are_no_molecules(answer: str) -> None:
    assert read_answer(answer).molecules == ()
