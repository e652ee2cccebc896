"""What no claim accounts for is said, so that it may keep an answer from being verified."""

import pytest

from retrocypher.kg.claims.claim import Claim
from retrocypher.kg.claims.reader import read_answer

A, B, P = "CCO", "CC(=O)O", "CCOC(C)=O"


@pytest.mark.parametrize(
    ("answer", "numbers"),
    [
        (f"In 1729, {A} gives {P}.", ("1729",)),
        (f"57: {A} → {P}", ("57",)),
        (f"57. {A} → {P}", ("57",)),
        (f"R57: {A} → {P}", ("R57",)),
        (f"{A} → {P} (57)", ("57",)),
        (f"Entry 57: {A} → {P}", ("57",)),
        (f"{A} → {P}, 1729", ("1729",)),
        (f"reaction.1.57 makes {P}", ("1.57",)),
        (f"Nr57: {A} → {P}", ("Nr57",)),
        (f"№ 1729: {A} → {P}", ("1729",)),
        (f"Reaction 12: {A} → {P} (42.3)", ("42.3",)),
        (f"Reaction 12 makes {P}, at 42.3 of 100.", ("42.3", "100")),
        ("The yield is 42 %.", ("42",)),
        (f"{A} has 3 products, 1729 among them.", ("1729",)),
        (f"Reaction 1.729 makes {P}.", ("1.729",)),
        (f"Reactions 12-15 make {P}.", ("12 - 15",)),
        (f"Reactions 12\u201315 make {P}.", ("12 \u2013 15",)),
        (f"Reactions 12...15 make {P}.", ("12 . . . 15",)),
        (f"Reactions 12 through 15 make {P}.", ("12 through 15",)),
        (f"Reaction 12 makes {P} in quantitative yield.", ("quantitative",)),
        (f"Reaction 12 makes {P}; yield: 68.7 g.", ("68.7",)),
        (f"Reaction 12 makes {P} with a yield of 68.7 (mmol).", ("68.7",)),
        (f"Reaction 12 makes {P} in ninety-nine percent yield.", ("ninety-nine percent",)),
    ],
)
def test_numbers_without_a_place(answer: str, numbers: tuple[str, ...]) -> None:
    assert read_answer(answer).unplaced == numbers


@pytest.mark.parametrize(
    "answer",
    [
        f"I found **2** reactions:\n1. Reaction 12: {A} → {P}\n2. Reaction 13: {B} → {P}",
        f"1) Reaction 12: {A} → {P}\n   1. Reactant: {A}\n2) Reaction 13",
        f"(1) {A} → {P} (reaction 12); (2) {B} → {P} (reaction 13)",
        f"#1: {A} → {P} (rxn 12)\n#2: {B} → {P} (rxn 13)",
        f"Route 1, step 1 of 2: reaction 12 makes {P} in 3 consecutive steps.",
        f'{{"count": 2, "steps": 1, "reactions": [{{"reaction_id": 12, "product": "{P}"}}]}}',
        f"Reaction 12 makes {P} at 25 °C within 2-3 h, in 81.5 % yield (95 % ee).",
        f"Reaction 12 (US patent 4,123,456, granted in 1976) makes {P}.",
        f"1.1 Reaction 12 makes {P}.",
        f"Reaction 12: {A} + 2 {B} → {P}",
        f"Reaction 12 makes {P} in 80-85 % yield.",
        f"Reaction 12 makes {P}; see 12.",
        f"| # | ID | Products | MW |\n|---|---|---|---|\n| 1 | 12 | {P} | - |",
    ],
)
def test_numbers_of_other_things_have_a_place(answer: str) -> None:
    found = read_answer(answer)
    assert found.unplaced == ()
    assert set(found.reactions) <= {12, 13}


def test_a_range_of_ids_may_be_a_route() -> None:
    assert read_answer("Route 1: reactions 12-13", routes=True).unplaced == ()


def test_a_number_of_a_route_is_read_again_in_each_route() -> None:
    answer = '{"route_1": "1404", "route_2": "1403 -> 1404"}'
    assert read_answer(answer, routes=True).unplaced == ("1404",)
    assert read_answer(answer).unplaced == ()


@pytest.mark.parametrize(
    ("answer", "molecules"),
    [
        (f"Reaktion und Reaction 12: Edukte {A}; Produkte {P}", (A, P)),
        (f"12 | {A} | {P}", ()),
        (f"Reaction 12 runs with {A}.", ()),
        (f"Reaction 12 ({A}) makes {P}.\nIt starts from {A}.", ()),
    ],
)
def test_molecules_without_a_role(answer: str, molecules: tuple[str, ...]) -> None:
    assert read_answer(answer).without_role == molecules


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        (
            "Reaction 12 makes ethyl acetate from ethanol and acetic acid.",
            ("ethyl acetate", "ethanol", "acetic acid"),
        ),
        ("Reaction 12 runs in toluene or DMF.", ("toluene", "DMF")),
        (f"Reaction 12 makes {P} (ethyl acetate) from ethanol ({A}).", ()),
        (f"Reaction 12: {A} and HBr with NaBH4, K2CO3 and SOCl2.", ("HBr", "NaBH4", "K2CO3", "SOCl2")),
        ("Reaction 12 uses CCN(CC)CC (triethylamine, Et3N) and Cl (HCl).", ()),
        ('{"reaction": 12, "HTML": NaN, "HPLC": "his"}', ()),
        ("Reaction 12 uses platinum and hydrogen gas.", ("platinum", "hydrogen gas")),
        ("Reaction 12 uses [Pd] (palladium) and hydrogen ([H][H]).", ()),
        ("It is an amide coupling, which the acid examined alone determines.", ()),
    ],
)
def test_names_of_molecules(answer: str, names: tuple[str, ...]) -> None:
    assert read_answer(answer).names == names


def test_what_is_set_apart_is_not_denied_of_the_rest() -> None:
    found = read_answer(f"Unlike reactions 13 and 14, reaction 12 makes {P} from {A}.")
    assert set(found.claims) == {Claim(12, "PRODUCES", P), Claim(A, "REACTS_IN", 12)}
    assert found.reactions == (12,)


@pytest.mark.parametrize(
    ("answer", "best", "not_best"),
    [
        ("Reaction 12 has the best yield.", (12,), ()),
        ("Reaction 12 does not have the best yield.", (), (12,)),
        ("Reaction 12 is not the worst.", (), (12,)),
        ("Reaction 12 has the second-highest yield.", (), (12,)),
        ("Reaction 12 makes it.\n\nIt is not the best one.", (), (12,)),
        ("Reaction 12 is the best, reaction 13 has the lowest yield.", (12,), (13,)),
    ],
)
def test_what_is_the_best_and_what_is_not(
    answer: str, best: tuple[int, ...], not_best: tuple[int, ...]
) -> None:
    found = read_answer(answer)
    assert (found.best, found.not_best) == (best, not_best)


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("a yield of 0.815", Claim(12, "YIELD", 0.815, product=P, share=True)),
        ("a yield of 0.8 %", Claim(12, "YIELD", 0.8, product=P)),
        ("about 81 % yield", Claim(12, "YIELD", 81.5, product=P, low=80.5)),
    ],
)
def test_yields_that_are_not_exact_percentages(said: str, claim: Claim) -> None:
    assert claim in read_answer(f"Reaction 12 makes {P} with {said}.").claims


def test_the_heading_of_a_table_says_percent() -> None:
    answer = f"| ID | Product | Yield (%) |\n|---|---|---|\n| 12 | {P} | 0.5 |"
    assert Claim(12, "YIELD", 0.5, product=P) in read_answer(answer).claims
