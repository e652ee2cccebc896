"""Replayed runs: completions and rows that come from records, and which runs go together."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from msgspec import structs
from support.loops import FakeGraph
from support.records import record_of, write_run

from retrocypher.kg.errors import InputError
from retrocypher.kg.execution.execution import Execution
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.runs.files import json_line
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Fallback, Record, ResultScores, Round, Tokens, fields_of
from retrocypher.plugins.runs.replay import (
    NotRecorded,
    RecordedGraphs,
    ReplayedModel,
    ReplayedRuns,
    RunIndex,
    WatchedGraph,
    calls_of,
    replayed_runs,
)
from retrocypher.prompts.models.interface import Completion, Message, ModelError, Request
from retrocypher.prompts.models.spec import ModelSpec

QUESTION = load_questions().questions[0]
MINI = ModelSpec("mini", "openai", "gpt-x")
OTHER = ModelSpec("other", "gguf", "/there/weights.gguf")
MANIFEST = {
    "options": {"seed": 7},
    "models": [asdict(MINI), asdict(ModelSpec("oracle", "oracle"))],
    "answering": {"writers": {"mini": asdict(OTHER)}},
    "loops": {"players": {"mini": asdict(OTHER), "oracle": asdict(MINI)}},
}


def messages(text: str) -> list[Message]:
    return [{"role": "user", "content": text}]


def turn(role: str, asked: str | None, answer: str, *findings: Any) -> Round:
    sha256 = None if asked is None else hashlib.sha256(json_line(messages(asked)).encode()).hexdigest()
    tokens = Tokens(3, 4)
    return Round(role, sha256, answer, "RETURN 1", None, list(findings), 1.5, tokens, 0.25)


def request(text: str, case_id: str = "a", repeat: int = 0) -> Request:
    return Request(messages(text), QUESTION, None, {}, case_id, repeat)


@pytest.fixture
def index(tmp_path: Path) -> RunIndex:
    looped = [
        turn("generator", "write", "one", {"finish_reason": "stop", "attempts": 1}, {"result": {}}),
        turn("explain", None, ""),
        turn("corrector", "mend", "two", {"edit": []}),
        turn("corrector", "mend", "three", {"finish_reason": "length"}),
    ]
    records = [
        record_of("a", model="mini", rounds=looped),
        record_of("b", model="mini", rounds=[turn("generator", "write", "another")]),
        record_of("c", model="oracle", rounds=[turn("generator", "write", "")]),
        record_of("d", model="oracle", rounds=[turn("corrector", "mend", "four")]),
    ]
    return RunIndex([RunLog(write_run(tmp_path / "run", records, manifest=MANIFEST))])


def said(spec: ModelSpec, index: RunIndex, *of: Any, seed: int = 7) -> str:
    return ReplayedModel(spec, seed, index, None).answer(request(*of)).text


def test_a_model_says_again_what_it_said(index: RunIndex) -> None:
    answer = ReplayedModel(MINI, 7, index, None).answer(request("write"))
    details = {"finish_reason": "stop", "attempts": 1}
    tokens = {"prompt": 3, "completion": 4}
    assert answer == Completion("one", tokens=tokens, time_s=1.5, details=details, cached=True)
    assert said(MINI, index, "write", "b") == "another"
    assert said(MINI, index, "write", "new") == "one"


def test_the_roles_of_loops_are_those_of_their_models(index: RunIndex) -> None:
    elsewhere = ModelSpec("weights", "gguf", "/here/weights.gguf")
    assert said(elsewhere, index, "mend", "a") == "two"
    assert said(elsewhere, index, "mend", "a", 1) == "three"
    assert said(MINI, index, "mend", "a") == "four"
    assert ReplayedModel(elsewhere, 7, index, None).answer(request("mend", "a")).details == {}


@pytest.mark.parametrize(
    ("spec", "of", "seed"),
    [
        (MINI, ("unheard of", "a"), 7),
        (MINI, ("write", "a", 1), 7),
        (MINI, ("write", "a"), 8),
        (ModelSpec("mini", "openai", "gpt-y"), ("write", "a"), 7),
        (ModelSpec("oracle", "oracle"), ("write", "c"), 7),
    ],
)
def test_what_is_not_on_record_is_asked_of_others(
    index: RunIndex, spec: ModelSpec, of: tuple[Any, ...], seed: int
) -> None:
    with pytest.raises(ModelError, match=rf"^{of[1]}: what this case asks {spec.label} ") as error:
        said(spec, index, *of, seed=seed)
    assert error.value.kind == "not_recorded"

    fresh = Mock(answer=Mock(return_value=Completion("fresh")))
    model = ReplayedModel(spec, seed, index, fresh)
    assert model.answer(request(*of)).text == "fresh"
    model.close()
    fresh.close.assert_called_once()


def test_a_writer_is_not_taken_for_another_role(tmp_path: Path) -> None:
    failed = turn("answer:claims", "list", "", {"error": {"kind": "timeout"}})
    failed.verdict = "error"
    written = [turn("generator", "ask", "a query"), turn("answer:text", "write", "an answer"), failed]
    run = write_run(tmp_path / "run", [record_of("a", model="mini", rounds=written)], [QUESTION], MANIFEST)
    index = RunIndex([RunLog(run)])
    assert said(OTHER, index, "write") == "an answer"
    with pytest.raises(ModelError, match="has no answer"):
        said(MINI, index, "write")
    # A failed call is not an empty answer.
    with pytest.raises(ModelError):
        said(OTHER, index, "list")


NO_MODELS: Mapping[str, Any] = {"options": {"seed": 0}, "models": [], "loops": {"players": {}}}
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
        (folder / "manifest.json").write_text(json.dumps(NO_MODELS))
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


GRAPH = {"kind": "local", "version": "5.26.30", "fingerprint": "f" * 64, "schema": "(:A)", "notes": []}


def run(folder: Path, timeout: float = 30.0, **graph: Any) -> str:
    manifest = {
        "graph": {**GRAPH, **graph},
        "options": {"query_timeout": timeout, "seed": 0},
        "models": [{"label": "oracle", "kind": "oracle", "argument": ""}],
        "loops": {"players": {}},
    }
    return str(write_run(folder, [], manifest=manifest))


def resolved(*named: str, graph: str = "none") -> ReplayedRuns | None:
    return replayed_runs(graph, named, fingerprint="f" * 64, query_timeout=30.0)


def test_runs_of_one_graph_go_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = run(tmp_path / "one"), run(tmp_path / "other", version="5.26.31")
    monkeypatch.chdir(tmp_path)
    found = resolved(one, "other", "./one/../one", other)
    assert found is not None
    assert tuple(log.path for log in found.logs) == (tmp_path / "one", tmp_path / "other")
    assert (found.schema, found.fingerprint, found.version) == ("(:A)", "f" * 64, "5.26.30")
    assert resolved(graph="auto") is None


@pytest.mark.parametrize(
    ("named", "graph", "said"),
    [
        ([], "none", "--graph none: rows then come from earlier runs; name them with --replay DIR"),
        (["one"], "auto", "--replay one: rows come from a run only without a graph. Add --graph none"),
        (["absent"], "none", "absent: there is no such folder; name the folder of a run"),
        (["one", "graph"], "none", "graph: it ran on graph 000000000000, and the questions were made for"),
        (["one", "schema"], "none", "schema: it ran with another schema text than the first run"),
        (["slow"], "none", "slow: its queries had 60 s, these would have 30.* Say --query-timeout 60"),
    ],
)
def test_what_does_not_go_together_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: list[str], graph: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    run(tmp_path / "one")
    run(tmp_path / "graph", fingerprint="0" * 64)
    run(tmp_path / "schema", schema="(:B)")
    run(tmp_path / "slow", timeout=60.0)
    with pytest.raises(InputError, match=said):
        resolved(*named, graph=graph)


def test_a_loop_of_a_former_name_is_refused_unless_another_run_has_the_present_one(tmp_path: Path) -> None:
    def of_loops(name: str, *loops: str) -> str:
        manifest = {
            "graph": GRAPH,
            "options": {"query_timeout": 30.0, "seed": 0},
            "models": [{"label": "oracle", "kind": "oracle", "argument": ""}],
            "loops": {"names": ["none", *loops], "players": {}},
        }
        return str(write_run(tmp_path / name, [], manifest=manifest))

    def replayed(loop: str, *named: str) -> ReplayedRuns | None:
        return replayed_runs("none", named, fingerprint="f" * 64, query_timeout=30.0, loops=("none", loop))

    old, new = of_loops("old", "review"), of_loops("new", "self-review")
    with pytest.raises(InputError, match=r"old: its loop review is of a version before self-review.*cannot"):
        replayed("self-review", old)
    assert replayed("cove", old)
    assert replayed("self-review", old, new)
