"""Reactions written as one SMILES."""

import pytest

from kg.claims import Claim, read_answer

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
