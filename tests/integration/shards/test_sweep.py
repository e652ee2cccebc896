"""A sweep on this machine: shards side by side, merged, against the same run in one piece."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.records import raw_records
from support.suite import CHECKOUT

from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.resume import is_complete

OPTIONS = ("--model=mutant", "--model=exemplar", "--sample=12", "--seed=3", "--shot=1S-S,1S-D-S")


def environment(endpoint: Endpoint) -> dict[str, str]:
    ours = ("OPENAI_API_KEY", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    said = {"NEO4J_USER": endpoint.user, "NEO4J_PASSWORD": endpoint.password}
    return {**kept, **said, "PYTHONPATH": str(CHECKOUT)}


def sweep(folder: Path, endpoint: Endpoint, *more: str) -> subprocess.CompletedProcess[str]:
    config = [f"folder={folder}", "shards=2", f"options={' '.join(OPTIONS)}", f"graph={endpoint.uri}"]
    command = [sys.executable, "-m", "snakemake", "--cores=2", "--directory", str(folder.parent)]
    command += ["--snakefile", str(CHECKOUT / "workflow" / "Snakefile"), *more, "--config", *config]
    return subprocess.run(
        command, env=environment(endpoint), capture_output=True, text=True, timeout=300, check=False
    )


def timeless(record: Mapping[str, Any]) -> dict[str, Any]:
    rounds = [{**turn, "time_s": 0} for turn in record["rounds"]]
    execution = record["execution"] and {**record["execution"], "time_s": 0}
    return {**record, "rounds": rounds, "execution": execution}


def records_by_case(run: Path) -> dict[str, dict[str, Any]]:
    return {record["case_id"]: timeless(record) for record in raw_records(run)}


def test_a_sweep_is_the_run_in_one_piece(endpoint: Endpoint, tmp_path: Path) -> None:
    folder = tmp_path / "sweep"
    swept = sweep(folder, endpoint)
    assert swept.returncode == 0, swept.stdout + swept.stderr
    merged = folder / "merged"

    whole = tmp_path / "whole"
    command = [sys.executable, "-m", "pytest", "benchmarks", "-q", f"--graph={endpoint.uri}", *OPTIONS]
    ran = subprocess.run(
        [*command, f"--run-dir={whole}"],
        cwd=CHECKOUT,
        env=environment(endpoint),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    found = records_by_case(merged)
    assert len(found) == 48
    assert found == records_by_case(whole)
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
    assert len(results) == 48
    assert (folder / "report.html").read_text().startswith("<!doctype html>")
    assert "exemplar" in (folder / "table.txt").read_text()
    assert (folder / "answers.jsonl.gz").exists()

    again = sweep(folder, endpoint, "--dry-run", "--quiet")
    assert "Nothing to be done" in again.stdout + again.stderr


def test_a_shard_that_cannot_be_run_fails_its_job_and_says_why(endpoint: Endpoint, tmp_path: Path) -> None:
    script = CHECKOUT / "workflow" / "scripts" / "shard.py"
    asked = ["--shard=9/9", f"--run-dir={tmp_path / 'run'}", f"--graph={endpoint.uri}"]
    done = subprocess.run(
        [
            sys.executable,
            str(script),
            *asked,
            f"--kept={tmp_path / 'kept'}",
            "--",
            "--model=oracle",
            "--sample=2",
        ],
        env=environment(endpoint),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 4
    assert "--shard 9/9: no question is left for it, for the run has 2" in done.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["kept"]
