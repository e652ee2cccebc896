"""Sentences that are easily misread: denials, lists, two reactions at once, numbers of other things."""

import pytest

from retrocypher.kg.claims.claim import Claim
from retrocypher.kg.claims.reader import read_answer

A, B, P, S = "CCO", "CC(=O)O", "CCOC(C)=O", "C1CCOC1"


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        (f"Reaction 12 does not use {A} as a solvent.", {Claim(12, "USES_SOLVENT", A, negated=True)}),
        (f"{A} is not a reactant of reaction 12.", {Claim(A, "REACTS_IN", 12, negated=True)}),
        (
            f"{P} isn't made by reaction 12, but by reaction 13.",
            {Claim(12, "PRODUCES", P, negated=True), Claim(13, "PRODUCES", P)},
        ),
        ("No solvents are given for reaction 12.", {Claim(12, "USES_SOLVENT", None, negated=True)}),
        ("Reaction 12\n- Agents: none", {Claim(12, "USES_AGENT", None, negated=True)}),
        (
            f"Reaction 12 (yield 45.2%) and reaction 13 (yield 81.5%) both give {P}.",
            {
                Claim(12, "PRODUCES", P),
                Claim(13, "PRODUCES", P),
                Claim(12, "YIELD", 45.2, product=P),
                Claim(13, "YIELD", 81.5, product=P),
            },
        ),
        (
            f"Reactions 12 and 13 give {P} in 45 % and 81 % yield, respectively.",
            {
                Claim(12, "PRODUCES", P),
                Claim(13, "PRODUCES", P),
                Claim(12, "YIELD", 45.0, product=P),
                Claim(13, "YIELD", 81.0, product=P),
            },
        ),
        (
            "The agents used are [Na+] and [OH-] in reaction 12, and [K+] in reaction 13.",
            {
                Claim(12, "USES_AGENT", "[Na+]"),
                Claim(12, "USES_AGENT", "[OH-]"),
                Claim(13, "USES_AGENT", "[K+]"),
            },
        ),
        (
            f"{P} can be prepared by treating {A} with {B} (reaction 12) or by reacting CCI with {S} "
            "(reaction 13).",
            {
                Claim(12, "PRODUCES", P),
                Claim(A, "REACTS_IN", 12),
                Claim(B, "REACTS_IN", 12),
                Claim("CCI", "REACTS_IN", 13),
                Claim(S, "REACTS_IN", 13),
            },
        ),
        (
            f"Reaction 12: {A} → {B}, reaction 13: {B} → {P}",
            {
                Claim(A, "REACTS_IN", 12),
                Claim(12, "PRODUCES", B),
                Claim(B, "REACTS_IN", 13),
                Claim(13, "PRODUCES", P),
            },
        ),
        (
            f"Reaction 12 gives {P} in 80–85 % yield.",  # noqa: RUF001
            {Claim(12, "PRODUCES", P), Claim(12, "YIELD", 85.0, product=P, low=80.0)},
        ),
        (
            f"Reaction 12 gives {P} in over 80 % yield and 99 % ee.",
            {Claim(12, "PRODUCES", P), Claim(12, "YIELD", 100.0, product=P, low=80.0)},
        ),
        (
            "According to US patent 4,123,456 (1976), reaction 12 runs at 25 °C for 3 h in 5 mL of O.",
            {Claim("O", "TAKES_PART_IN", 12)},
        ),
        (
            f"Reaction 12 gives the product {P} (yield: 81.5) and the by-product O (yield: 12.0).",
            {
                Claim(12, "PRODUCES", P),
                Claim(12, "PRODUCES", "O"),
                Claim(12, "YIELD", 81.5, product=P),
                Claim(12, "YIELD", 12.0, product="O"),
            },
        ),
        (
            f"I found 2 reactions that make {P} in 1 step: 12 and 13.",
            {Claim(12, "PRODUCES", P), Claim(13, "PRODUCES", P)},
        ),
        (
            f"The following reactions give {P}:\n1. 1,101\n2. 4602",
            {Claim(1101, "PRODUCES", P), Claim(4602, "PRODUCES", P)},
        ),
        (
            f"rxn 12 - products: {P}; O - 81.5 % yield of {P}",
            {Claim(12, "PRODUCES", P), Claim(12, "PRODUCES", "O"), Claim(12, "YIELD", 81.5, product=P)},
        ),
        (
            f"The precursors of {P} are:\n\n1. {A} and {B} (reaction 12, with [H+] in O)\n"
            "2. CCI (reaction 13)",
            {
                Claim(12, "PRODUCES", P),
                Claim(13, "PRODUCES", P),
                Claim(A, "REACTS_IN", 12),
                Claim(B, "REACTS_IN", 12),
                Claim("[H+]", "TAKES_PART_IN", 12),
                Claim(12, "USES_SOLVENT", "O"),
                Claim("CCI", "REACTS_IN", 13),
            },
        ),
        (
            f"In the first (ID 12), {A} is added to {B}; in the second (ID 13), CCI is used.",
            {Claim(A, "REACTS_IN", 12), Claim(B, "REACTS_IN", 12), Claim("CCI", "TAKES_PART_IN", 13)},
        ),
        ("Reaction 12\n- Reactants: `NO`, `CCO`", None),
        ("In reaction 12, CC and I are obtained.", {Claim(12, "PRODUCES", "CC"), Claim(12, "PRODUCES", "I")}),
        ("CCO and NO react in reaction 12. NO, I mean it.", None),
    ],
)
def test_a_sentence(answer: str, claims: set[Claim] | None) -> None:
    found = set(read_answer(answer).claims)
    assert found == (claims or {Claim("CCO", "REACTS_IN", 12), Claim("NO", "REACTS_IN", 12)})


