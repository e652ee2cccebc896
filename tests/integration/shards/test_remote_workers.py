"""Workers that pytest-xdist starts by ssh, from a real sshd of this machine."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.sshd import lacking, running
from support.suite import CHECKOUT, environment

from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.resume import is_complete

pytestmark = pytest.mark.skipif(bool(lacking()), reason=f"not installed: {', '.join(lacking())}")


@pytest.fixture(scope="module")
def ssh_config(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with running(tmp_path_factory.mktemp("sshd")) as settings:
        yield settings


def session(tx: str, endpoint: Endpoint | None, run: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the suite with one worker, started as told."""
    graph = f"--graph={endpoint.uri.replace('bolt://', 'neo4j://')}" if endpoint else "--graph=local"
    command = [sys.executable, "-m", "pytest", str(CHECKOUT / "benchmarks"), "--dist=load", "-q"]
    return subprocess.run(
        [*command, f"--tx={tx}", graph, f"--run-dir={run}", *options],
        cwd=CHECKOUT,
        env={**environment(), "PYTHONPATH": str(CHECKOUT / "src")},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def over_ssh(ssh_config: Path, there: Path, host: str = "loopback", python: str = sys.executable) -> str:
    return f"ssh={host}//ssh_config={ssh_config}//python={python}//chdir={there}"


def test_cases_are_run_by_a_worker_over_ssh_with_a_routed_address(
    ssh_config: Path, endpoint: Endpoint, tmp_path: Path
) -> None:
    run, there = tmp_path / "run", tmp_path / "there"
    ran = session(over_ssh(ssh_config, there), endpoint, run, "--model=oracle", "--sample=4")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    log = RunLog(run)
    assert [record.passed for record in log.records()] == [True] * 4
    assert is_complete(log)
    # The code that ran is what was copied there, without what runs left.
    assert (there / CHECKOUT.name / "plugins").is_dir()
    assert not (there / CHECKOUT.name / "reports").exists()
    assert not (run / "allure-results").exists()


def test_what_is_lacking_there_is_told_before_a_case_is_asked(
    ssh_config: Path, endpoint: Endpoint, tmp_path: Path
) -> None:
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text('{"question_id": "precursors-001", "cypher": "RETURN 1"}\n')
    # So deep that a path from here leads nowhere from there.
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    model = f"--model=file:{os.path.relpath(predictions, CHECKOUT)}"
    gone = session(over_ssh(ssh_config, deep / "there"), endpoint, tmp_path / "run", model)
    assert gone.returncode == 4, gone.stdout + gone.stderr
    assert "ERROR: --tx: on loopback: " in gone.stdout + gone.stderr
    assert "the predictions cannot be read" in gone.stdout + gone.stderr
    assert not (tmp_path / "run").exists()


def test_a_server_of_this_machine_is_refused(ssh_config: Path, tmp_path: Path) -> None:
    tx = over_ssh(ssh_config, tmp_path / "there")
    refused = session(tx, None, tmp_path / "run", "--model=oracle")
    assert refused.returncode == 4
    said = "--graph local: the worker on loopback (--tx) cannot reach a server"
    assert said in refused.stderr + refused.stdout
    assert not (tmp_path / "there").exists()


@pytest.mark.parametrize(
    ("host", "python", "said"),
    [("nowhere", sys.executable, "Could not resolve hostname"), ("loopback", "/no/python", "/no/python")],
)
def test_a_machine_that_ssh_does_not_reach_is_named(
    ssh_config: Path, endpoint: Endpoint, tmp_path: Path, host: str, python: str, said: str
) -> None:
    settings = tmp_path / "settings"
    settings.write_text(ssh_config.read_text() + "\nHost nowhere\n  HostName nowhere.invalid\n")
    tx = over_ssh(settings, tmp_path / "there", host, python)
    ran = session(tx, endpoint, tmp_path / "run", "--model=oracle", "--sample=1")
    assert ran.returncode == 4, ran.stdout + ran.stderr
    assert f"--tx: no worker can begin on {host}: " in ran.stderr
    assert said in ran.stderr
    assert "Traceback" not in ran.stdout + ran.stderr
