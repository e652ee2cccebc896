"""EX and PSJS on the reaction graph: references, neutral rewrites, and queries of every kind by hand."""

import random
from collections.abc import Iterator

import pytest

from retrocypher.kg.execution.execution import HashedTable, Limits, hash_rows
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.execution.hashing import HASHED_ROWS
from retrocypher.kg.mutations.registry import mutate, operators_of
from retrocypher.kg.questions.question import Question
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.provenance import provenance
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.scoring.graph_metrics import GraphMetrics, GraphScores

SAMPLE = 300
RIGHT = GraphScores(1.0, 1.0, None)
OTHER_MATCH_PART = ("collect_early", "pattern_for_each")
"""Neutral operators that put another WITH with an alias into a query, or take it out."""

NEUTRAL = [each for each in operators_of("neutral") if each.name != "return_path"]
"""Operators that change no value: `return_path` returns ids in place of nodes."""

ONE = "MATCH (r:Reaction {id: 1})-[:PRODUCES]->(m:Molecule) "


@pytest.fixture(scope="module")
def executor(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedExecutor]:
    with GuardedExecutor(endpoint, Limits(), tmp_path_factory.mktemp("turns")) as executor:
        yield executor


@pytest.fixture
def metrics(executor: GuardedExecutor) -> GraphMetrics:
    return GraphMetrics(executor)


def sampled() -> list[Question]:
    return random.Random(5).sample(load_questions().questions, SAMPLE)


def test_references_and_their_neutral_rewrites_are_right(metrics: GraphMetrics) -> None:
    wrong: list[tuple[str, str, GraphScores]] = []
    for question in sampled():
        reference = question.reference_cypher
        neutral = mutate(reference, NEUTRAL, seed=1, key=question.id)
        assert neutral is not None
        for query in (reference, f"{reference} ", neutral.query):
            found = metrics.measure(reference, query)
            if query == neutral.query and neutral.operator in OTHER_MATCH_PART:
                found = found._replace(psjs=1.0)
            wrong += [] if found == RIGHT else [(neutral.operator, query, found)]
    assert wrong == []


def test_a_dropped_row_is_wrong(metrics: GraphMetrics, executor: GuardedExecutor) -> None:
    for question in sampled()[:40]:
        reference = question.reference_cypher
        rows = executor.run(reference).row_count
        found = metrics.measure(reference, f"{reference}\nLIMIT {rows - 1}")
        assert found == GraphScores(0.0, 1.0, None)


def test_a_known_result_is_not_run_again(metrics: GraphMetrics, executor: GuardedExecutor) -> None:
    for cypher in (
        f"{ONE} RETURN r, m, [m], {{a: r.id, b: 1.5}}, 0.1 + 0.2, date('2020-01-02'), point({{x: 1, y: 2}})",
        "MATCH p = (:Reaction {id: 1})--() RETURN p, relationships(p), 0.0/0.0, null, true",
    ):
        hashed = executor.run_hashed(cypher, "ordered_lists")
        assert isinstance(hashed, HashedTable)
        known = hash_rows(executor.run(cypher), "ordered_lists")
        assert isinstance(known, HashedTable)
        assert (known.hashes, known.width, known.row_count) == (hashed.hashes, hashed.width, hashed.row_count)
        assert known.row_count > 0


def test_results_are_complete_up_to_the_limit(executor: GuardedExecutor) -> None:
    columns = ", ".join(f"i + {number} AS c{number}" for number in range(8))
    for rows, truncated in ((HASHED_ROWS, False), (HASHED_ROWS + 1, True)):
        found = executor.run_hashed(f"UNWIND range(1, {rows}) AS i RETURN {columns}", "ordered_lists")
        assert isinstance(found, HashedTable)
        assert (found.row_count, found.width, found.truncated) == (HASHED_ROWS, 8, truncated)
        assert len(found.hashes) == HASHED_ROWS * 8 * 16


def test_what_fails_is_no_table(executor: GuardedExecutor) -> None:
    for cypher, status in (
        ("", "no_query"),
        ("RETURN m", "syntax_error"),
        ("RETURN 1 / 0 AS x", "runtime_error"),
        ("CREATE (n) RETURN n", "refused"),
    ):
        found = executor.run_hashed(cypher, "ordered_lists")
        assert (found.status, type(found).__name__) == (status, "Execution")


