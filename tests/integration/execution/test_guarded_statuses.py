"""What comes of queries of every kind on a real server."""

from pathlib import Path

import neo4j
import pytest

from retrocypher.kg.execution.execution import Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.server.endpoint import Endpoint

SYNTAX = "Neo.ClientError.Statement.SyntaxError"


REFUSED = [
    line
    for line in Path(__file__).with_name("refused.cypher").read_text(encoding="utf-8").splitlines()
    if not line.startswith("## ")
]


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
    ("cypher", "status", "code"),
    [
        ("MATCH (n RETURN n", "syntax_error", SYNTAX),
        ("/* unterminated", "syntax_error", "Neo.DatabaseError.General.UnknownError"),
        ("RETURN 'abc", "syntax_error", SYNTAX),
        ("RETURN undefined", "syntax_error", SYNTAX),
        ("RETURN apoc.version() AS v", "syntax_error", SYNTAX),
        ("RETURN 1 AS a, 2 AS a", "syntax_error", SYNTAX),
        ("RETURN 1 AS a; RETURN 2 AS b", "syntax_error", SYNTAX),
        ("MATCH (n) RETURN n; MATCH (m) DETACH DELETE m", "syntax_error", SYNTAX),
        ("RETURN 1 AS a \x00", "syntax_error", SYNTAX),
        ("RETURN 99999999999999999999 AS a", "syntax_error", SYNTAX),
        ("\\u004cOAD CSV FROM 'file:///x' AS l RETURN l", "syntax_error", SYNTAX),
        (":use system", "syntax_error", SYNTAX),
        ("USE system SHOW USERS", "syntax_error", SYNTAX),
        ("USE system MATCH (n) RETURN n", "syntax_error", "Neo.ClientError.Statement.SemanticError"),
        ("USE elsewhere MATCH (n) RETURN n", "runtime_error", "Neo.ClientError.Database.DatabaseNotFound"),
        ("RETURN $name AS n", "runtime_error", "Neo.ClientError.Statement.ParameterMissing"),
        ("RETURN 1 / 0 AS a", "runtime_error", "Neo.ClientError.Statement.ArithmeticError"),
        ("CALL apoc.load.json('x')", "runtime_error", "Neo.ClientError.Procedure.ProcedureNotFound"),
        ("\\u0050ROFILE RETURN 1 AS a", "runtime_error", "Neo.ClientError.Statement.ArgumentError"),
        ("// nothing but a comment", "no_query", None),
    ],
)
def test_errors(executor: GuardedExecutor, cypher: str, status: str, code: str | None) -> None:
    execution = executor.run(cypher)
    assert (execution.status, execution.code) == (status, code)
    assert execution.message is not None or status == "no_query"


@pytest.mark.parametrize(
    ("cypher", "position"),
    [
        ("MATCH (n)\nRETURN m", "(line 2, column 8 (offset: 17))"),
        ("PROFILE RETURN m", "(line 1, column 16 (offset: 15))"),
        ("/* unterminated", "Lexical error at line 1, column 16."),
        ("PROFILE", "(line 1, column 1 (offset: 0))"),
        ("RETURN 1 AS a; RETURN 2 AS b", "(line 1, column 1 (offset: 0))"),
    ],
)
def test_message_points_into_the_query_as_given(
    executor: GuardedExecutor, cypher: str, position: str
) -> None:
    message = executor.run(cypher).message or ""
    assert position in message


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


@pytest.mark.parametrize(
    ("cypher", "begins"),
    [
        ("MERGE (r:Reaction) MATCH (m:Molecule) RETURN m.name", "It holds MERGE; only reading the graph is"),
        ("MATCH (n) SET m.guarded = 1", "It holds SET; only reading the graph is"),
        ("MATCH (n) RETURN m", "Variable `m` not defined"),
    ],
)
def test_of_what_writes_and_cannot_be_planned_the_writing_is_told_first(
    executor: GuardedExecutor, cypher: str, begins: str
) -> None:
    execution = executor.run(cypher)
    assert (execution.status, execution.code) == ("syntax_error", SYNTAX)
    assert (execution.message or "").startswith(begins)
    assert "line 1, column" in (execution.message or "")


def test_row_cap(executor: GuardedExecutor, endpoint: Endpoint, tmp_path: Path) -> None:
    full = executor.run("UNWIND range(1, 10000) AS x RETURN x")
    over = executor.run("UNWIND range(1, 10000000) AS x RETURN x")
    assert (full.row_count, full.truncated) == (10_000, False)
    assert (over.row_count, over.truncated) == (10_000, True)
    assert over.rows == full.rows
    with GuardedExecutor(endpoint, Limits(row_cap=3), tmp_path) as few:
        assert few.run("UNWIND range(1, 9) AS x RETURN x").rows == [[1], [2], [3]]


@pytest.mark.parametrize("wide", ["range(1, 100000)", "{a: [range(1, 400)]}", "'" + "y" * 1000 + "'"])
def test_byte_cap_keeps_the_rows_before(endpoint: Endpoint, tmp_path: Path, wide: str) -> None:
    with GuardedExecutor(endpoint, Limits(byte_cap=1000), tmp_path) as executor:
        execution = executor.run(
            f"UNWIND [1, 2, 3] AS x RETURN CASE x WHEN 2 THEN {wide} ELSE 'small' END AS v"
        )
    assert (execution.status, execution.rows, execution.truncated) == ("ok", [["small"]], True)
