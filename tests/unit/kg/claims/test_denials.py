"""A reaction that an answer takes back is not left standing as if it had been told."""

import pytest

from retrocypher.kg.claims.reader import read_answer

A, B, P = "CCO", "CC(=O)O", "CCOC(C)=O"


@pytest.mark.parametrize(
    "answer",
    [
        "Only reaction 12 makes it; reaction 13 does not make it.",
        "12 is the only reaction, 13 isn't one.",
        "Reactions 12 and 13. The latter doesn\u2019t produce it.",
        "Reaction 12 makes it. Reaction 13 was listed, but it isn't right.",
        "Reaction 13 is never used to make it; reaction 12 is.",
        "Reaction 13 cannot be used for this.",
        "Reaction 13 fails to make it.",
        "It is false that reaction 13 makes it.",
        "Reaction 13 does not use an agent.",
        "With 48.1 %, reaction 12 is outperformed by the others.",
        "Reaction 12 is good, but another reaction is better.",
        "Reaction 12 is second to reaction 13.",
        f"Only {A}; {B} is not used.",
        f"{A} and `{B}` are not needed.",
    ],
)
def test_what_is_denied_of_a_reaction_is_named(answer: str) -> None:
    assert read_answer(answer, P).denied


@pytest.mark.parametrize(
    "answer",
    [
        f"Reactions 12 (80.6 % yield) and 13 (yield not reported) make {P}.",
        "Reaction 12 gives 80.6 %. For reaction 13 the yield is not given.",
        "The graph does not state the yield of reaction 13.",
        "Not only reaction 12 but also reaction 13 gives it.",
        "Reactions 12 and 13 give it. I could not find any others.",
        "Reactions 12 and 13 give it. No further reactions are known.",
        "Reaction 12 has the best yield, 94.7 %, which is not surpassed by any other.",
        "Reaction 12 has the best yield. No solvent is recorded.",
        "Reaction 12 does not have the best yield.",
        f"Reaction 12 does not use {A}.",
        f"Reaction 12 makes {P}, not reaction 13.",
        f"It is not made from {B}.",
        f"{A} is not a reactant of reaction 12.",
        "With 48.1 %, reaction 12 outperforms the others and is second to none.",
        f"{A} is not given as a solvent of reaction 12.",
        f"{A} is converted to {B}, which is not isolated.",
        '{"reactions": [12, 13], "more": false}',
    ],
)
def test_what_is_read_or_denies_nothing_is_not_named(answer: str) -> None:
    assert read_answer(answer, P).denied == ()


def test_what_a_reaction_gives_is_its_own_where_another_follows() -> None:
    found = read_answer(f"Starting from {A} and {B}, reaction 12 gives {P}, and reaction 13 ends it.")
    assert [(each.subject, each.predicate, each.object) for each in found.claims] == [
        (A, "REACTS_IN", 12),
        (B, "REACTS_IN", 12),
        (12, "PRODUCES", P),
    ]
