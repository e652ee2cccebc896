"""Runs that are cut short and gone on with: in the end they are what they would have been in one go."""

import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from support.killing import Moment, Session, assert_same, moments, records_in
from support.roles_api import RolesApi, Said, references_by_question, right
from support.suite import Ran, Suite

from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.resume import is_complete

CASES = 24
MUTANT = ("--model=mutant", f"--sample={CASES}", "--prompt=P5", "--shot=ZS", "--tb=no", "-q")
SMALL, ROOMY = "size=400k", "size=40m"


@pytest.fixture(scope="module")
def surroundings(endpoint: Endpoint) -> dict[str, str]:
    """The environment of a session that asks the tests' own server."""
    ours = ("OPENAI_API_KEY", "PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    return {**kept, "NEO4J_USER": endpoint.user, "NEO4J_PASSWORD": endpoint.password}


@pytest.fixture(scope="module")
def arguments(endpoint: Endpoint) -> tuple[str, ...]:
    return (*MUTANT, f"--graph={endpoint.uri}")


@pytest.fixture(scope="module")
def in_one_go(
    arguments: tuple[str, ...], surroundings: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Ran:
    """The run as it is without an interruption."""
    ran = Session(("-n2", *arguments), tmp_path_factory.mktemp("whole") / "run", surroundings).whole()
    assert ran.status == 1
    assert len(ran.records) == CASES
    return ran


def manifest(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((run / "manifest.json").read_text())
    return found


def pages(run: Path) -> list[str]:
    """The cases that have a page in Allure."""
    results = [json.loads(file.read_text()) for file in (run / "allure-results").glob("*-result.json")]
    parameters = [{each["name"]: each["value"] for each in result["parameters"]} for result in results]
    return sorted(each["case"] for each in parameters if "prompt" in each)


def test_killed_at_random_moments(
    in_one_go: Ran, arguments: tuple[str, ...], surroundings: dict[str, str], tmp_path: Path
) -> None:
    session = Session(("-n2", *arguments), tmp_path / "run", surroundings)
    struck = [session.killed(moment) for moment in moments(11, 2, CASES, workers=True)]
    assert any(struck)
    taken = records_in(session.run)
    if is_complete(RunLog(session.run)):
        # The last of them came too late.
        ended = Ran(manifest(session.run)["exit_status"], "", session.run)
    else:
        ended = session.whole()
        failed = ended.summary["failed"]
        assert f"{failed} failed, {CASES - failed} passed" in ended.output
        are = "is" if taken == 1 else "are"
        assert f"CONTINUED: {taken} of {CASES} cases {are} taken from the records of this run" in ended.output
        assert f"continued: {taken} case" in ended.output
        assert manifest(session.run)["continued"][-1]["taken"] == taken
    assert_same(ended, in_one_go)
    assert pages(session.run) == sorted(ended.records)
    assert not (session.run / "run.lock").exists()


@pytest.fixture
def api() -> Iterator[RolesApi]:
    answer = right(references_by_question(load_questions().questions))
    refused: list[str] = []

    def player(text: str) -> Said | str:
        """Refuse the third and the fourth question that come, until they come again."""
        known = text in refused
        if not known:
            refused.append(text)
        return Said(status=400) if not known and len(refused) in (3, 4) else Said(str(answer(text)), 0.05)

    server = RolesApi({"generator": player})
    yield server
    server.stop()


def test_no_answer_is_paid_twice_and_errors_are_tried_again(
    api: RolesApi, endpoint: Endpoint, surroundings: Mapping[str, str], tmp_path: Path
) -> None:
    asked = {**surroundings, "OPENAI_API_KEY": "any", "OPENAI_BASE_URL": api.address}
    told = ("--model=scripted", "--sample=10", "--prompt=P5", "--shot=ZS", "--tb=no", "-n0")
    kept = f"--cache={tmp_path / 'answers.sqlite'}"
    session = Session((*told, kept, f"--graph={endpoint.uri}"), tmp_path / "run", asked)
    assert session.killed(Moment(6, 0.0))
    before = len(api.asked)
    ended = session.whole()
    assert ended.status == 0, ended.output
    assert "that had an infrastructure error are tried again (--fresh starts a new run)" in ended.output
    assert manifest(session.run)["continued"][0]["retried"] == 2
    assert len(ended.records) == 10
    assert not any(record["infrastructure_error"] for record in ended.records.values())
    # Two that were refused; perhaps one that was on its way when the session was killed.
    assert 12 <= len(api.asked) <= 13
    assert len(api.asked) - before <= 4 + 2 + 1
    refused = session.whole()
    assert refused.status == 4
    assert "holds a run already, which is complete; name another folder" in refused.output


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


@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_full_disk_ends_the_run_cleanly_and_it_goes_on(
    in_one_go: Ran,
    arguments: tuple[str, ...],
    surroundings: dict[str, str],
    disk: Path,
    tmp_path: Path,
    workers: str,
) -> None:
    session = Session((workers, *arguments), disk / "run", surroundings, said=tmp_path / "said")
    ended = session.whole()
    assert ended.status == 16, ended.output
    assert "INTERNALERROR" not in ended.output
    assert "the run cannot be written to (No space left on device)" in ended.output
    assert "make room, then repeat the command to resume" in " ".join(ended.output.split())
    assert 0 < len(ended.records) < CASES
    assert not list(disk.rglob("*.tmp"))
    if workers == "-n0":
        subprocess.run(["mount", "-o", f"remount,{ROOMY}", disk], check=True)
        again = session.whole()
        assert_same(again, in_one_go)
        assert pages(session.run) == sorted(again.records)


def test_the_same_command_goes_on_with_the_newest_of_its_runs(live: Suite, tmp_path: Path) -> None:
    def run(*more: str) -> tuple[Ran, set[str]]:
        ran = live("-n0", "--model=mutant", "--sample=6", "--prompt=P5", "--shot=ZS", *more, root=tmp_path)
        return ran, {path.name for path in (tmp_path / "reports").iterdir()}

    cut, first = run("-x")
    assert cut.status == 1
    (folder,) = first
    begun = records_in(tmp_path / "reports" / folder)
    assert 0 < begun < 6
    files = {path: path.stat().st_mtime_ns for path in (tmp_path / "reports" / folder).rglob("*")}
    run("--collect-only")
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "reports" / folder).rglob("*")} == files
    anew, both = run("--fresh", "-x")
    assert "CONTINUED" not in anew.output
    (newest,) = both - first
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "reports" / folder).rglob("*")} == files
    whole, second = run()
    assert second == both
    assert f"CONTINUED: {begun} of 6 cases" in whole.output
    assert records_in(tmp_path / "reports" / folder) == begun
    folder = newest
    assert records_in(tmp_path / "reports" / folder) == 6
    failed = json.loads((tmp_path / "reports" / folder / "summary.json").read_text())["failed"]
    assert f"{failed} failed" in whole.output
