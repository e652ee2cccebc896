"""Canonical SMILES."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.graph.molecules import Canonicaliser


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("OCC", "CCO"),
        ("[CH3:1][CH2:2][OH:7]", "CCO"),
        ("C1=CC=CC=C1", "c1ccccc1"),
        ("[Na+].[Cl-]", "[Cl-].[Na+]"),
        ("[2H]C([2H])[2H]", "[2H]C([2H])[2H]"),
        ("[H:3][O:1][CH3:2]", "CO"),
        ("C/C=C\\C", "C/C=C\\C"),
        ("[CH3:1][C@H:2]([OH:3])[C:4]#[N:5]", "C[C@H](O)C#N"),
    ],
)
def test_canonical_form_has_no_atom_maps(written: str, canonical: str) -> None:
    found = Canonicaliser()(written)
    assert found is not None
    assert found.smiles == canonical
    assert found.valence_accepted


@pytest.mark.parametrize(
    "written", ["", "C(", "c1cc1c1", "CQ", "CC O", "CC\tname", "C\u00e9", "\ud800", "C>>C"]
)
def test_what_rdkit_cannot_read_is_none(written: str) -> None:
    assert Canonicaliser()(written) is None


def test_an_impossible_valence_is_kept_and_told() -> None:
    found = Canonicaliser()("COC(=O)C(C)[CH2+]1CC2CCC1(C)C2(C)C")
    assert found is not None
    assert not found.valence_accepted
    assert Canonicaliser()(found.smiles) == found


@given(st.text(alphabet="CNOcno()[]=#@+-:1234Hl/\\. ", max_size=30))
def test_any_text_is_canonical_or_none_and_canonical_is_a_fixed_point(text: str) -> None:
    canonicalise = Canonicaliser()
    found = canonicalise(text)
    assert found is None or canonicalise(found.smiles) == found
