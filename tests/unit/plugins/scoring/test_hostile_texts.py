"""Texts made to hold up a worker are scored and labelled within a budget of CPU time."""

import time

import pytest

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
CCO = "'CCO'"
_WITHIN_S = 20
"""CPU seconds, ten times what the worst of them takes on a busy machine. Without budgets, some take hours."""


def nested(opening: str, core: str, closing: str, levels: int) -> str:
    return f"MATCH (m:Molecule) RETURN {opening * levels}{core}{closing * levels} AS y"


OVER = {
    "comprehensions": nested("[x IN ", "[1]", " | x]", 15_000),
    "few comprehensions": nested("[x IN ", "[1]", " | x]", 800),
    "brackets": nested("(", "1", ")", 90_000),
    "cases": nested("CASE WHEN true THEN ", "1", " ELSE 2 END", 5_000),
    "subqueries": nested("EXISTS { MATCH (n) WHERE ", "true", " }", 5_000),
    "signs": f"RETURN {'- ' * 90_000}1",
    "hops": f"MATCH p = (a){'-->()' * 20_000} RETURN p",
    "labels": f"MATCH (a{':Molecule' * 2_400}) RETURN a",
    "clauses": f"MATCH (a) {' '.join(f'WITH *, 1 AS x{n}' for n in range(9_000))} RETURN *",
    "invalid characters": "MATCH (n) " + "中\ufffd" * 75_000,
    "control characters": "MATCH (n) " + "\x01" * 150_000,
    "patterns": f"MATCH (n) WHERE {' AND '.join(['(n)-->()'] * 10_000)} RETURN n",
}
UNDER = {
    "quotes": "MATCH (n) WHERE n.x = '" + "\\'" * 2_400,
    "hops": f"MATCH p = (a){'-->()' * 800} RETURN p",
    "clauses": f"MATCH (a) {' '.join(f'WITH *, 1 AS x{n}' for n in range(700))} RETURN *",
    "comprehensions": nested("[x IN ", "[1]", " | x]", 29),
    "molecules": f"MATCH (m:Molecule) WHERE m.name IN [{', '.join([CCO] * 2_000)}] RETURN m.name",
    "long molecule": f"MATCH (m:Molecule {{name: '{'C' * 150_000}'}}) RETURN m.name",
}


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
