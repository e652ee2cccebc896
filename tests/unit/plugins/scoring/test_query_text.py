"""How the text of a query compares with the reference: text scores and neutral variations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.plugins.runs.summary import VARIATIONS
from retrocypher.plugins.scoring.text import query_tokens, text_scores
from retrocypher.plugins.scoring.variations import variations

REFERENCE = """MATCH (reaction:Reaction)-[:PRODUCES]->(target:Molecule {name: 'CC(=O)Nc1ccc(O)cc1'})
OPTIONAL MATCH (agent:Molecule)<-[:USES_AGENT]-(reaction)
RETURN reaction.id AS id, collect(DISTINCT agent.name) AS agents"""


def test_the_reference_however_it_is_written() -> None:
    scores = text_scores(REFERENCE, REFERENCE)

    assert scores.bleu == scores.rouge_l == 1.0
    assert 0.999 <= scores.meteor <= 1.0
    # What Neo4j does not tell apart does not count.
    written_otherwise = REFERENCE.replace("MATCH", "match").replace("'", '"').replace("\n", "  // note\n\n")
    assert text_scores(REFERENCE, written_otherwise) == scores


@pytest.mark.parametrize("query", [None, "", "   ", "// only a comment", "+"])
def test_no_query_and_nothing_in_common(query: str | None) -> None:
    assert text_scores("RETURN 1", query) == (0.0, 0.0, 0.0)


def test_a_smiles_is_one_token_to_the_character() -> None:
    other = REFERENCE.replace("c1ccc(O)cc1", "C1CCC(O)CC1")

    assert query_tokens(REFERENCE).count("'CC(=O)Nc1ccc(O)cc1'") == 1
    tokens = len(query_tokens(REFERENCE))
    assert text_scores(REFERENCE, other).rouge_l == pytest.approx((tokens - 1) / tokens)
    # Stems are lower-case: were the literal stemmed, the two would be equal.
    assert text_scores(REFERENCE, other).meteor < 0.99


def test_meteor_matches_words_by_stem() -> None:
    plural = REFERENCE.replace("(agent:", "(agented:")
    other = REFERENCE.replace("(agent:", "(xyz:")

    assert text_scores(REFERENCE, plural).meteor > text_scores(REFERENCE, other).meteor
    assert text_scores(REFERENCE, plural).bleu == text_scores(REFERENCE, other).bleu


GATHERED = """MATCH (reaction:Reaction)-[:PRODUCES]->(target:Molecule {name: 'CCO'})
OPTIONAL MATCH (reactant:Molecule)-[:REACTS_IN]->(reaction)
OPTIONAL MATCH (reaction)-[:USES_AGENT]->(agent:Molecule)
RETURN reaction.id AS id, collect(DISTINCT reactant.name) AS reactants,
  collect(DISTINCT agent.name) AS agents"""
ROUTE = """MATCH path = (start:Molecule)-[:REACTS_IN|PRODUCES*4]->(target:Molecule {name: 'CCO'})
RETURN DISTINCT path"""


@pytest.mark.parametrize("text", [GATHERED, ROUTE, GATHERED.replace("\n", " ").replace("MATCH", "match")])
def test_the_same_query_has_none(text: str) -> None:
    assert variations(text, GATHERED if "USES" in text else ROUTE) == []


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
    changed = GATHERED.replace(old, new)
    if old == "reactant:":
        changed = changed.replace("reactant.", "r.")
    assert variations(changed, GATHERED) == expected


def test_the_order_of_optional_parts_is_a_variation_and_that_within_a_clause_is_not() -> None:
    first, second, third, last = GATHERED.split("\n", 3)
    assert variations("\n".join((first, third, second, last)), GATHERED) == ["clause_order"]
    joined = f"{first}, {second.removeprefix('OPTIONAL MATCH ')}"
    assert variations("\n".join((joined, third, last)), GATHERED) == []


def test_columns_in_another_order_are_a_variation_whatever_their_names() -> None:
    columns = GATHERED.partition("RETURN ")[2]
    reactants = "collect(DISTINCT reactant.name) AS reactants"
    turned = GATHERED.replace(columns, f"{reactants}, {columns.replace(reactants + ',', '')}")

    assert variations(turned, GATHERED) == ["property_order"]
    assert variations(turned.replace("AS reactants", "AS precursors"), GATHERED) == [
        "aliases",
        "property_order",
    ]


def test_a_route_written_from_the_target() -> None:
    turned = (
        "MATCH path = (target:Molecule {name: 'CCO'})<-[:REACTS_IN|PRODUCES*4]-(start:Molecule)\nRETURN path"
    )
    assert variations(turned, ROUTE) == ["edge_written_from_other_side"]


@given(st.text(max_size=60) | st.sampled_from([GATHERED[:length] for length in range(0, len(GATHERED), 7)]))
def test_any_text_can_be_compared(text: str) -> None:
    found = variations(text, GATHERED)
    assert found == [name for name in VARIATIONS if name in found]