@pytest.mark.parametrize(
    ("answer", "routes"),
    [
        ("Two routes exist: 12 then 13, and 14 then 13.", {(12, 13), (14, 13)}),
        ("Either reaction 12 or 14, followed by reaction 13.", {(12, 13), (14, 13)}),
        ("[[12, 13], [14, 13]]", {(12, 13), (14, 13)}),
        ("(12, 13), (14, 13)", {(12, 13), (14, 13)}),
        (
            f'{{"steps": [{{"step": 1, "reaction_id": 12, "reactants": ["{A}"], "products": ["{B}"]}}, '
            f'{{"step": 2, "reaction_id": 13, "reactants": ["{B}"], "products": ["{P}"]}}]}}',
            {(12, 13)},
        ),
        ("Route 1: reaction 13\nRoute 2: 12 → 13", {(13,), (12, 13)}),
        (
            "One way begins with reaction 13.\nOne way begins with reaction 12. Then reaction 13.",
            {(13,), (12, 13)},
        ),
        ("1. reaction 13\n2. reaction 12, then reaction 13", {(13,), (12, 13)}),
        ("1. reaction 12\n2. reaction 13", set()),
        (f'{{"route": [13], "target": "{P}"}}', {(13,)}),
        (
            f"1. {A} → {B} + {S} (rxn 12); {B} → {P} (rxn 13)\n2. {S} → {B} (rxn 14); {B} → {P} (rxn 13)",
            {(12, 13), (14, 13)},
        ),
        (f"1. Reaction 12: {A} → {B}\n2. Reaction 13: {B} → {P}", {(12, 13)}),
        ("The routes are:\n13\n12 → 13", {(13,), (12, 13)}),
        ("Step 1: reaction 12\nStep 2: reaction 13\n\nStep 1: reaction 14", {(12, 13), (14,)}),
        (f"{A} -> {B} (rxn 12); {B} -> {P} (rxn 13)", {(12, 13)}),
        (f"{A} -> {B} (rxn 12); {S} -> {P} (rxn 13)", set()),
        (f"12 → 13\n\nReaction 13 (the last) gives {P}.", {(12, 13)}),
    ],
)
def test_routes(answer: str, routes: set[tuple[int, ...]]) -> None:
    assert set(read_answer(answer, routes=True).routes) == routes


@pytest.mark.parametrize(
    "smiles",
    [
        "F/C=C\\F",
        "[13CH4]",
        "[2H]O[2H]",
        "[Cl-].[Na+]",
        "C[C@H](N)C(=O)O",
        "O=[N+]([O-])c1ccccc1",
        "C#Cc1ccc2c(c1)C(C)(C)CCC2(C)C",
        "O",
        "Cl",
        "[Fe]",
    ],
)
@pytest.mark.parametrize(
    "around",
    ["{}", "`{}`", "**{}**", "({})", '"{}"', "['CCCCO', '{}']", '["{}", "CCCCO"]', "{}, CCCCO", "| {} |"],
)
def test_smiles_of_all_kinds_are_read_whole(smiles: str, around: str) -> None:
    found = read_answer(f"Reaction 12\n- Reactants: {around.format(smiles)}").claims
    assert Claim(smiles, "REACTS_IN", 12) in found


def test_another_way_to_write_a_molecule_is_the_same_molecule() -> None:
    assert read_answer("OCC reacts in reaction 12.").claims == (Claim("CCO", "REACTS_IN", 12),)


def test_letters_of_the_language_are_no_molecules() -> None:
    text = "I think no. N,N-dimethyl at 25 C by route B in reaction 12, as IN and ON and NO show."
    assert read_answer(text).molecules == ()


def test_what_only_looks_like_a_molecule_is_named() -> None:
    assert read_answer("Reaction 12 uses C1CC(=O and Pd(OAc)2, see C.2 (step(s)).").unreadable == ("C1CC(=O",)
