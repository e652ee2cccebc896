"""A sweep on this machine: shards side by side, merged, against the same run in one piece."""

import gzip
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from support.comparable import without_times
from support.records import raw_records
from support.roles_api import RolesApi, Said, right_answers
from support.suite import CHECKOUT, Session, environment

from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.resume import is_complete

pytestmark = pytest.mark.scale

OPTIONS = ("--model=mutant", "--model=exemplar", "--sample=4", "--seed=3", "--shot=1S-S,1S-D-S")
CASES = 16


def done(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a program of this environment, which finds the checkout."""
    return subprocess.run(
        [sys.executable, *command],
        env={**environment(), "PYTHONPATH": str(CHECKOUT / "src")},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def sweep(folder: Path, endpoint: Endpoint, *more: str) -> subprocess.CompletedProcess[str]:
    config = [f"folder={folder}", "shards=2", f"options={' '.join(OPTIONS)}", f"graph={endpoint.uri}"]
    command = ["-m", "snakemake", "--cores=2", "--directory", str(folder.parent)]
    command += ["--snakefile", str(CHECKOUT / "workflow" / "Snakefile"), *more, "--config", *config]
    return done(*command)


def test_a_sweep_is_the_run_in_one_piece(endpoint: Endpoint, tmp_path: Path) -> None:
    folder = tmp_path / "sweep"
    swept = sweep(folder, endpoint)
    assert swept.returncode == 0, swept.stdout + swept.stderr
    merged = folder / "merged"

    ran = Session(("-q", f"--graph={endpoint.uri}", *OPTIONS), tmp_path / "whole").whole()
    assert ran.status == 1, ran.output
    whole = ran.run
    found = without_times(raw_records(merged))
    assert len(found) == CASES
    assert found == without_times(raw_records(whole))
    assert RunLog(merged).summary_json == RunLog(whole).summary_json
    assert list(RunLog(merged).questions) == list(RunLog(whole).questions)
    assert RunLog(merged).messages == RunLog(whole).messages
    mine, one = RunLog(merged).manifest_json, RunLog(whole).manifest_json
    assert mine["key"]["parts"] == one["key"]["parts"]
    assert {name: mine[name] for name in ("cases", "counts", "questions", "exit_status")} == {
        name: one[name] for name in ("cases", "counts", "questions", "exit_status")
    }
    assert mine.keys() - one.keys() == {"merged_from"}
    assert one.keys() <= mine.keys()
    assert [each["number"] for each in mine["merged_from"]] == [1, 2]
    assert is_complete(RunLog(merged))
    results = list((merged / "allure-results").glob("*-result.json"))
    assert len(results) == CASES
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert "exemplar" in (folder / "table.txt").read_text()
    assert (folder / "answers.jsonl.gz").exists()

    again = sweep(folder, endpoint, "--dry-run", "--quiet")
    assert "Nothing to be done" in again.stdout + again.stderr


Attempt = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def attempt(endpoint: Endpoint, tmp_path: Path) -> Attempt:
    """Run a shard as the workflow does, with its answers below ``kept``."""
    script = str(CHECKOUT / "workflow" / "scripts" / "shard.py")
    places = (f"--run-dir={tmp_path / 'run'}", f"--kept={tmp_path / 'kept' / 'answers.jsonl.gz'}")
    graph = f"--graph={endpoint.uri}"
    return lambda shard, *options: done(script, f"--shard={shard}", *places, graph, "--", *options)


def test_a_second_attempt_resumes_the_first_and_asks_nothing_twice(
    attempt: Attempt, api: RolesApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("OPENAI_BASE_URL", api.address)
    options = ("--model=gpt-4.1-mini", "--prompt=P5", "--shot=ZS", "--sample=4", "-p", "no:allure_pytest")

    def answers() -> int:
        return len(gzip.decompress((tmp_path / "kept" / "answers.jsonl.gz").read_bytes()).splitlines())

    turns = iter(range(100))
    query = right_answers()
    api.roles["generator"] = lambda text: Said(status=400) if next(turns) == 1 else query(text)
    assert attempt("1/1", *options).returncode == 16
    assert answers() == 3
    before = api.count("generator")
    # The third is as where a job was lost after its pytest had ended well.
    for _ in range(2):
        assert attempt("1/1", *options).returncode == 0
        assert api.count("generator") == before + 1
        assert answers() == 4
    run = RunLog(tmp_path / "run")
    assert is_complete(run)
    assert len(list(run.records())) == 4
