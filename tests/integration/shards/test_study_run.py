"""`retrocypher study --run` makes its runs through the workflow, and makes none of them twice."""

import csv
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from support.roles_api import RolesApi
from support.suite import CHECKOUT, environment

from retrocypher.kg.server.endpoint import Endpoint

pytest.importorskip("snakemake", reason="needs the extra [sweep]")
pytestmark = pytest.mark.scale

RUNS = {"direct-oracle": 20, "direct-exemplar": 15}
"""Cases: one question, five prompts, and four shots, of which `exemplar` is not asked without one."""


def command(out: Path, endpoint: Endpoint, *more: str) -> list[str]:
    program = str(Path(sys.executable).with_name("retrocypher"))
    workflow = ("--shards", "4", "--graph", endpoint.uri, "--out", str(out))
    return [program, "study", "reaction", "--run", *workflow, *more]


def studied(asked: list[str], status: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
    ran = subprocess.run(
        asked,
        cwd=CHECKOUT,
        env={**environment(), "PYTHONPATH": str(CHECKOUT / "src"), **variables},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == status, ran.stdout + ran.stderr
    return ran


def test_a_study_is_run_once_and_written(endpoint: Endpoint, tmp_path: Path) -> None:
    out = tmp_path / "study"
    models = ("--model", "oracle", "--model", "exemplar", "--options", "--task best_yield --sample 1")
    # One question has one part, whatever --shards says.
    first = studied(command(out, endpoint, *models))
    runs = out / "runs"
    assert {each.name for each in runs.iterdir() if each.is_dir()} == {*RUNS}
    for name, cases in RUNS.items():
        assert len((runs / name / "merged" / "records.jsonl").read_text().splitlines()) == cases
    assert "35 cases" in first.stdout
    page = (out / "index.html").read_text()
    rows = list(csv.DictReader((out / "figure-3-oracle.csv").open()))
    assert {row["mean"] for row in rows if row["metric"] == "f1"} == {"1.0"}

    kept = {file: file.stat().st_mtime_ns for file in runs.rglob("*") if file.is_file()}
    second = studied(command(out, endpoint, *models))
    assert second.stderr.count("Nothing to be done") == len(RUNS)
    assert {file: file.stat().st_mtime_ns for file in runs.rglob("*") if file.is_file()} == kept
    assert (out / "index.html").read_text() == page

    other = studied(command(out, endpoint, *models[:-1], "--task best_yield --sample 2"), status=2)
    assert "direct-oracle holds a run with other options (1 part: --model oracle" in other.stderr
    assert {file: file.stat().st_mtime_ns for file in runs.rglob("*") if file.is_file()} == kept


def test_an_interrupted_study_resumes_and_pays_for_no_completion_twice(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    def slowly(_: str) -> str:
        time.sleep(0.1)
        return "MATCH (m:Molecule) RETURN m.smiles LIMIT 1"

    with RolesApi({"generator": slowly}) as api:
        options = ("--options", "--task best_yield --sample 2 --concurrency 1")
        asked = command(tmp_path / "study", endpoint, "--model", "gpt-4.1-mini", "--shards", "1", *options)
        api_variables = {"OPENAI_API_KEY": "any", "OPENAI_BASE_URL": api.address}
        variables = {**environment(), "PYTHONPATH": str(CHECKOUT / "src"), **api_variables}
        begun = subprocess.Popen(asked, cwd=CHECKOUT, env=variables, start_new_session=True)
        deadline = time.monotonic() + 120
        while len(api.asked) < 10 and time.monotonic() < deadline:
            time.sleep(0.05)
        os.killpg(begun.pid, signal.SIGINT)
        assert begun.wait(120) != 0
        before = len(api.asked)
        assert 10 <= before < 40
        studied(asked, **api_variables)
        often = Counter(text for role, text in api.asked if role == "generator")
    # The call that was in flight is asked again.
    assert often.total() - len(often) <= 1
