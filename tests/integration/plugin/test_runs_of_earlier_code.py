"""Runs of earlier code load, compare and are scored again; they resume, or are refused with the reason."""

import csv
import json
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.comparable import without_times
from support.records import raw_records
from support.suite import CHECKOUT, Suite, environment

from retrocypher.plugins.cli.main import cli

ARCHIVES = CHECKOUT / "tests" / "golden" / "runs"
CASES = {"mutant": 18, "review": 8, "scripted": 12}
INTERRUPTED = (
    *("--model=mutant", "--sample=12", "--prompt=P5,P10", "--shot=ZS", "--seed=4"),
    *("--questions=set-1", "--prompt-set=guided"),
    *("-n0", "--tb=no", "-q", "-p", "no:allure_pytest"),
)
KEPT = 4
"""Whole records of the interrupted run."""


STORE = re.compile(r"(?<=:)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=:)")
"""The id of a store within that of a node; a graph that is loaded again has another."""


def without_store(records: dict[str, Any]) -> dict[str, Any]:
    """Return records without the id of the store that they were made on."""
    found: dict[str, Any] = json.loads(STORE.sub("", json.dumps(records)))
    return found


def as_in(earlier: Any, now: Any) -> Any:
    """Return what of a value has a place in one that earlier code wrote: new fields are left out."""
    if isinstance(earlier, dict) and isinstance(now, dict):
        return {name: as_in(value, now[name]) for name, value in earlier.items() if name in now}
    if isinstance(earlier, list) and isinstance(now, list) and len(earlier) == len(now):
        return [as_in(*pair) for pair in zip(earlier, now, strict=True)]
    return now


def unpacked(name: str, folder: Path) -> Path:
    """Copy a run of earlier code to where it may be changed."""
    folder.mkdir(exist_ok=True)
    with tarfile.open(ARCHIVES / f"{name}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder / name


@pytest.fixture(params=sorted(CASES))
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return unpacked(request.param, tmp_path)


def said(*arguments: object, status: int = 0) -> Any:
    """Return what a command prints as JSON."""
    result = CliRunner().invoke(cli, [*map(str, arguments), "--json"], catch_exceptions=False)
    assert result.exit_code == status, result.output
    return json.loads(result.stdout)


def test_summary_list_comparison_and_gate(run: Path) -> None:
    cases, kept = CASES[run.name], json.loads((run / "summary.json").read_text())
    output = said("summary", run)
    assert output["runs"] == [{"run": str(run), "cases": cases, "lacks": None}]
    assert output["summary"]["means"] == kept["means"]
    assert output["summary"]["per_key"]["agents"]["cases"] > 0
    # The command leaves out the ledger, and what only the session knows.
    shown = {name: value for name, value in kept.items() if name in output["summary"]}
    assert len(shown) > 15
    assert as_in(shown, output["summary"]) == shown
    (listed,) = said("runs", run.parent)["runs"]
    assert (listed["state"], listed["done"]) == ("complete", cases)
    found = said("compare", run, run)
    assert (found["a"]["cases"], found["against"]) == (cases, [])
    mean = kept["means"]["f1"]
    assert said("gate", run, f"f1>={mean - 0.01}", "--gate-partial")["verdict"] == "holds"
    if mean < 1:
        assert said("gate", run, f"f1>={mean + 0.01}", "--gate-partial", status=1)["verdict"] == "fails"


def test_cases_are_shown_as_recorded(run: Path) -> None:
    for record in raw_records(run)[:3]:
        output = said("show", run, record["case_id"], "--messages")
        assert {name: output["record"][name] for name in record} == record
        asked = [each["messages_sha256"] for each in record["rounds"] if each["messages_sha256"]]
        assert set(asked) <= set(output["messages"])


def test_report_and_allure(run: Path, tmp_path: Path) -> None:
    written = said("report", run, "--out", tmp_path / "page.html", "--figures", tmp_path / "figures")
    assert (written["cases"], written["lacking"]) == (CASES[run.name], {})
    assert (tmp_path / "page.html").stat().st_size > 10_000
    assert said("allure", run, "--out", tmp_path / "results")["cases"] == CASES[run.name]


def test_a_run_of_the_former_review_is_studied_but_not_replayed(tmp_path: Path) -> None:
    run = unpacked("review", tmp_path)
    found = said("study", "self-review", run, "--out", tmp_path / "study")
    assert found["cases"] == CASES["review"]
    assert [each["why"] for each in found["missing"] if each["commands"]] == [
        "no case with the loop self-review-control"
    ]
    rows = list(csv.DictReader((tmp_path / "study" / "figure-4-with-reference.csv").open()))
    assert {(row["loop"], row["score"]): row["cases"] for row in rows if row["cases"] != "0"} == {
        ("review", "0.9"): "4"
    }
    options = ("--model=scripted", "--loop=review", "--prompt=P5", "--sample=4", "--cache=none")
    replay = ("--graph=none", f"--replay={run}", f"--run-dir={tmp_path / 'again'}", "-p", "no:allure_pytest")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "benchmarks", "-q", "-n0", *options, *replay],
        cwd=CHECKOUT,
        env={**environment(), "OPENAI_API_KEY": "any"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 4
    assert "its loop review is of a version before self-review" in ran.stdout + ran.stderr


LABELLED = ("errors", "explanation")
"""Fields that follow how queries are labelled, which later code does in another way."""


def test_scoring_again_changes_no_score(run: Path, tmp_path: Path) -> None:
    output = said("rescore", run, "--out", tmp_path / "again")
    assert output["rescored"] == CASES[run.name]
    before, after = (without_times(raw_records(each)) for each in (run, tmp_path / "again"))
    for case, record in before.items():
        again = {name: after[case][name] for name in record}
        assert without_labels(again) == without_labels(record)
        assert bool(again.get("errors")) == bool(record.get("errors"))


def without_labels(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_labels(each) for name, each in value.items() if name not in LABELLED}
    return [without_labels(each) for each in value] if isinstance(value, list) else value


def key_of(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "manifest.json").read_text())["key"]
    return found


