"""Reactions written as one SMILES."""

import pytest

from retrocypher.kg.claims.claim import Claim
from retrocypher.kg.claims.reader import read_answer

A, B, P = "CCO", "CC(=O)O", "CCOC(C)=O"


@pytest.mark.parametrize("mark", ["", "`", "**"])
def test_each_side_is_read_molecule_by_molecule(mark: str) -> None:
    answer = f"1. **Reaction 12**: {mark}{A}.{B}>>{P}.O{mark}"
    assert set(read_answer(answer).claims) == {
        Claim(A, "REACTS_IN", 12),
        Claim(B, "REACTS_IN", 12),
        Claim(12, "PRODUCES", P),
        Claim(12, "PRODUCES", "O"),
    }


def test_fragments_bonded_across_the_dot_are_one_molecule() -> None:
    assert set(read_answer("Reaction 12: C1.C1>>O").claims) == {
        Claim("CC", "REACTS_IN", 12),
        Claim(12, "PRODUCES", "O"),
    }


def test_a_salt_elsewhere_stays_whole() -> None:
    assert set(read_answer("Reaction 12 makes [Na+].[Cl-].").claims) == {
        Claim(12, "PRODUCES", "[Cl-].[Na+]"),
    }


@pytest.mark.parametrize(
    "written",
    [
        f"{A}.{B}>[H+].ClCCl>{P}",
        f"`{A}.{B}>[H+].ClCCl>{P}`",
        f"({A}.{B}>[H+].ClCCl>{P})",
        f"**OCC.OC(C)=O>ClCCl.[H+]>{P}**",
        f"[CH3:1][CH2:2][OH:3].{B}>[H+].ClCCl>{P}.",
    ],
)
def test_agents_stand_in_the_middle(written: str) -> None:
    found = read_answer(f"Reaction 12: {written}")
    assert set(found.claims) == {
        Claim(A, "REACTS_IN", 12),
        Claim(B, "REACTS_IN", 12),
        Claim("[H+]", "TAKES_PART_IN", 12),
        Claim("[H+]", "REACTS_IN", 12, negated=True),
        Claim("ClCCl", "TAKES_PART_IN", 12),
        Claim("ClCCl", "REACTS_IN", 12, negated=True),
        Claim(12, "PRODUCES", P),
    }
    assert (found.unreadable, found.without_role) == ((), ())


def test_whole_reactions_make_a_route() -> None:
    answer = f"Route 1\nStep 1 (1400): {A}>O>CC=O\nStep 2 (1404): CC=O>O>{P}"
    assert read_answer(answer, routes=True).routes == ((1400, 1404),)


@pytest.mark.parametrize("text", ["a > b > c", "12>13>14", "A->B->C", "yield > 80 and > 90"])
def test_other_signs_are_no_reaction(text: str) -> None:
    assert read_answer(text).molecules == ()
