"""EX and PSJS of queries whose results are given."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.execution.execution import Execution, HashedTable, hash_rows
from retrocypher.kg.execution.hashing import HASHED_ROWS, Values
from retrocypher.kg.semantics.provenance import provenance
from retrocypher.plugins.scoring import graph_metrics
from retrocypher.plugins.scoring.graph_metrics import GraphMetrics, GraphScores

GOLD, OTHER = "MATCH (a) RETURN a.x", "MATCH (b) RETURN b.x"
FAILED = Execution("runtime_error", message="no")


def rows(*values: Any, width: int = 1) -> Execution:
    cut = [list(values[at : at + width]) for at in range(0, len(values), width)]
    return Execution("ok", columns=["c"] * width, rows=cut, row_count=len(cut))


class Results:
    """Stands in for the executor: results by text."""

    def __init__(self, **results: Execution) -> None:
        self.results: dict[str, Execution] = dict(results)
        self.ran: list[str] = []

    def run_hashed(self, cypher: str | None, values: Values) -> Execution:
        self.ran.append(cypher or "")
        return hash_rows(self.results.get(cypher or "", Execution("syntax_error", message="no")), values)

    def of(self, query: str, result: Execution, *nodes: str) -> None:
        self.results[query] = result
        self.results[provenance(query, HASHED_ROWS + 1).query or ""] = rows(list(nodes))


def test_each_text_runs_once_and_a_known_result_not_at_all() -> None:
    results = Results()
    results.of(GOLD, rows(1, 2), "n", "m")
    results.of(OTHER, rows(2, 1), "m")
    metrics = GraphMetrics(results)
    for _ in range(2):
        assert metrics.measure(GOLD, OTHER) == GraphScores(1.0, 0.5, None)
        assert metrics.measure(GOLD, GOLD) == GraphScores(1.0, 1.0, None)
    assert len(results.ran) == len(set(results.ran)) == 4
    results.ran.clear()
    assert GraphMetrics(results).measure(GOLD, OTHER, rows(2, 2)).ex == 0.0
    assert OTHER not in results.ran


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        (rows(1), FAILED, GraphScores(0.0, 1.0, None)),
        (FAILED, rows(1), GraphScores(None, 1.0, "EX: runtime_error: no")),
        (rows(), rows(), GraphScores(1.0, 1.0, None)),
    ],
)
def test_failures(gold: Execution, predicted: Execution, expected: GraphScores) -> None:
    results = Results()
    results.of(GOLD, gold, "n")
    results.of(OTHER, predicted, "n")
    assert GraphMetrics(results).measure(GOLD, OTHER) == expected


def test_two_empty_sets_are_alike_and_the_published_evaluator_gives_zero() -> None:
    results = Results(**{"RETURN 1": rows(1), "RETURN 2": rows(2)})
    assert GraphMetrics(results).measure("RETURN 1", "RETURN 2") == GraphScores(0.0, 1.0, None)
    compat = GraphMetrics(results, compat=True)
    assert compat.measure("RETURN 1", "RETURN 2") == GraphScores(0.0, 0.0, None)
    assert compat.measure("RETURN 1", "RETURN 1") == GraphScores(1.0, 1.0, None)


def test_undefined_only_where_the_prediction_runs() -> None:
    text = "SHOW INDEXES"
    results = Results(**{text: FAILED})
    results.of(GOLD, rows(1), "n")
    assert GraphMetrics(results).measure(GOLD, text) == GraphScores(0.0, 0.0, None)
    results.results[text] = rows(1)
    found = GraphMetrics(results).measure(GOLD, text)
    assert found.psjs is None
    assert found.reason == "PSJS: not understood: not one query"


def test_an_order_that_cannot_be_had_is_strict() -> None:
    gold = "MATCH (a) RETURN a.x ORDER BY a.y"
    results = Results(**{gold: rows(1, 2), OTHER: rows(2, 1)})
    assert GraphMetrics(results).measure(gold, OTHER).ex == 0.0
    results.results["MATCH (a) RETURN a.x, a.y AS __s0 ORDER BY a.y"] = rows(1, 0, 2, 0, width=2)
    assert GraphMetrics(results).measure(gold, OTHER).ex == 1.0


@pytest.mark.parametrize(
    ("refused", "executed"),
    [
        ("MATCH (a) WITH a.x AS x MERGE (:B) RETURN x", None),
        ("MATCH (a) WITH a.x AS x CALL dbms.killAll() RETURN x", Execution("refused")),
    ],
)
def test_a_refused_query_has_no_similarity(refused: str, executed: Execution | None) -> None:
    results = Results()
    results.of(GOLD, rows(1), "n")
    results.of(refused, FAILED, "n")
    assert GraphMetrics(results).measure(GOLD, refused, executed).psjs == 0.0


LARGE = HashedTable("ok", row_count=1, width=1, hashes=b"0" * 16, truncated=True)


@pytest.mark.parametrize("compat", [False, True])
def test_a_result_larger_than_any_complete_one_is_wrong(compat: bool) -> None:
    class LargePrediction(Results):
        def run_hashed(self, cypher: str | None, values: Values) -> Execution:
            return LARGE if cypher == OTHER else super().run_hashed(cypher, values)

    results = LargePrediction(**{GOLD: rows(1)})
    assert GraphMetrics(results, compat=compat).measure(GOLD, OTHER).ex == 0.0


def test_too_large_results_are_undefined() -> None:
    class Large(Results):
        def run_hashed(self, cypher: str | None, values: Values) -> Execution:
            return LARGE

    found = GraphMetrics(Large()).measure(GOLD, OTHER)
    assert found == GraphScores(None, None, "EX: the result is too large; PSJS: the result is too large")


def test_the_least_recently_used_results_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_metrics, "KEPT_BYTES", 4_500)
    results = Results(GOLD=rows(1))
    results.of(GOLD, rows(1), "n")
    metrics = GraphMetrics(results)
    for number in range(5):
        metrics.measure(GOLD, f"MATCH (b) RETURN {number}")
    assert results.ran.count(GOLD) == 1
    metrics.measure(GOLD, "MATCH (b) RETURN 0")
    assert results.ran.count("MATCH (b) RETURN 0") == 2


NODES = st.sets(st.sampled_from("abcdef"))


@given(NODES, NODES)
def test_similarity_is_symmetric_and_one_only_for_the_same_nodes(one: set[str], other: set[str]) -> None:
    results = Results()
    results.of(GOLD, rows(1), *one)
    results.of(OTHER, rows(1), *other)
    there, back = GraphMetrics(results).measure(GOLD, OTHER), GraphMetrics(results).measure(OTHER, GOLD)
    assert there == back
    assert (there.psjs == 1.0) is (one == other)


ORDERED = "MATCH (a) RETURN a.x ORDER BY a.x"


@pytest.mark.parametrize(
    ("gold", "of_gold", "of_other", "compat", "ours"),
    [
        (GOLD, rows([1, 2]), rows([2, 1]), 1.0, 0.0),
        (GOLD, rows(1), rows(True), 1.0, 0.0),
        (GOLD, rows(0.1 + 0.2), rows(0.3), 0.0, 1.0),
        (GOLD, rows({"$float": "NaN"}), rows({"$float": "NaN"}), 0.0, 1.0),
        (GOLD, rows({"$temporal": {"type": "date", "value": "2020-01-01"}}), rows("2020-01-01"), 1.0, 0.0),
        (GOLD, rows({"$temporal": {"type": "time", "value": "10"}}), rows("10"), None, 0.0),
        (GOLD, rows("10"), rows({"$temporal": {"type": "time", "value": "10"}}), 0.0, 0.0),
        (GOLD, rows([1, "a"]), rows([1, "a"]), 0.0, 1.0),
        (GOLD, rows({"a": 1}), rows({"$node": {"id": "1", "labels": [], "properties": {"a": 1}}}), 1.0, 0.0),
        (GOLD, rows({"$relationship": {"id": "1", "type": "T"}}), rows(1), None, 0.0),
        ("// order by\n" + GOLD, rows(1, 2), rows(2, 1), 0.0, 1.0),
    ],
)
def test_where_the_published_evaluator_differs(
    gold: str, of_gold: Execution, of_other: Execution, compat: float | None, ours: float
) -> None:
    results = Results(**{gold: of_gold, OTHER: of_other})
    assert GraphMetrics(results, compat=True).measure(gold, OTHER).ex == compat
    assert GraphMetrics(results).measure(gold, OTHER).ex == ours


def test_the_end_of_a_turn_is_cut_off_in_compat_mode() -> None:
    results = Results(**{GOLD: rows(1)})
    assert GraphMetrics(results, compat=True).measure(GOLD, f"{GOLD} <end_of_turn>").ex == 1.0