@pytest.mark.parametrize(
    ("gold", "predicted", "ex"),
    [
        (f"{ONE} RETURN r.id AS a, m.name AS b", f"{ONE} RETURN m.name, r.id", 1),
        (f"{ONE} RETURN r.id", f"{ONE} RETURN toFloat(r.id)", 1),
        (f"{ONE} RETURN r.id", f"{ONE} RETURN toString(r.id)", 0),
        (f"{ONE} RETURN m", f"{ONE} RETURN properties(m)", 0),
        (f"{ONE} RETURN m", f"{ONE} RETURN m AS x", 1),
        (f"{ONE} RETURN r.id", "RETURN r.id", 0),
        ("RETURN [1, 2] AS x", "RETURN [2, 1] AS x", 0),
        ("UNWIND [1, 2] AS x RETURN collect(x)", "UNWIND [2, 1] AS x RETURN collect(x)", 1),
        ("UNWIND [1, 2] AS x RETURN x", "UNWIND [2, 1] AS x RETURN x", 1),
        ("UNWIND [1, 2] AS x RETURN x ORDER BY x", "UNWIND [2, 1] AS x RETURN x", 0),
        ("UNWIND [1, 2] AS x RETURN x ORDER BY x", "UNWIND [1, 2] AS x RETURN x", 1),
        (
            "UNWIND [1, 2, 3] AS x RETURN x ORDER BY x % 2",
            "UNWIND [2, 3, 1] AS x RETURN x",
            1,
        ),
        (
            "UNWIND [1, 2, 3] AS x RETURN DISTINCT x AS a ORDER BY a % 2 DESC",
            "UNWIND [3, 1, 2] AS x RETURN x",
            1,
        ),
        (
            "UNWIND [1, 2, 2] AS x RETURN x AS a, count(*) AS n ORDER BY n * 2 DESC",
            "UNWIND [[2, 2], [1, 1]] AS x RETURN x[0], x[1]",
            1,
        ),
        (
            "UNWIND [1, 2, 2] AS x RETURN x AS a, count(*) AS n ORDER BY n * 2 DESC",
            "UNWIND [[1, 1], [2, 2]] AS x RETURN x[0], x[1]",
            0,
        ),
        ("MATCH (r:Reaction) RETURN r.id LIMIT 0", "MATCH (r:Reaction) RETURN r.id, r LIMIT 0", 1),
        (f"{ONE} RETURN *", f"{ONE} RETURN m, r", 1),
        (f"{ONE} RETURN * ORDER BY r.id", f"{ONE} RETURN m, r", 1),
    ],
)
def test_results_by_hand(metrics: GraphMetrics, gold: str, predicted: str, ex: int) -> None:
    found = metrics.measure(gold, predicted)
    assert (found.ex, found.reason) == (ex, None)


A = "(r:Reaction {id: 1})"


