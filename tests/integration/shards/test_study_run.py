"""`retrocypher study --run` makes its runs through the workflow, and makes none of them twice."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest
from support.suite import CHECKOUT, environment

from retrocypher.kg.server.endpoint import Endpoint

pytest.importorskip("snakemake", reason="needs the extra [sweep]")
pytestmark = pytest.mark.scale

RUNS = {"direct-oracle": 20, "direct-exemplar": 15}
"""Cases: one question, five prompts, and four shots, of which `exemplar` is not asked without one."""


def studied(out: Path, endpoint: Endpoint) -> subprocess.CompletedProcess[str]:
    models = ("--model", "oracle", "--model", "exemplar", "--options", "--task best_yield --sample 1")
    workflow = ("--shards", "1", "--graph", endpoint.uri, "--out", str(out))
    ran = subprocess.run(
        [
            str(Path(sys.executable).with_name("retrocypher")),
            "study",
            "reaction",
            "--run",
            *models,
            *workflow,
        ],
        cwd=CHECKOUT,
        env={**environment(), "PYTHONPATH": str(CHECKOUT / "src")},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran


def test_a_study_is_run_once_and_written(endpoint: Endpoint, tmp_path: Path) -> None:
    out = tmp_path / "study"
    first = studied(out, endpoint)
    runs = out / "runs"
    assert {each.name for each in runs.iterdir() if each.is_dir()} == {*RUNS}
    for name, cases in RUNS.items():
        assert len((runs / name / "merged" / "records.jsonl").read_text().splitlines()) == cases
    assert "35 cases" in first.stdout
    page = (out / "index.html").read_text()
    rows = list(csv.DictReader((out / "figure-3-oracle.csv").open()))
    assert {row["mean"] for row in rows if row["metric"] == "f1"} == {"1.0"}

    kept = {file: file.stat().st_mtime_ns for file in runs.rglob("*") if file.is_file()}
    second = studied(out, endpoint)
    assert second.stderr.count("Nothing to be done") == len(RUNS)
    assert {file: file.stat().st_mtime_ns for file in runs.rglob("*") if file.is_file()} == kept
    assert (out / "index.html").read_text() == page
