"""On the graph: a reference with turned arrows, once corrected, gives the rows of its gold again."""

import neo4j
import pytest

from retrocypher.kg.cypher.clauses import relationship_patterns, reverse
from retrocypher.kg.cypher.edits import apply_edits
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.graph.loading import schema_text
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.direction import correct_directions
from retrocypher.kg.semantics.schema import Schema, parse_schema


@pytest.fixture(scope="module")
def schema(driver: neo4j.Driver) -> Schema:
    return parse_schema(schema_text(driver))


def sampled() -> list[Question]:
    """A question of each single-step task; a route of a multi-step one fits the schema from either end."""
    asked = [question for question in load_questions().questions if question.setting == "single_step"]
    return list({question.task: question for question in asked}.values())


def rows(driver: neo4j.Driver, query: str) -> list[str]:
    with driver.session(default_access_mode=neo4j.READ_ACCESS) as session:
        return sorted(repr(_plain(record.data())) for record in session.run(query))


def _plain(value: object) -> object:
    """Lists in one order: ``collect`` promises none."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    return sorted(map(repr, value)) if isinstance(value, list) else value


def test_the_rows_come_back(driver: neo4j.Driver, schema: Schema) -> None:
    for question in sampled():
        reference = question.reference_cypher
        arrows = [reverse(pattern) for pattern in relationship_patterns(parse(reference))]
        every = apply_edits(reference, [edit for edits in arrows for edit in edits])
        one = apply_edits(reference, arrows[0])
        gold = rows(driver, reference)
        assert rows(driver, one) != gold
        assert rows(driver, every) != gold
        assert rows(driver, correct_directions(one, schema).query) == gold
        assert rows(driver, correct_directions(every, schema).query) == gold
