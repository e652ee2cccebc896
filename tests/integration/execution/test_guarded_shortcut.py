"""Skipping the planning of a known shape, with strings as parameters, changes no result."""

from retrocypher.kg.cypher.edits import quote, shape
from retrocypher.kg.execution.execution import Call, Execution, Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.questions.question import TASKS
from retrocypher.kg.questions.reading import load_questions

VARIED = [
    "MATCH (m:Molecule {{name: {0}}})<-[p:PRODUCES]-(r:Reaction) RETURN r, p, m",
    "MATCH (m:Molecule) WHERE m.name CONTAINS {0} RETURN m.name AS name LIMIT 5",
    "MATCH (m:Molecule) WHERE m.name STARTS WITH {0} RETURN m ORDER BY m.name LIMIT 5",
    "MATCH (m:Molecule) WHERE m.name IN [{0}, 'CCO'] RETURN m.name = 'CCO', m.name ORDER BY m.name",
    "MATCH (m:Molecule) WHERE 'CCO' = m.name OR m.name <> {0} RETURN count(*)",
    "MATCH p = (m:Molecule {{name: {0}}})-[:REACTS_IN|PRODUCES*..2]->(x) RETURN p",
    "MATCH (m:Molecule {{name: {0}}}) RETURN m.name + {0} AS twice, {0}",
    "MATCH (m:Molecule {{name: {0}}}) RETURN 1 / 0 AS never",
    "MATCH (m:Molecule) WHERE m.name IN {0} RETURN m",
    "MATCH (m:Molecule) WHERE m.name =~ {0} RETURN m",
    "MATCH (m:Molecule {{name: {0}}}) RETURN m.name AS n, $missing AS x",
    "MATCH (m:Molecule {{name: {0}}}) CALL {{ WITH m MATCH (m)-->(r) RETURN r.id AS i }} RETURN i ORDER BY i",
    "PROFILE MATCH (m:Molecule {{name: {0}}}) RETURN m.name AS n",
]


def result(execution: Execution) -> tuple[object, ...]:
    parts = ("status", "code", "message", "columns", "rows", "truncated")
    return tuple(getattr(execution, part) for part in parts)


def test_results_are_the_same(executor: GuardedExecutor) -> None:
    questions = load_questions().questions
    texts = [
        question.reference_cypher
        for task in TASKS
        for question in [found for found in questions if found.task == task][::60]
    ]
    names = [question.target for question in questions[::800]]
    texts += [template.format(quote(name)) for template in VARIED for name in names]

    whole = [executor._attempt(Call(text, Limits()), shortcut=False) for text in texts]
    for text, expected in zip(texts, whole, strict=True):
        assert isinstance(expected, Execution)
        assert result(executor.run(text)) == result(expected), text
    # The shortcut was there to be taken.
    assert len({shape(text) for text in texts}) < len(texts) / 2
    assert {found.status for found in whole} >= {"ok", "runtime_error", "syntax_error"}


def test_a_shape_seen_harmless_does_not_vouch_for_another_text(executor: GuardedExecutor) -> None:
    assert executor.run("RETURN 'a' AS a, 'b' AS b").status == "ok"
    hidden = "RETURN 'a\\u0027 AS a, [x IN [1] | COLLECT { LOAD CSV FROM \\u0027b' AS l RETURN l }] AS b"
    assert executor.run(hidden).status == "refused"
    assert executor.run("USE neo4j RETURN 1 AS a").status == "ok"
    assert executor.run("USE system RETURN 1 AS a").status == "syntax_error"
