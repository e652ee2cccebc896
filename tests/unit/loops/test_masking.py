"""SMILES out of a query and back, to the character."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.cypher.edits import quote
from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.loops.cove import mask

ASKED = "Which reactions make F/C=C\\F and C[N+](C)(C)C in one step?"


@pytest.mark.parametrize("question", random.Random(5).sample(load_questions().questions, 60), ids=str)
def test_reference_queries_come_back(question: object) -> None:
    text, query = question.text, question.reference_cypher  # type: ignore[attr-defined]
    masked = mask(text, query)
    assert masked.restore(masked.query) == query
    assert not any(
        value in masked.query + masked.question for value in masked.values.values() if len(value) > 4
    )


def test_a_molecule_has_one_name_in_question_and_query() -> None:
    query = f"MATCH (m) WHERE m.name IN [{quote('F/C=C' + chr(92) + 'F')}, 'CCO'] RETURN m"
    masked = mask(ASKED, query)
    assert masked.question == "Which reactions make MOLECULE_1 and MOLECULE_2 in one step?"
    assert masked.query == "MATCH (m) WHERE m.name IN ['MOLECULE_1', 'MOLECULE_3'] RETURN m"
    assert masked.restore(masked.query) == query


@pytest.mark.parametrize("written", ["'MOLECULE_2'", '"MOLECULE_2"', "MOLECULE_2", "$MOLECULE_2"])
def test_a_name_is_put_back_however_it_is_written(written: str) -> None:
    masked = mask(ASKED, "RETURN 1")
    assert masked.restore(f"MATCH (m {{name: {written}}}) RETURN m") == (
        "MATCH (m {name: 'C[N+](C)(C)C'}) RETURN m"
    )


def test_names_that_stand_for_nothing_are_told() -> None:
    masked = mask(ASKED, "RETURN 1")
    assert masked.unknown_names("RETURN 'MOLECULE_1', 'MOLECULE_9', MOLECULE_12") == [
        "MOLECULE_12",
        "MOLECULE_9",
    ]


def test_names_do_not_clash_with_the_text() -> None:
    masked = mask(ASKED, "MATCH (MOLECULE_1) RETURN MOLECULE_1, 'CCO'")
    assert masked.query == "MATCH (MOLECULE_1) RETURN MOLECULE_1, 'MOLECULEX_3'"
    assert masked.unknown_names(masked.query) == []


def test_smiles_beside_a_broken_quote_are_masked_too() -> None:
    masked = mask(ASKED, "MATCH (m {name: 'C[N+](C)(C)C}) RETURN m")
    assert "N+" not in masked.query
    assert "MOLECULE_2" in masked.query


def test_both_quotes_of_a_string_are_kept() -> None:
    query = "RETURN 'CCO', \"CCO\", 'CCO'"
    masked = mask("What becomes of CCO?", query)
    assert masked.restore(masked.query) == query


@given(st.lists(st.text(max_size=12), max_size=5), st.text(max_size=30))
def test_any_strings_come_back(values: list[str], question: str) -> None:
    query = "RETURN " + ", ".join(map(quote, values)) if values else "RETURN 1"
    masked = mask(question, query)
    assert masked.restore(masked.query) == query