def test_an_interrupted_run_resumes_where_its_key_is_that_of_today(live: Suite, tmp_path: Path) -> None:
    today = live(*INTERRUPTED)
    assert today.status == 1, today.output

    refused = unpacked("interrupted", tmp_path / "refused")
    before = (refused / "records.jsonl").read_bytes()
    parts, now = key_of(refused)["parts"], key_of(today.run)["parts"]
    if differing := [name for name in now if parts.get(name) != now[name]]:
        ran = live(*INTERRUPTED, run_dir=refused)
        assert ran.status == 4
        assert "an incomplete one that differs in" in ran.output
        assert all(name in ran.output for name in differing)
        assert (refused / "records.jsonl").read_bytes() == before

    # What a session takes over are records as earlier code wrote them.
    resumed = unpacked("interrupted", tmp_path / "resumed")
    manifest = json.loads((resumed / "manifest.json").read_text())
    (resumed / "manifest.json").write_text(json.dumps({**manifest, "key": key_of(today.run)}))
    ran = live(*INTERRUPTED, run_dir=resumed)
    assert ran.status == 1, ran.output
    assert f"CONTINUED: {KEPT} of 12 cases are taken" in ran.output
    assert json.loads((resumed / "manifest.json").read_text())["continued"][0]["taken"] == KEPT
    taken = before.splitlines()[:KEPT]
    assert (resumed / "records.jsonl").read_bytes().splitlines()[:KEPT] == taken
    found, whole = (without_store(without_times(each.records.values())) for each in (ran, today))
    assert sorted(found) == sorted(whole)
    for case, record in found.items():
        assert {name: whole[case][name] for name in record} == record
    # Earlier code did not say what exemplars give away.
    summaries = [each.summary for each in (ran, today)]
    for summary in summaries:
        del summary["scores_sha256"], summary["by"]["leak"]
    assert summaries[0] == summaries[1]
