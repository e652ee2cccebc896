"""Neutral differences between a right query and the reference."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.plugins.scoring.variations import VARIATIONS, variations

REFERENCE = """MATCH (reaction:Reaction)-[:PRODUCES]->(target:Molecule {name: 'CCO'})
OPTIONAL MATCH (reactant:Molecule)-[:REACTS_IN]->(reaction)
OPTIONAL MATCH (reaction)-[:USES_AGENT]->(agent:Molecule)
RETURN reaction.id AS id, collect(DISTINCT reactant.name) AS reactants,
  collect(DISTINCT agent.name) AS agents"""
ROUTE = """MATCH path = (start:Molecule)-[:REACTS_IN|PRODUCES*4]->(target:Molecule {name: 'CCO'})
RETURN DISTINCT path"""


@pytest.mark.parametrize("text", [REFERENCE, ROUTE, REFERENCE.replace("\n", " ").replace("MATCH", "match")])
def test_the_same_query_has_none(text: str) -> None:
    assert variations(text, REFERENCE if "USES" in text else ROUTE) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("reactant:", "r:", ["aliases"]),
        ("AS reactants", "AS precursors", ["aliases"]),
        ("(reaction:Reaction)", "(`reaction`:Reaction)", []),
        ("OPTIONAL MATCH (reactant", "WITH reaction\nOPTIONAL MATCH (reactant", ["with_clause"]),
        (
            "(reactant:Molecule)-[:REACTS_IN]->(reaction)",
            "(reaction)<-[:REACTS_IN]-(reactant:Molecule)",
            ["edge_written_from_other_side"],
        ),
        ("(reactant:Molecule)-[:REACTS_IN]->(reaction)", "(reactant:Molecule)-[:REACTS_IN]-(reaction)", []),
    ],
)
def test_one_change_is_one_variation(old: str, new: str, expected: list[str]) -> None:
    changed = REFERENCE.replace(old, new)
    if old == "reactant:":
        changed = changed.replace("reactant.", "r.")
    assert variations(changed, REFERENCE) == expected


def test_the_order_of_optional_parts_is_a_variation_and_that_within_a_clause_is_not() -> None:
    first, second, third, last = REFERENCE.split("\n", 3)
    assert variations("\n".join((first, third, second, last)), REFERENCE) == ["clause_order"]
    joined = f"{first}, {second.removeprefix('OPTIONAL MATCH ')}"
    assert variations("\n".join((joined, third, last)), REFERENCE) == []


def test_a_route_written_from_the_target() -> None:
    turned = (
        "MATCH path = (target:Molecule {name: 'CCO'})<-[:REACTS_IN|PRODUCES*4]-(start:Molecule)\nRETURN path"
    )
    assert variations(turned, ROUTE) == ["edge_written_from_other_side"]


@given(st.text(max_size=60) | st.sampled_from([REFERENCE[:length] for length in range(0, len(REFERENCE), 7)]))
def test_any_text_can_be_compared(text: str) -> None:
    found = variations(text, REFERENCE)
    assert found == [name for name in VARIATIONS if name in found]
