"""The operators that change which molecule is looked up, the only ones that touch a string."""

import pytest

from retrocypher.kg.cypher.edits import quote, string_literals
from retrocypher.kg.mutations.registry import OPERATORS, mutations_of


def altered(operator: str, smiles: str) -> list[str]:
    query = f"MATCH (m:Molecule {{name: {quote(smiles)}}}) RETURN m.name"
    mutants = mutations_of(OPERATORS[operator], query)
    return [string_literals(each.query)[0].value for each in mutants]


@pytest.mark.parametrize(
    ("operator", "smiles", "expected"),
    [
        ("smiles_case", "c1ccccc1C", ["C1ccccc1C", "c1ccccC1C", "c1ccccc1c", "C1CCCCC1C"]),
        ("smiles_ring", "C1CC1", ["C2CC1", "CCC1", "C1CC2", "C1CC"]),
        ("smiles_bracket", "C(C)[O-]", ["CC)[O-]", "C(C[O-]", "C(C)O-]", "C(C)[O-"]),
        ("smiles_stereo", "F/C=C\\F", ["FC=CF", "F\\C=C\\F", "F/C=C/F"]),
        ("smiles_charge", "C[O-]", ["CO"]),
        ("smiles_atom", "CCON", ["CCO", "CCONN", "CCN", "CCOON"]),
        ("smiles_stereo", "CCO", []),
        ("smiles_charge", "CCO", []),
    ],
)
def test_a_smiles_is_altered(operator: str, smiles: str, expected: list[str]) -> None:
    assert altered(operator, smiles) == expected


def test_backslashes_are_written_in_other_numbers() -> None:
    query = r"MATCH (m {name: 'F/C=C\\n'}) RETURN m"
    found = [each.query for each in mutations_of(OPERATORS["smiles_backslash"], query)]
    written = [r"'F/C=C\n'", "'F/C=Cn'", r"'F/C=C\\\\n'"]
    assert found == [f"MATCH (m {{name: {text}}}) RETURN m" for text in written]


def test_another_molecule_is_chosen_by_the_text_alone() -> None:
    once, again = altered("wrong_molecule", "CCO"), altered("wrong_molecule", "CCO")
    assert once == again
    assert len(set(once)) == 3
    assert "CCO" not in once
    assert altered("placeholder", "CCO")[0] == "<MOLECULE>"


def test_conditions_and_lists_are_anchors_too() -> None:
    query = "MATCH (a)-->(b) WHERE a.name IN ['C', 'O'] AND b.name CONTAINS 'N' RETURN a.name + 'x'"
    assert len(mutations_of(OPERATORS["placeholder"], query)) == 9
