"""Texts made to hold up a worker are scored and labelled within a budget of CPU time."""

import time

import pytest
from support.hostile_texts import OVER, UNDER

from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.direction import correct_directions
from retrocypher.kg.semantics.provenance import provenance
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.reporting.case_view import compare_queries
from retrocypher.plugins.scoring.labels import diagnose
from retrocypher.plugins.scoring.score import score
from retrocypher.plugins.scoring.variations import variations
from retrocypher.prompts.extraction.extract import extract_cypher

QUESTION = next(each for each in load_questions().questions if each.task == "precursors")
SCHEMA = default_schema()
_WITHIN_S = 20
"""CPU seconds, ten times what the worst of them takes on a busy machine. Without budgets, some take hours."""


def looked_at(text: str) -> str | None:
    """Do with a completion what a run does; return what is said of the query."""
    query = extract_cypher(text) or text
    correct_directions(query, SCHEMA)
    provenance(query, most=1_000)
    variations(query, QUESTION.reference_cypher)
    compare_queries(query, QUESTION.reference_cypher)
    execution = Execution("ok", columns=["a"], rows=[[1]])
    scores = score(QUESTION, execution, query)
    assert scores.bleu is not None
    found = diagnose(QUESTION, query, execution, scores, SCHEMA)
    assert found.labels
    return found.message


@pytest.mark.parametrize("kind", OVER)
def test_a_text_over_a_budget_is_labelled_by_its_rows(kind: str) -> None:
    started = time.process_time()
    message = looked_at(OVER[kind])
    assert time.process_time() - started < _WITHIN_S
    assert message is not None
    assert message.startswith("The text of the query was not looked at: it ")


@pytest.mark.parametrize("kind", UNDER)
def test_a_text_near_a_budget_takes_no_long(kind: str) -> None:
    started = time.process_time()
    message = looked_at(UNDER[kind])
    assert time.process_time() - started < _WITHIN_S
    assert message is None or "not looked at" not in message
