"""Rows that come from records: the case's own, then those of others, then none."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs
from support.loops import FakeGraph
from support.records import record_of, write_run

from retrocypher.kg.execution.execution import Execution
from retrocypher.plugins.runs.graph_calls import WatchedGraph, calls_of
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Fallback, Record, ResultScores, fields_of
from retrocypher.plugins.runs.replay import NotRecorded, RecordedGraphs, RunIndex

MANIFEST: Mapping[str, Any] = {"options": {"seed": 0}, "models": [], "loops": {"players": {}}}
ROWS = Execution("ok", columns=["id"], rows=[[1]], row_count=1, time_s=0.5)


class Counting(FakeGraph):
    """Gives each call another number."""

    def run(
        self, cypher: str | None, *, timeout_s: float | None = None, row_limit: int | None = None
    ) -> Execution:
        self.ran.append((cypher, timeout_s, row_limit))
        number = len(self.ran)
        return Execution("ok", columns=["n"], rows=[[number]], row_count=1, time_s=float(number))


def graphs(*folders: Path) -> RecordedGraphs:
    for folder in folders:
        (folder / "manifest.json").write_text(json.dumps(MANIFEST))
    return RecordedGraphs(RunIndex([RunLog(folder) for folder in folders]))


def looped(watched: WatchedGraph, execution: Execution, fallback: Fallback) -> Record:
    """The record of a case whose loop asked a graph, as it is read."""
    held = {**fields_of(execution), "fallback": fallback}
    return record_of("a", loop="mine", execution=held, graph_calls=watched.calls(execution, fallback))


def test_a_graph_is_asked_the_same_once_in_a_case() -> None:
    graph = Counting()
    watched = WatchedGraph(graph)
    first = watched.run("RETURN 1")
    assert watched.run("RETURN 1") is first
    assert watched.run("RETURN 1", row_limit=5) is not first
    assert watched.run("RETURN 1", timeout_s=5.0) is not first
    plan = watched.explain("RETURN 1")
    assert watched.explain("RETURN 1") is plan
    watched.explain(None)
    assert len(graph.ran) == 3
    assert len(watched.calls(first, None)) == 4


def test_what_the_record_holds_elsewhere_is_named_and_read_back() -> None:
    watched = WatchedGraph(Counting())
    early, last, around = (watched.run(query) for query in ("RETURN 1", "RETURN 2", "RETURN 3"))
    kept = {key: value for key, value in fields_of(around).items() if key != "code"}
    scores = ResultScores(0.0, 0.0, 0.0, None, None)
    record = looped(watched, last, Fallback(reason="empty", scores=scores, **kept))
    assert [call.result for call in record.graph_calls] == [early, "execution", "fallback"]
    assert [(call.cypher, result) for call, result in calls_of(record)] == [
        ("RETURN 1", early),
        ("RETURN 2", last),
        ("RETURN 3", around),
    ]


def test_the_same_rows_at_another_time_are_not_written_twice() -> None:
    watched = WatchedGraph(Counting())
    last = watched.run("RETURN 2")
    again = Execution("ok", columns=["n"], rows=[[1]], row_count=1, time_s=9.0)
    assert watched.calls(again, None)[0].result == "execution"
    assert watched.calls(ROWS, None)[0].result == last


def test_a_case_is_given_its_own_rows_before_those_of_others(tmp_path: Path) -> None:
    def ran(case_id: str, number: int) -> Any:
        execution = structs.replace(ROWS, rows=[[number]])
        return record_of(case_id, cypher="RETURN 1", execution=execution)

    here = write_run(tmp_path / "here", [ran("a", 1), ran("b", 2)])
    there = write_run(tmp_path / "there", [ran("b", 3), ran("c", 4)])
    both = graphs(here, there)
    rows = {name: both.of(name).run("RETURN 1").rows for name in "abcd"}
    assert rows == {"a": [[1]], "b": [[2]], "c": [[4]], "d": [[1]]}


@pytest.mark.parametrize(
    "execution",
    [
        Execution("ok", columns=["n"], rows=[[1]], row_count=1, truncated=True, time_s=2.0),
        Execution("timeout", message="No result within 1 s.", time_s=1.0),
        Execution("syntax_error", code="Neo.X", message="Invalid input"),
        Execution("refused", message="only reading the graph is allowed"),
    ],
    ids=lambda each: each.status,
)
def test_whatever_came_of_a_query_comes_of_it_again(tmp_path: Path, execution: Execution) -> None:
    run = write_run(tmp_path, [record_of("a", cypher="RETURN 1", execution=execution)])
    assert graphs(run).of("a").run("RETURN 1") == execution


def test_what_no_run_holds_is_an_error_that_names_the_case(tmp_path: Path) -> None:
    gone = {"stage": "graph", "kind": "GraphUnavailable", "message": "gone"}
    records = [
        record_of("a", cypher="RETURN 1", execution=ROWS),
        record_of("b", cypher="RETURN 2", infrastructure_error=gone),
        record_of("c", loop="cove", cypher="RETURN 3", execution=ROWS),
    ]
    run = write_run(tmp_path, records)
    graph = graphs(run).of("b")
    for query in ("RETURN 2", "RETURN 3", "RETURN  1"):
        with pytest.raises(NotRecorded, match=rf"^b: the records of {run} hold no rows .*'{query}'"):
            graph.run(query)
    with pytest.raises(NotRecorded, match="hold no plan of its query"):
        graph.explain("RETURN 1")
    # Rows asked for with a limit are others.
    with pytest.raises(NotRecorded):
        graph.run("RETURN 1", row_limit=5)


def test_no_query_needs_no_record(tmp_path: Path) -> None:
    graph = graphs(write_run(tmp_path, [])).of("a")
    for query in (None, "", " \n"):
        assert graph.run(query).status == graph.explain(query).status == "no_query"
