"""What is written of a run is the same however many processes write it."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.allure_results import shown
from support.interrupts import heed_interrupts
from support.manifests import manifest_of
from support.records import record_of, write_run
from support.waiting import becomes_true

from retrocypher.kg.errors import InputError
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.reporting.allure.run import write_results
from retrocypher.plugins.reporting.html.case_pages import Job, PageWriter, parts_of
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.parallel import in_processes
from retrocypher.plugins.runs.record import Round

ASKED = next(question for question in load_questions().questions if question.task == "precursors")
SCORES = {"precision": 0.0, "recall": 0.0, "f1": 0.0, "per_key": None}
NOTHING = {"status": "ok", "columns": ["a"], "rows": [["CCO"]], "row_count": 1, "time_s": 1.5}


def run_of(folder: Path, cases: int) -> Path:
    turn = Round("generator", "abc", "RETURN 1", "RETURN 1")
    wrong: dict[str, Any] = {"execution": NOTHING, "scores": SCORES, "errors": ["other"], "rounds": [turn]}
    records = [record_of(f"c{n}", of=ASKED, cypher=f"RETURN {n}", **wrong) for n in range(cases)]
    messages = {"abc": [{"role": "user", "content": "Which?"}]}
    return write_run(folder, records, [ASKED], manifest_of(), {}, messages)


def pages(run: Path, folder: Path, processes: int) -> dict[str, bytes]:
    folder.mkdir()
    named = {f"c{n}": f"{n}.html" for n in range(0, 600, 30)}
    job = Job("run", run, "../report.html", folder)
    parts = parts_of(RunLog(run), [f"c{n}" for n in range(600)], named)
    sizes = [size for done in in_processes(PageWriter, job, parts, processes, "lost") for size in done]
    assert sum(sizes) == sum(page.stat().st_size for page in folder.iterdir())
    return {page.name: page.read_bytes() for page in folder.iterdir()}


def test_pages(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", 600)
    assert len(list(RunLog(run).chunks())) == 3
    alone = pages(run, tmp_path / "one", 1)
    assert len(alone) == 20
    assert pages(run, tmp_path / "two", 2) == alone


def test_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(tmp_path / "run", 260)
    found = []
    for cores in (1, 2):
        monkeypatch.setattr("retrocypher.plugins.reporting.allure.run.cores", lambda cores=cores: cores)
        assert write_results(RunLog(run), tmp_path / f"{cores}").cases == 260
        found.append(shown(tmp_path / f"{cores}"))
    assert found[0] == found[1]


def test_a_line_that_is_no_record_is_reported_and_what_was_there_stays(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", 260)
    (tmp_path / "results").mkdir()
    with (run / "records.jsonl").open("a") as file:
        file.write("[]\n")
    with pytest.raises(InputError, match=r"records\.jsonl, line 261: not a JSON object"):
        write_results(RunLog(run), tmp_path / "results")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["results", "run"]


def test_ctrl_c_ends_all_processes_and_leaves_the_pages_before(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", 3_000)
    old = run / "report-cases"
    old.mkdir()
    (old / ".retrocypher-cases").touch()
    (old / "old.html").touch()
    code = "from retrocypher.plugins.cli.main import main; main()"
    command = [sys.executable, "-c", code, "report", str(run)]
    with subprocess.Popen(
        command, stderr=subprocess.PIPE, start_new_session=True, text=True, preexec_fn=heed_interrupts
    ) as process:
        assert becomes_true(lambda: any(run.glob("report-cases.new/*.html")))
        os.killpg(process.pid, signal.SIGINT)
        said = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert said.strip() == "interrupted"
    assert [each.name for each in run.glob("report-cases*")] == ["report-cases"]
    assert (old / "old.html").exists()
    assert becomes_true(lambda: not is_running(process.pid))


def is_running(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
