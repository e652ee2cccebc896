"""Which runs can be replayed."""

from pathlib import Path
from typing import Any

import pytest
from support.records import write_run

from retrocypher.kg.errors import InputError
from retrocypher.plugins.runs.replay import ReplayedRuns, replayed_runs

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
