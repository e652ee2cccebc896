"""Text as models write it when they go astray: every reader of queries copes with it."""

import pytest

from retrocypher.kg.execution.execution import Execution, Status
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.direction import correct_directions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.runs.record import Scores
from retrocypher.plugins.scoring.labels import labels_of
from retrocypher.plugins.scoring.variations import variations
from retrocypher.prompts.validation.validator import SchemaValidator

SCHEMA = default_schema()
QUESTION = next(each for each in load_questions().questions if each.task == "chains_to_target")
SCORES = Scores(precision=0.0, recall=0.0, f1=0.0, per_key={})
PATH = "MATCH p = (a:Molecule)-[:REACTS_IN|PRODUCES{}]->(t:Molecule {{name: 'C'}}) RETURN p"
HOSTILE = {
    **{
        f"length {each[:9]}": PATH.format(each)
        for each in ("*4x", "*4steps", "*2n", "*..4hops", "*" + "9" * 5000)
    },
    "quantifier": "MATCH p = (a)-[:PRODUCES]->{2n}(b) RETURN p",
    "huge quantifier": "MATCH p = (a)-[:PRODUCES]->{" + "9" * 5000 + "}(b) RETURN p",
    "huge limit": "MATCH (r:Reaction) RETURN r LIMIT " + "9" * 5000,
    "huge id": "MATCH (r:Reaction) WHERE r.id = " + "9" * 5000 + " RETURN r",
    "infinite": "MATCH p = (r)-[*1..2]->() WHERE size(nodes(p)) = 1e400 RETURN p",
    "halved infinity": "MATCH p = (r)-[*1..2]->() WHERE size(nodes(p)) / 2 = 1e400 - 1e400 RETURN p",
    "division": "MATCH p = ()-[*]->() WHERE length(p) = 5 / 0 RETURN p",
    "rest": "MATCH p = ()-[*]->() WHERE length(p) = 5 % 0 RETURN p",
    "power": "MATCH p = ()-[*]->() WHERE length(p) = 9 ^ 9 ^ 9 ^ 9 RETURN p",
    "product": "MATCH p = ()-[*]->() WHERE length(p) = 9000000000000000000 * 9000000000000000000 RETURN p",
    "range": "MATCH p = ()-[*]->() WHERE length(p) IN range(1, 99999999999) RETURN p",
    "lists": "RETURN " + "[" * 400 + "]" * 400 + " AS x",
    "deep lists": "RETURN " + "[" * 2000 + "]" * 2000 + " AS x",
    "brackets": "RETURN " + "(" * 300 + "1" + ")" * 300 + " AS x",
    "cases": "RETURN " + "CASE WHEN true THEN " * 1000 + "1" + " END" * 1000,
    "subqueries": "MATCH (a) WHERE " + "EXISTS { MATCH (a) WHERE " * 60 + "true" + " }" * 60 + " RETURN a",
    "negations": "RETURN " + "NOT " * 2000 + "true",
    "sum": "RETURN " + "1+" * 3000 + "1",
    "conjunction": "MATCH (r) WHERE " + "r.id = 1 AND " * 500 + "true RETURN r",
    "half a character": "RETURN 1 AS x /* \ud83d */",
    "half a name": "MATCH (m:Molecule {name: '\ud83d'}) RETURN m",
    "escaped": "RETURN '\\uZZZZ'",
    "escaped half": "RETURN '\\uD800' AS `\\uD800`",
}


@pytest.mark.parametrize("status", ["ok", "syntax_error", "runtime_error"])
@pytest.mark.parametrize("query", HOSTILE.values(), ids=HOSTILE)
def test_a_case_gets_labels(query: str, status: Status) -> None:
    execution = Execution(status, columns=["x"], rows=[[1]], row_count=1)
    labels = labels_of(QUESTION, query, execution, SCORES, SCHEMA)
    assert labels
    assert status == "ok" or status in labels or "schema_violation" in labels[0] or "refused" in labels


@pytest.mark.parametrize("query", HOSTILE.values(), ids=HOSTILE)
def test_every_reader_copes(query: str) -> None:
    validated = SchemaValidator(SCHEMA, "benchmark").validate(query, QUESTION.text)
    assert validated.findings or validated.note
    assert correct_directions(query, SCHEMA).query
    variations(query, QUESTION.reference_cypher)
