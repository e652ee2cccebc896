"""What planning alone says of a query."""

import pytest

from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.questions.reading import load_questions


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("MATCH (m:Molecule {name: 'CCO'}) RETURN m", "ok", ""),
        ("MATCH (m:Nothing) RETURN m.unknown", "ok", ""),
        ("MATCH (m:Molecule RETURN m", "syntax_error", "line 1, column"),
        ("MATCH (m) RETURN n", "syntax_error", "`n` not defined"),
        ("MATCH (n) DETACH DELETE n", "refused", "only read"),
        ("LOAD CSV FROM 'file:///x' AS l RETURN l", "refused", "LoadCSV"),
        ("RETURN [x IN [1] | COLLECT { LOAD CSV FROM 'a' AS l RETURN l }] AS b", "refused", "LOAD CSV"),
        ("// nothing", "no_query", ""),
        (None, "no_query", ""),
        ("RETURN '\ud800'", "syntax_error", "surrogate"),
        ("RETURN reduce(s = 0, x IN range(1, 100000000000) | s + x)", "ok", ""),
    ],
)
def test_status_and_message(executor: GuardedExecutor, text: str | None, status: str, said: str) -> None:
    found = executor.explain(text)
    assert found.status == status
    assert said in (found.message or "")
    assert found.rows == []


def test_it_agrees_with_the_run(executor: GuardedExecutor) -> None:
    for question in load_questions().questions[::200]:
        assert executor.explain(question.reference_cypher).status == "ok"
        broken = question.reference_cypher.replace("RETURN", "RETRUN", 1)
        planned, ran = executor.explain(broken), executor.run(broken)
        assert (planned.status, planned.code, planned.message) == (ran.status, ran.code, ran.message)


def test_a_known_shape_does_not_vouch_for_a_text(executor: GuardedExecutor) -> None:
    assert executor.explain("MATCH (m:$('Molecule')) RETURN count(m)").status == "ok"
    assert executor.explain("MATCH (m:$('')) RETURN count(m)").status == "syntax_error"


def test_a_call_ends_at_its_own_limit(executor: GuardedExecutor) -> None:
    endless = "MATCH (a:Molecule), (b:Molecule), (c:Molecule) RETURN sum(size(a.name + b.name + c.name))"
    found = executor.run(endless, timeout_s=1)
    assert found.status == "timeout"
    assert found.time_s < 4


def test_a_call_has_no_more_rows_than_its_limit(executor: GuardedExecutor) -> None:
    text = "MATCH (m:Molecule) RETURN m.name AS name"
    assert executor.run(text, row_limit=7).row_count == 7
    assert executor.run(text + " LIMIT 3", row_limit=7).row_count == 3
