"""Results that a session writes: one a case, as the records have it, whatever happens meanwhile."""

import json
from pathlib import Path
from typing import Any

import pytest
from support.allure_results import shown
from support.manifests import manifest_of
from support.records import record_of, write_run

from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.reporting.allure.run import LiveResults
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import Record

ASKED = [question for question in load_questions().questions if question.task == "precursors"][:3]
CASES = [f"{question.id}-P5-ZS-none-m" for question in ASKED]
SCORES = {"precision": 0.5, "recall": 0.5, "f1": 0.5}
EXECUTION = {
    **{"status": "ok", "code": None, "message": None, "columns": ["x"], "rows": [[1]], "row_count": 1},
    **{"truncated": False, "time_s": 0.5},
}


def record(number: int, **fields: Any) -> Record:
    scored = {"execution": EXECUTION, "scores": SCORES, "cypher": "RETURN 1"}
    return record_of(CASES[number], of=ASKED[number], **{**scored, **fields})


def report(**fields: Any) -> pytest.TestReport:
    captured = [("Captured stdout call", "said")]
    return pytest.TestReport(
        "t", ("f", 1, "t"), {}, "passed", None, "call", captured, 1.5, 10.0, 11.5, **fields
    )


def log_of(folder: Path, *records: Record, started: str = "2026-01-02T03:04:05+00:00") -> RunLog:
    return RunLog(write_run(folder, records, ASKED, manifest_of(started=started), messages={}))


def live(log: RunLog, folder: Path, said: list[str] | None = None) -> LiveResults:
    return LiveResults(folder, log, (said if said is not None else []).append)


def test_a_case_is_shown_with_its_times_and_what_it_printed(tmp_path: Path) -> None:
    log = log_of(tmp_path / "run")
    results = live(log, log.path / "allure-results")
    results.add(record(0), {}, report())
    (file,) = (log.path / "allure-results").glob("*-result.json")
    result = json.loads(file.read_text())
    assert (result["start"], result["stop"]) == (10_000, 11_500)
    assert {"name": "thread", "value": "main"} in result["labels"]
    assert [each["name"] for each in result["attachments"]] == ["question", "stdout"]


def test_a_case_asked_again_has_one_result_and_no_old_attachment(tmp_path: Path) -> None:
    log = log_of(tmp_path / "run")
    results = live(log, log.path / "allure-results")
    fault = {"stage": "model", "kind": "timeout", "message": "late"}
    results.add(record(0), {}, report())
    results.add(record(0, execution=None, scores=None, infrastructure_error=fault), {}, report())
    found = shown(log.path / "allure-results")
    assert found[CASES[0]]["status"] == "broken"
    assert len(list((log.path / "allure-results").glob("*-attachment.*"))) == 2


def test_a_crashed_case_is_broken_even_if_it_has_a_record(tmp_path: Path) -> None:
    log = log_of(tmp_path / "run")
    results = live(log, log.path / "allure-results")
    results.add(record(0), {}, report())
    results.finish([f"benchmarks/test_single_step.py::test_single_step[{case}]" for case in CASES[:2]], 1, 2)
    found = shown(log.path / "allure-results")
    assert {case: result["status"] for case, result in found.items()} == dict.fromkeys(CASES[:2], "broken")
    assert (log.path / "allure-results" / "environment.properties").is_file()


@pytest.mark.parametrize("own", [True, False])
def test_a_resumed_run_has_the_results_of_its_records(tmp_path: Path, own: bool) -> None:
    run = tmp_path / "run"
    folder = run / "allure-results" if own else tmp_path / "of many runs"
    log = log_of(run, record(0), record(1))
    other = log_of(tmp_path / "other", started="2025-01-01T00:00:00+00:00")
    if not own:
        live(other, folder).add(record(2), {}, report())
    before = live(log, folder)
    before.add(record(0), {}, report())
    before.add(record(2, scores=None, execution=None), {}, report())
    (folder / "half-result.json.tmp").touch()
    kept = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    live(RunLog(run), folder).resume(CASES)
    assert not list(folder.glob("*.tmp"))
    cases = sorted(shown(folder))
    assert cases == (CASES[:2] if own else CASES)
    # What was there is not written again.
    again = [file for file in folder.iterdir() if kept.get(file.name) == file.stat().st_mtime_ns]
    assert len(again) >= 2


def test_results_that_cannot_be_written_end_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    log = log_of(tmp_path / "run")
    results = live(log, log.path / "allure-results", said)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    results.add(record(0), {}, report())
    results.add(record(1), {}, report())
    results.finish([], 2, 2)
    assert len(said) == 1
    assert "No space left on device" in said[0]
