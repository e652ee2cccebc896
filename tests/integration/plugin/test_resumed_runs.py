"""Runs that are cut short and resumed: in the end they are what they would have been in one go."""

import json
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.allure_results import assert_shown_again, shown
from support.roles_api import RolesApi, Said, right_answers
from support.suite import (
    Moment,
    Ran,
    Session,
    Suite,
    assert_same,
    killed,
    moments,
    records_in,
    workers_of,
)

from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.resume import is_complete

CASES = 24
MUTANT = ("--model=mutant", f"--sample={CASES}", "--prompt=P5", "--shot=ZS", "--tb=no", "-q")
SMALL, ROOMY = "size=400k", "size=40m"


@pytest.fixture(scope="module")
def arguments(endpoint: Endpoint) -> tuple[str, ...]:
    return ("-n2", *MUTANT, f"--graph={endpoint.uri}")


@pytest.fixture(scope="module")
def in_one_go(arguments: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Ran:
    """The run as it is without an interruption."""
    ran = Session((*arguments, "-n0"), tmp_path_factory.mktemp("whole") / "run").whole()
    assert (ran.status, len(ran.records)) == (1, CASES), ran.output
    return ran


@pytest.fixture
def session(endpoint: Endpoint, tmp_path: Path) -> Session:
    """A session that is long enough to be interrupted."""
    asked = ("-n2", "--model=oracle", "--sample=100", f"--graph={endpoint.uri}")
    return Session(asked, tmp_path / "run")


def test_ctrl_c_closes_the_run(session: Session) -> None:
    process = session.reached(10)
    process.send_signal(signal.SIGINT)
    ran = session.ended(process)
    assert ran.status == 2, ran.output
    assert (ran.summary["cases"], ran.summary["selected_cases"]) == (len(ran.records), 100)
    assert f"incomplete: {len(ran.records)} of 100 cases were run" in ran.output
    assert shown(ran.run / "allure-results").keys() == ran.records.keys()


def test_a_lost_worker_makes_the_run_incomplete(endpoint: Endpoint, tmp_path: Path) -> None:
    session = Session(("-n2", "--model=oracle", "--sample=50", f"--graph={endpoint.uri}"), tmp_path / "run")
    process = session.reached(10)
    workers_of(process)[0].kill()
    ran = session.ended(process)
    assert ran.status == 16, ran.output
    assert len(ran.summary["lost_cases"]) == 1
    assert len(assert_shown_again(ran.run, "broken")) == 1
    # A worker killed between a case's record and the case's end loses it although the record is there.
    assert ran.summary["passed"] in (49, 50)


def test_killed_at_random_moments(in_one_go: Ran, arguments: tuple[str, ...], tmp_path: Path) -> None:
    session = Session(arguments, tmp_path / "run")
    struck = [killed(session, moment) for moment in moments(11, 2, CASES)]
    assert any(struck)
    taken = session.count()
    if is_complete(RunLog(session.run)):
        # The last of them came too late.
        status = json.loads((session.run / "manifest.json").read_text())["exit_status"]
        ended = Ran(status, "", session.run)
    else:
        ended = session.whole()
        failed = ended.summary["failed"]
        assert f"{failed} failed, {CASES - failed} passed" in ended.output
        are = "is" if taken == 1 else "are"
        assert f"CONTINUED: {taken} of {CASES} cases {are} taken from the records of this run" in ended.output
        assert f"continued: {taken} case" in ended.output
        assert ended.manifest["continued"][-1]["taken"] == taken
    assert_same(ended, in_one_go)
    assert shown(session.run / "allure-results").keys() == ended.records.keys()
    assert not (session.run / "run.lock").exists()


def test_no_answer_is_paid_twice_and_errors_are_tried_again(
    api: RolesApi, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def generator(text: str) -> Said | str:
        """Refuse the third and the fourth question that come, until they come again."""
        known = text in seen
        if not known:
            seen.append(text)
        return (
            Said(status=400) if not known and len(seen) in (3, 4) else Said(str(right_answers()(text)), 0.05)
        )

    api.roles["generator"] = generator
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    monkeypatch.setenv("OPENAI_BASE_URL", api.address)
    options = ("--model=scripted", "--sample=10", "--prompt=P5", "--shot=ZS", "--tb=no", "-n0")
    kept = f"--cache={tmp_path / 'answers.sqlite'}"
    session = Session((*options, kept, f"--graph={endpoint.uri}"), tmp_path / "run")
    assert killed(session, Moment(6, 0.0))
    before = len(api.asked)
    ended = session.whole()
    assert ended.status == 0, ended.output
    assert "that had an infrastructure error are tried again (--fresh starts a new run)" in ended.output
    assert ended.manifest["continued"][0]["retried"] == 2
    assert len(ended.records) == 10
    assert not any(record["infrastructure_error"] for record in ended.records.values())
    # Two that were refused; perhaps one that was on its way when the session was killed.
    assert 12 <= len(api.asked) <= 13
    assert len(api.asked) - before <= 4 + 2 + 1


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    path = tmp_path / "disk"
    path.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", SMALL, "tmpfs", path], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"no disk can be mounted here: {mounted.stderr.strip()}")
    yield path
    subprocess.run(["umount", "--lazy", path], check=True)


def test_a_full_disk_ends_the_run_cleanly_and_it_is_resumed(
    in_one_go: Ran, arguments: tuple[str, ...], disk: Path, tmp_path: Path
) -> None:
    session = Session((*arguments, "-n0"), disk / "run", said=tmp_path / "said")
    ended = session.whole()
    assert ended.status == 16, ended.output
    assert "INTERNALERROR" not in ended.output
    assert "the run cannot be written to (No space left on device)" in ended.output
    assert "make room, then repeat the command to resume" in " ".join(ended.output.split())
    assert 0 < len(ended.records) < CASES
    assert not list(disk.rglob("*.tmp"))
    subprocess.run(["mount", "-o", f"remount,{ROOMY}", disk], check=True)
    again = session.whole()
    assert_same(again, in_one_go)
    assert shown(session.run / "allure-results").keys() == again.records.keys()


def test_the_same_command_resumes_the_newest_of_its_runs(live: Suite, tmp_path: Path) -> None:
    reports = tmp_path / "reports"

    def run(*more: str) -> tuple[Ran, set[str]]:
        ran = live("-n0", "--model=mutant", "--sample=6", "--prompt=P5", "--shot=ZS", *more, root=tmp_path)
        return ran, {path.name for path in reports.iterdir()}

    def times(folder: str) -> dict[Path, int]:
        return {path: path.stat().st_mtime_ns for path in (reports / folder).rglob("*")}

    cut, first = run("-x")
    assert cut.status == 1
    (folder,) = first
    begun = records_in(reports / folder)
    assert 0 < begun < 6
    files = times(folder)
    run("--collect-only")
    assert times(folder) == files
    anew, both = run("--fresh", "-x")
    assert "CONTINUED" not in anew.output
    (newest,) = both - first
    assert times(folder) == files
    whole, second = run()
    assert second == both
    assert f"CONTINUED: {begun} of 6 cases" in whole.output
    assert records_in(reports / folder) == begun
    assert records_in(reports / newest) == 6
    failed = json.loads((reports / newest / "summary.json").read_text())["failed"]
    assert f"{failed} failed" in whole.output