@pytest.mark.parametrize(
    ("query", "same"),
    [
        (f"MATCH {A} RETURN count(*)", f"MATCH {A} RETURN r"),
        (f"MATCH {A}--(m) RETURN m", f"MATCH {A} MATCH (r)--(x) RETURN r, x"),
        (f"MATCH {A}--() RETURN r", f"MATCH {A}--(x) RETURN x"),
        (f"MATCH {A}-[:PRODUCES*1..3]-(m) RETURN m", f"MATCH {A}-[:PRODUCES]-{{1,3}}(m) RETURN r"),
        (f"MATCH {A} (()-[:PRODUCES]-()){{1,3}} (m) RETURN m", f"MATCH {A}-[:PRODUCES*1..3]-(m) RETURN r"),
        (f"MATCH {A}--(m) WITH DISTINCT r WHERE r.id > 5 RETURN r", "MATCH (n) WHERE n.id < 0 RETURN n"),
        (f"MATCH {A}--(m) WITH r MATCH (r)-[:PRODUCES]->(m) RETURN m", f"MATCH {A}--(m) RETURN m"),
        (f"MATCH {A}--(m) WITH m.name AS n MATCH (x {{name: n}})--(y) RETURN y", f"MATCH {A}--(m) RETURN m"),
        (f"MATCH {A}--(m) WITH r, count(m) AS n WHERE n > 99 RETURN r", f"MATCH {A}--(m) RETURN m"),
        (f"MATCH {A} WHERE EXISTS {{ (r)--(m) }} RETURN r", f"MATCH {A} RETURN r"),
        (f"MATCH {A} WHERE COUNT {{ (r)--() }} > 0 RETURN r", f"MATCH {A} RETURN r"),
        (f"MATCH {A} OPTIONAL MATCH (r)-[:NONE]->(m) RETURN m", f"MATCH {A} RETURN r"),
        (f"MATCH {A} CALL {{ WITH r MATCH (r)--(m) RETURN m }} RETURN m.name", f"MATCH {A}--(m) RETURN m"),
        (
            f"MATCH {A} CALL (r) {{ MATCH (r)--(m) RETURN count(m) AS n }} RETURN n",
            f"MATCH {A}--(m) RETURN m",
        ),
        (f"MATCH {A} CALL (*) {{ MATCH (r)--(m) RETURN m }} RETURN m", f"MATCH {A}--(m) RETURN m"),
        (
            f"CALL {{ MATCH {A} RETURN r UNION ALL MATCH (r:Reaction {{id: 2}}) RETURN r }} RETURN r.id",
            "MATCH (r:Reaction) WHERE r.id IN [1, 2] RETURN r",
        ),
        (
            f"MATCH {A} RETURN r.id AS i UNION MATCH (:Reaction {{id: 2}}) RETURN 5 AS i UNION RETURN 6 AS i",
            "MATCH (r:Reaction) WHERE r.id IN [1, 2] RETURN r",
        ),
        (
            "UNWIND [1, 2] AS i MATCH (r:Reaction {id: i}) RETURN r",
            "MATCH (r:Reaction) WHERE r.id IN [1, 2] RETURN r",
        ),
        ("WITH 1 AS i MATCH (r:Reaction {id: i}) RETURN r", f"MATCH {A} RETURN r"),
        (f"MATCH (m:Molecule)--{A} WITH m, r LIMIT 1 MATCH (m)--(x) RETURN x", f"MATCH {A}--(m) RETURN m"),
        (
            f"MATCH (m:Molecule)<-[:PRODUCES]-{A} MATCH p = shortestPath((r)-[*]-(m)) RETURN p",
            f"{ONE} RETURN m",
        ),
        (
            f"MATCH `a b` = {A}-[*1..2]-() WITH * WHERE true RETURN 1 AS __n",
            f"MATCH {A}--()--() MATCH (r)--(x) RETURN 1 AS __n",
        ),
        ("RETURN 1 AS x", "MATCH (n:Nothing) RETURN n"),
    ],
)
def test_the_same_subgraph(metrics: GraphMetrics, query: str, same: str) -> None:
    found = metrics.measure(query, same)
    assert (found.psjs, found.reason) == (1.0, None)


def test_parts_of_a_subgraph(metrics: GraphMetrics, executor: GuardedExecutor) -> None:
    gold = "MATCH (r:Reaction) WHERE r.id IN [1, 2, 3] RETURN r.id"
    for predicted, psjs in (
        ("MATCH (r:Reaction) WHERE r.id IN [1, 2] RETURN r", 2 / 3),
        ("MATCH (r:Reaction) WHERE r.id IN [3, 4] RETURN r", 1 / 4),
        ("MATCH (r:Reaction) WHERE r.id IN [3, 4] RETURN nothing", 1 / 4),
        ("MATCH (r:Reaction RETURN r", 0),
        ("", 0),
        ("RETURN 1", 0),
        ("MATCH (r:Reaction) SET r.x = 1", 0),
        ("MATCH (r:Reaction) WHERE r.id / 0 = 1 RETURN r", 0),
    ):
        assert metrics.measure(gold, predicted).psjs == pytest.approx(psjs)
        assert metrics.measure(predicted, gold).psjs in (None, pytest.approx(psjs))


def test_undefined_has_a_reason(metrics: GraphMetrics) -> None:
    reason = metrics.measure("RETURN x", "RETURN 1").reason
    assert reason is not None
    assert reason.startswith("EX: syntax_error: Variable `x` not defined")
    wide = f"UNWIND range(0, {HASHED_ROWS}) AS x RETURN x"
    assert metrics.measure("RETURN 1", wide) == GraphScores(0.0, 1.0, None)
    assert metrics.measure(wide, wide) == GraphScores(None, 1.0, "EX: the result is too large")


def test_every_provenance_query_of_a_reference_is_planned(executor: GuardedExecutor) -> None:
    for question in load_questions().questions[::10]:
        query = provenance(question.reference_cypher, HASHED_ROWS + 1).query
        assert query
        assert executor.explain(query).status == "ok"
