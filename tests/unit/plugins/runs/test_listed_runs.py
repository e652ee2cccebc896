"""The list of runs: of whole ones, of others, and of broken folders."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.manifests import manifest_of
from support.records import record_of, write_run

from retrocypher.plugins.cli.main import cli
from retrocypher.plugins.runs.run_directory import RunDirectory

SCORES = {"precision": 1.0, "recall": 1.0, "f1": 0.5, "unmatched_columns": []}
MANIFEST: dict[str, Any] = {
    **manifest_of(models=[{"label": "mini"}]),
    "cases": 2,
    "prompts": {"P5": "a"},
    "answers": {"cost": 1.25},
    "git": {"commit": "0123456789", "changed": True},
}
TURN = {"role": "generator", "messages_sha256": None, "answer": "", "cypher": None, "cost": 0.5}


def run_of(
    folder: Path, manifest: dict[str, Any] | None = None, *, cases: int = 2, ended: bool = True
) -> Path:
    records = [record_of(f"c{number}", scores=SCORES, rounds=[TURN]) for number in range(cases)]
    summary = {"cases": cases, "selected_cases": 2, "means": {"f1": 0.5}} if ended else None
    known = {name: value for name, value in MANIFEST.items() if ended or name != "answers"}
    return write_run(folder, records, manifest={**known, **(manifest or {})}, summary=summary)


def listed(folder: Path, *arguments: str) -> Result:
    return CliRunner(env={"COLUMNS": "100"}).invoke(
        cli, ["runs", str(folder), *arguments], catch_exceptions=False
    )


def entries(folder: Path) -> dict[str, dict[str, Any]]:
    done = listed(folder, "--json")
    assert done.exit_code == 0, done.output
    return {Path(each["path"]).name: each for each in json.loads(done.stdout)["runs"]}


def test_a_whole_run(tmp_path: Path) -> None:
    run = run_of(tmp_path / "a")
    assert entries(tmp_path)["a"] == {
        **{"path": str(run), "state": "complete", "reason": None, "done": 2, "planned": 2, "mean_f1": 0.5},
        **{"headline": "f1", "mean": 0.5},
        **{"started": MANIFEST["started"], "ended": MANIFEST["ended"], "cost": 1.25},
        **{"models": ["mini"], "prompts": ["P5"], "shots": ["ZS"], "loops": ["none"]},
        **{"commit": "0123456789", "changed": True},
    }


@pytest.mark.parametrize(
    ("manifest", "cases", "ended", "state"),
    [
        ({"exit_status": 0}, 2, True, "complete"),
        ({"exit_status": 0}, 1, True, "incomplete"),
        ({"exit_status": 16}, 2, True, "incomplete"),
        ({"exit_status": 3}, 2, True, "incomplete"),
        ({"exit_status": 2}, 1, True, "interrupted"),
        ({"exit_status": None, "ended": None}, 1, False, "interrupted"),
    ],
)
def test_how_runs_ended(
    tmp_path: Path, manifest: dict[str, Any], cases: int, ended: bool, state: str
) -> None:
    run_of(tmp_path / "a", manifest, cases=cases, ended=ended)
    found = entries(tmp_path)["a"]
    assert (found["state"], found["done"], found["mean_f1"]) == (state, cases, 0.5)
    assert found["cost"] == (1.25 if ended else 0.5)


def test_a_run_that_is_running(tmp_path: Path) -> None:
    with RunDirectory(tmp_path / "a"):
        assert entries(tmp_path)["a"]["state"] == "running"
    assert entries(tmp_path)["a"]["state"] == "incomplete"


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("manifest.json", b"{"),
        ("manifest.json", b'{"schema_version": 0}'),
        ("manifest.json", b'{"models": 7}'),
        ("summary.json", b"[]"),
        ("records.jsonl", b"\xff\xfe\n"),
    ],
)
def test_a_broken_run_never_breaks_the_list(tmp_path: Path, file: str, content: bytes) -> None:
    run_of(tmp_path / "whole")
    (run_of(tmp_path / "broken", ended=file != "records.jsonl") / file).write_bytes(content)
    found = entries(tmp_path)
    assert {name: each["state"] for name, each in found.items()} == {
        "whole": "complete",
        "broken": "unreadable",
    }
    assert found["broken"]["reason"]
    assert listed(tmp_path).exit_code == 0


def test_other_folders_are_not_listed(tmp_path: Path) -> None:
    write_run(tmp_path / "bare", [])
    (tmp_path / "empty").mkdir()
    (tmp_path / "baselines" / "main").mkdir(parents=True)
    (tmp_path / "baselines" / "main" / "baseline.json").write_text("{}")
    (tmp_path / "a file").touch()
    assert {name: each["state"] for name, each in entries(tmp_path).items()} == {"bare": "incomplete"}
    assert listed(tmp_path).exit_code == 0


def test_the_newest_is_first_and_names_are_told_from_the_folder(tmp_path: Path) -> None:
    run_of(tmp_path / "a", {"started": "2025-01-01T00:00:00+00:00"})
    run_of(tmp_path / "below" / "b", {"started": "2025-01-03T00:00:00+00:00"})
    run_of(tmp_path / "c", {"started": "2025-01-02T00:00:00+00:00"})
    assert list(entries(tmp_path)) == ["b", "c", "a"]
    output = listed(tmp_path).output
    assert output.index("below/b") < output.index("mini; P5; ZS; none; 01234567+") < output.index("\nc ")


def test_names_and_labels_cannot_steer_a_terminal(tmp_path: Path) -> None:
    run_of(tmp_path / "a\x1b[2Jb", {"models": [{"label": "x\x1b[31m[bold]\ny"}]})
    output = listed(tmp_path).output
    assert "\x1b" not in output
    assert r"x\x1b[31m[bold]\ny" in output


def test_a_folder_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, ["runs"])
    assert "reports: No such file or directory; name a folder that holds runs" in str(done.exception)
    (tmp_path / "reports").mkdir()
    assert CliRunner().invoke(cli, ["runs"]).output == "No run in reports.\n"
