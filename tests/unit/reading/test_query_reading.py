import pytest
from support.schemas import default_schema

from kg.questions import load_questions
from kg.reading import read_query

SCHEMA = default_schema()


@pytest.mark.parametrize("question", load_questions().questions[::40], ids=lambda question: question.id)
def test_a_reference_is_read_without_a_gap(question):
    reading = read_query(question.reference_cypher, SCHEMA)
    assert not reading.unread
    assert not reading.undefined
    assert {edge.agreement for edge in reading.edges} == {"as_written"}
    assert reading.returned() is not None
