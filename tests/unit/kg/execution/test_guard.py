"""What the plan and the tokens of a query say about running it, and the LIMIT put on it."""

from pathlib import Path

import pytest
from support.cases import Case, read_cases

from retrocypher.kg.cypher.tokens import tokens
from retrocypher.kg.execution.guard import (
    guard_rules,
    only_reads,
    refusal_by_plan,
    refusal_by_tokens,
    with_limit,
    without_profile,
    writing_in,
)

CASES = Path(__file__).with_name("guard_cases.cypher")
READ = [("ProduceResults", "n"), ("AllNodesScan", "n")]


@pytest.mark.parametrize(
    ("query_type", "operators", "part"),
    [
        ("w", READ, "type w"),
        ("rw", READ, "type rw"),
        ("s", READ, "type s"),
        (None, READ, "type None"),
        ("r", [], "no plan"),
        ("r", [*READ, ("LoadCSV", "l")], "LoadCSV"),
        ("r", [*READ, ("ShowTransactions", "all")], "ShowTransactions"),
        ("r", [*READ, ("TerminateTransactions", "x")], "TerminateTransactions"),
        ("r", [*READ, ("TransactionApply", "")], "TransactionApply"),
        ("r", [*READ, ("ProcedureCall", "db.awaitIndex($a) :: ()")], "db.awaitindex"),
        ("r", [*READ, ("ProcedureCall", "apoc.load.json(x)")], "apoc.load.json"),
    ],
)
def test_plan_refuses(query_type: str | None, operators: list[tuple[str, str]], part: str) -> None:
    assert part in (refusal_by_plan(query_type, operators, guard_rules()) or "")


def test_plan_lets_reads_and_schema_procedures_pass() -> None:
    operators = [*READ, ("ProcedureCall", "db.labels() :: (label :: STRING)")]
    assert refusal_by_plan("r", operators, guard_rules()) is None


