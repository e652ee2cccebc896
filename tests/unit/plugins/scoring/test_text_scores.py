"""BLEU, METEOR and ROUGE-L on the grammar's tokens."""

from itertools import pairwise

import pytest

from retrocypher.plugins.scoring.text import query_tokens, text_scores

REFERENCE = """MATCH (reaction:Reaction)-[:PRODUCES]->(target:Molecule {name: 'CC(=O)Nc1ccc(O)cc1'})
OPTIONAL MATCH (agent:Molecule)<-[:USES_AGENT]-(reaction)
RETURN reaction.id AS id, collect(DISTINCT agent.name) AS agents"""


def rouge_l(reference: list[str], query: list[str]) -> float:
    """F-measure of the longest common subsequence, straight from its definition."""
    row = [0] * (len(query) + 1)
    for wanted in reference:
        previous = row
        row = [0]
        for given, (diagonal, above) in zip(query, pairwise(previous), strict=True):
            row.append(diagonal + 1 if wanted == given else max(above, row[-1]))
    return 2 * row[-1] / (len(reference) + len(query))


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


@pytest.mark.parametrize(
    "query",
    [
        "RETURN 1",
        REFERENCE.replace("OPTIONAL ", ""),
        "\n".join(reversed(REFERENCE.splitlines())),
        "I am sorry, I cannot answer 'that",
        "MATCH (n {name: 'two words'}) RETURN n" * 3,
    ],
)
def test_rouge_l_is_what_its_definition_says(query: str) -> None:
    expected = rouge_l(list(query_tokens(REFERENCE)), list(query_tokens(query)))

    assert text_scores(REFERENCE, query).rouge_l == pytest.approx(expected)
