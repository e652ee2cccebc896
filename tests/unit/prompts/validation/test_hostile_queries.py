"""Text that no chemist wrote: the validator judges it like any other and never breaks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.examples import examples
from support.schemas import default_schema

from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.graph.molecules import find_molecules
from retrocypher.prompts.validation.validator import SchemaValidator

ASKED = "From which direct precursors is CC(=O)Nc1ccc(O)cc1 made?"
REFERENCE = (
    "MATCH (r:Reaction)-[:PRODUCES]->(:Molecule {{name: {name}}}) "
    "MATCH (m:Molecule)-[:IS_REACTANT]->(r) RETURN r.id, collect(DISTINCT m.name)"
)
HOSTILE = [
    "\ud800",
    "C\udfff",
    "C\x00C",
    "CC(=O)Nc1ccc(O)cc1\x00",
    "Ω",
    "CC(=O)Nc1ccc(O)cc1 name",
    "x" * 150_000,
    "C" * 150_000,
    "(" * 50_000,
    "C1" * 50_000,
    "[C@H]" * 20_000,
]


def validator() -> SchemaValidator:
    return SchemaValidator(default_schema(), "benchmark")


@pytest.mark.parametrize("value", HOSTILE, ids=lambda value: f"{value[:6]!a}-{len(value)}")
def test_a_hostile_name_is_another_molecule(value: str) -> None:
    found = validator().validate(REFERENCE.format(name=quote(value)), ASKED)
    assert {each.label for each in found.findings} & {"wrong_entity", "altered_smiles"}
    assert len(find_molecules(f"From which direct precursors is {value} made?")) <= 1


@examples(200)
@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_any_name_is_judged(value: str) -> None:
    found = validator().validate(REFERENCE.format(name=quote(value)), ASKED)
    assert found.findings