@pytest.mark.parametrize("case", read_cases(CASES), ids=lambda case: case.text)
def test_tokens_refuse_what_a_plan_hides_and_let_plain_reads_pass(case: Case) -> None:
    refusal = refusal_by_tokens(tokens(case.text), guard_rules())
    assert bool(refusal) == case.heading.startswith("refused")
    assert not (refusal and only_reads(case.text, guard_rules()))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("MATCH (n:Molecule) WHERE n.name = 'CC' RETURN n.name AS a ORDER BY a SKIP 1 LIMIT 2", True),
        ("OPTIONAL MATCH (n) WITH n UNWIND [1, 2] AS x RETURN x UNION MATCH (n) RETURN n AS x", True),
        ("MATCH (n) WHERE EXISTS { (n)-->() } RETURN COUNT { MATCH (n)-->(m) RETURN m } AS c", True),
        ("MATCH (n) WHERE n.name = 'CREATE (m)' RETURN n.set AS load", True),
        ("MATCH (n) RETURN COLLECT { CALL { RETURN 1 AS x } RETURN x } AS c", True),
        ("CALL { MATCH (n) RETURN n UNION MATCH (m) RETURN m AS n } RETURN n", True),
        ("MATCH (n) OPTIONAL CALL (n) { RETURN n AS m } RETURN m", True),
        ("CALL { MATCH (n) SET n.a = 1 RETURN n } RETURN n", False),
        ("CALL { CALL db.labels() YIELD label RETURN label } RETURN label", False),
        ("CALL { MATCH (n) RETURN n } IN TRANSACTIONS RETURN n", False),
        ("MATCH (m) CALL (m) { RETURN 1 AS x } IN 3 CONCURRENT TRANSACTIONS RETURN x", False),
        ("MATCH (n) RETURN [x IN [1] | COLLECT { LOAD CSV FROM 'f' AS l RETURN l }] AS r", False),
        ("MATCH (n) SET n.a = 1", False),
        ("MATCH (n) RETURN apoc.load.json('f') AS a", False),
        ("CALL db.labels()", False),
        ("SHOW INDEXES", False),
        ("USE neo4j RETURN 1", False),
        ("PROFILE RETURN 1", False),
        ("EXPLAIN RETURN 1", False),
        ("CYPHER runtime=slotted RETURN 1", False),
        ("RETURN 1; RETURN 2", False),
        ("MATCH (n RETURN n", False),
        # Where two lexers could differ.
        ("RETURN 'a\\u0027 AS a", False),
        ("RETURN 1 AS `a`", False),
        ("RETURN 1 // CALL", False),
        ("RETURN 1 /* CALL */", False),
        ("RETURN 'é'", False),
        (" ", False),
        (";", False),
        # Where parsing could take long.
        (f"RETURN {'[x IN ' * 200}[1]{'|1]' * 200} AS x", False),
    ],
)
def test_only_plain_reading_clauses_need_no_plan(text: str, expected: bool) -> None:
    assert only_reads(text, guard_rules()) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("PROFILE MATCH (n) RETURN n", "        MATCH (n) RETURN n"),
        ("/* a */ profile\nMATCH (n) RETURN n", "/* a */        \nMATCH (n) RETURN n"),
        ("CYPHER 5 runtime=slotted PROFILE RETURN 1", "CYPHER 5 runtime=slotted         RETURN 1"),
        ("MATCH (profile) RETURN profile", "MATCH (profile) RETURN profile"),
        ("RETURN 'PROFILE'", "RETURN 'PROFILE'"),
        ("", ""),
    ],
)
def test_profile_is_blanked_out_so_that_positions_stay(text: str, expected: str) -> None:
    assert without_profile(text, tokens(text)) == expected


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("MERGE (r:Reaction) MATCH (m) RETURN m", "MERGE"),
        ("MATCH (n) DETACH DELETE m", "DETACH DELETE"),
        ("MATCH (n) FOREACH (x IN y | SET n.a = x)", "FOREACH"),
        ("MATCH (n) CALL (n) { SET n.a = b } RETURN n", "SET"),
        ("MATCH (n) RETURN m", None),
        ("MATCH (n {name: 'MERGE'}) RETURN n.set AS `CREATE`, m", None),
        ("MERGE (r MATCH (m) RETURN m", None),
        ("MATCH (n) RETURN n; MATCH (m) DETACH DELETE m", None),
        ("MERGE (r) MATCH (m) RETURN m" + " " * 5_000, None),
    ],
)
def test_writing_is_told_where_there_is_no_plan_of_it(text: str, part: str | None) -> None:
    assert writing_in(text, tokens(text)) == (part and f"It holds {part}; only reading the graph is allowed.")


@pytest.mark.parametrize(
    ("text", "limited"),
    [
        ("MATCH (n) RETURN n", "MATCH (n) RETURN n\nLIMIT 100"),
        ("MATCH (n) RETURN n ORDER BY n.id SKIP 2;", "MATCH (n) RETURN n ORDER BY n.id SKIP 2\nLIMIT 100;"),
        ("MATCH (n) RETURN n // all", "MATCH (n) RETURN n\nLIMIT 100 // all"),
        ("MATCH (n) RETURN n LIMIT 500", "MATCH (n) RETURN n LIMIT 100"),
        ("MATCH (n) RETURN n LIMIT 5", "MATCH (n) RETURN n LIMIT 5"),
        ("RETURN 1 AS a UNION RETURN 2 AS a", "RETURN 1 AS a\nLIMIT 100 UNION RETURN 2 AS a\nLIMIT 100"),
        ("MATCH (n) WITH n LIMIT 500 RETURN n", "MATCH (n) WITH n LIMIT 500 RETURN n\nLIMIT 100"),
        ("RETURN COLLECT { MATCH (m) RETURN m LIMIT 900 } AS x LIMIT 1", None),
        ("RETURN 'LIMIT 900' AS x LIMIT 1 + 1", None),
        ("MATCH (n RETURN n", None),
    ],
)
def test_a_limit_is_added_or_lowered(text: str, limited: str | None) -> None:
    expected = text if limited is None else limited
    assert with_limit(text, 100) == expected
    assert with_limit(expected, 100) == expected
