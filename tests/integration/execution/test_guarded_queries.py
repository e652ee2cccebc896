"""What comes of queries of every kind on a real server: run, only planned, or run without planning."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import neo4j
import pytest
from support.suite import CHECKOUT

from retrocypher.kg.cypher.edits import quote, shape
from retrocypher.kg.execution.execution import Execution, Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.questions.question import TASKS
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server.endpoint import Endpoint

SYNTAX = "Neo.ClientError.Statement.SyntaxError"
REFUSED = [
    line
    for line in Path(__file__).with_name("refused.cypher").read_text(encoding="utf-8").splitlines()
    if not line.startswith("## ")
]


@pytest.fixture(scope="module")
def executor(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedExecutor]:
    with GuardedExecutor(endpoint, Limits(), tmp_path_factory.mktemp("turns")) as executor:
        yield executor


def test_what_is_refused_does_not_happen(executor: GuardedExecutor, driver: neo4j.Driver) -> None:
    before = _state(driver)
    found = {cypher: executor.run(cypher) for cypher in REFUSED}
    assert {cypher: each for cypher, each in found.items() if each.status != "refused"} == {}
    assert all(each.message and each.rows == [] for each in found.values())
    assert _state(driver) == before


def _state(driver: neo4j.Driver) -> list[object]:
    counts = driver.execute_query(
        "MATCH (n) RETURN count(n) AS n, count(n.guarded) AS g, count(n.name) AS m, count(n:Guarded) AS l"
    )
    indexes = driver.execute_query("SHOW INDEXES YIELD name, state RETURN name, state ORDER BY name")
    users = driver.execute_query("SHOW USERS YIELD user RETURN user", database_="system")
    return [result.records for result in (counts, indexes, users)]


@pytest.mark.parametrize(
    ("cypher", "status", "code", "part"),
    [
        ("MATCH (n)\nRETURN m", "syntax_error", SYNTAX, "(line 2, column 8 (offset: 17))"),
        ("PROFILE RETURN m", "syntax_error", SYNTAX, "(line 1, column 16 (offset: 15))"),
        ("PROFILE", "syntax_error", SYNTAX, "(line 1, column 1 (offset: 0))"),
        ("RETURN 1 AS a; RETURN 2 AS b", "syntax_error", SYNTAX, "(line 1, column 1 (offset: 0))"),
        ("/* unterminated", "syntax_error", "Neo.DatabaseError.General.UnknownError", "line 1, column 16."),
        ("RETURN 'abc", "syntax_error", SYNTAX, ""),
        ("RETURN apoc.version() AS v", "syntax_error", SYNTAX, ""),
        ("RETURN 1 AS a, 2 AS a", "syntax_error", SYNTAX, ""),
        ("MATCH (n) RETURN n; MATCH (m) DETACH DELETE m", "syntax_error", SYNTAX, ""),
        ("MATCH (n) SET m.guarded = 1", "syntax_error", SYNTAX, "It holds SET; only reading the graph is"),
        ("RETURN 1 AS a \x00", "syntax_error", SYNTAX, ""),
        ("RETURN 99999999999999999999 AS a", "syntax_error", SYNTAX, ""),
        ("\\u004cOAD CSV FROM 'file:///x' AS l RETURN l", "syntax_error", SYNTAX, ""),
        (":use system", "syntax_error", SYNTAX, ""),
        ("USE system SHOW USERS", "syntax_error", SYNTAX, ""),
        ("USE system MATCH (n) RETURN n", "syntax_error", "Neo.ClientError.Statement.SemanticError", ""),
        ("USE elsewhere RETURN 1", "runtime_error", "Neo.ClientError.Database.DatabaseNotFound", ""),
        ("RETURN date({year: 99999}) AS d", "runtime_error", None, "cannot represent a value of the result"),
        ("RETURN $name AS n", "runtime_error", "Neo.ClientError.Statement.ParameterMissing", ""),
        ("RETURN 1 / 0 AS a", "runtime_error", "Neo.ClientError.Statement.ArithmeticError", ""),
        ("CALL apoc.load.json('x')", "runtime_error", "Neo.ClientError.Procedure.ProcedureNotFound", ""),
        ("\\u0050ROFILE RETURN 1 AS a", "runtime_error", "Neo.ClientError.Statement.ArgumentError", ""),
        ("// nothing but a comment", "no_query", None, ""),
    ],
)
def test_errors(executor: GuardedExecutor, cypher: str, status: str, code: str | None, part: str) -> None:
    execution = executor.run(cypher)
    assert (execution.status, execution.code) == (status, code)
    assert execution.message is not None or status == "no_query"
    assert part in (execution.message or "")


@pytest.mark.parametrize(
    ("cypher", "columns", "rows"),
    [
        ("RETURN 1 AS b, 'x' AS a;", ["b", "a"], [[1, "x"]]),
        ("PROFILE RETURN 1 AS a", ["a"], [[1]]),
        ("CYPHER 5 runtime=slotted RETURN 1 AS a", ["a"], [[1]]),
        ("EXPLAIN RETURN 1 AS a", ["a"], []),
        ("RETURN 0.0 / 0.0 AS a, date('2020-01-02') AS b", ["a", "b"], [[
            {"$float": "NaN"}, {"$temporal": {"type": "date", "value": "2020-01-02"}}]]),
        ("CALL db.labels() YIELD label RETURN label ORDER BY label", ["label"], [["Molecule"], ["Reaction"]]),
        ("UNWIND [] AS x RETURN x", ["x"], []),
        ("RETURN 'C\\\\C=C/[N+](=O)[O-]' AS s", ["s"], [["C\\C=C/[N+](=O)[O-]"]]),
    ],
)  # fmt: skip
def test_reads(executor: GuardedExecutor, cypher: str, columns: list[str], rows: list[list[object]]) -> None:
    execution = executor.run(cypher)
    assert (execution.status, execution.columns, execution.rows) == ("ok", columns, rows)
    assert (execution.row_count, execution.truncated) == (len(rows), False)


def test_row_cap(executor: GuardedExecutor, endpoint: Endpoint, tmp_path: Path) -> None:
    full = executor.run("UNWIND range(1, 10000) AS x RETURN x")
    over = executor.run("UNWIND range(1, 10000000) AS x RETURN x")
    assert (full.row_count, full.truncated) == (10_000, False)
    assert (over.row_count, over.truncated) == (10_000, True)
    assert over.rows == full.rows
    with GuardedExecutor(endpoint, Limits(row_cap=3), tmp_path) as few:
        assert few.run("UNWIND range(1, 9) AS x RETURN x").rows == [[1], [2], [3]]
    text = "MATCH (m:Molecule) RETURN m.name AS name"
    assert executor.run(text, row_limit=7).row_count == 7
    assert executor.run(text + " LIMIT 3", row_limit=7).row_count == 3


@pytest.mark.parametrize("wide", ["range(1, 100000)", "{a: [range(1, 400)]}", "'" + "y" * 1000 + "'"])
def test_byte_cap_keeps_the_rows_before(endpoint: Endpoint, tmp_path: Path, wide: str) -> None:
    with GuardedExecutor(endpoint, Limits(byte_cap=1000), tmp_path) as executor:
        execution = executor.run(
            f"UNWIND [1, 2, 3] AS x RETURN CASE x WHEN 2 THEN {wide} ELSE 'small' END AS v"
        )
    assert (execution.status, execution.rows, execution.truncated) == ("ok", [["small"]], True)


@pytest.mark.parametrize(
    ("text", "status", "said"),
    [
        ("MATCH (m:Nothing) RETURN m.unknown", "ok", ""),
        ("MATCH (m:Molecule RETURN m", "syntax_error", "line 1, column"),
        ("MATCH (m) RETURN n", "syntax_error", "`n` not defined"),
        ("MATCH (n) DETACH DELETE n", "refused", "only read"),
        ("LOAD CSV FROM 'file:///x' AS l RETURN l", "refused", "LoadCSV"),
        ("RETURN [x IN [1] | COLLECT { LOAD CSV FROM 'a' AS l RETURN l }] AS b", "refused", "LOAD CSV"),
        ("RETURN reduce(s = 0, x IN range(1, 100000000000) | s + x)", "ok", ""),
    ],
)
def test_what_planning_says(executor: GuardedExecutor, text: str, status: str, said: str) -> None:
    found = executor.explain(text)
    assert found.status == status
    assert said in (found.message or "")
    assert found.rows == []


def test_planning_agrees_with_the_run(executor: GuardedExecutor) -> None:
    for question in load_questions().questions[::200]:
        assert executor.explain(question.reference_cypher).status == "ok"
        broken = question.reference_cypher.replace("RETURN", "RETRUN", 1)
        planned, ran = executor.explain(broken), executor.run(broken)
        assert (planned.status, planned.code, planned.message) == (ran.status, ran.code, ran.message)


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


def test_results_are_the_same_without_planning(
    executor: GuardedExecutor, endpoint: Endpoint, tmp_path: Path
) -> None:
    questions = load_questions().questions
    texts = [
        question.reference_cypher
        for task in TASKS
        for question in [found for found in questions if found.task == task][::60]
    ]
    names = [question.target for question in questions[::800]]
    texts += [template.format(quote(name)) for template in VARIED for name in names]

    # An executor plans a query whose shape it has not seen.
    planned: dict[str, Execution] = {}
    while left := [text for text in texts if text not in planned]:
        with GuardedExecutor(endpoint, Limits(), tmp_path) as fresh:
            planned |= {text: fresh.run(text) for text in {shape(text): text for text in left}.values()}
    for text, expected in planned.items():
        assert result(executor.run(text)) == result(expected), text
    # The shortcut was there to be taken.
    assert len({shape(text) for text in texts}) < len(texts) / 2
    assert {found.status for found in planned.values()} >= {"ok", "runtime_error", "syntax_error"}


def test_a_shape_seen_harmless_does_not_vouch_for_another_text(executor: GuardedExecutor) -> None:
    assert executor.run("RETURN 'a' AS a, 'b' AS b").status == "ok"
    hidden = "RETURN 'a\\u0027 AS a, [x IN [1] | COLLECT { LOAD CSV FROM \\u0027b' AS l RETURN l }] AS b"
    assert executor.run(hidden).status == "refused"
    assert executor.explain("MATCH (m:$('Molecule')) RETURN count(m)").status == "ok"
    assert executor.explain("MATCH (m:$('')) RETURN count(m)").status == "syntax_error"
    assert executor.run("USE neo4j RETURN 1 AS a").status == "ok"
    assert executor.run("USE system RETURN 1 AS a").status == "syntax_error"


@pytest.mark.usefixtures("endpoint")  # Makes the store that the example's server starts from.
def test_the_example_of_the_page_runs_as_shown(tmp_path: Path) -> None:
    page = CHECKOUT / "docs" / "server.md"
    (example,) = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert '"auto"' in example
    file = tmp_path / "example.py"
    # Docker is tested apart.
    file.write_text(example.replace('"auto"', '"local"'))
    ran = subprocess.run(
        [sys.executable, str(file)], capture_output=True, text=True, timeout=240, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert re.search(r"^ok \[\['.+'\], \['.+'\], \['.+'\]\]$", ran.stdout, re.MULTILINE)
