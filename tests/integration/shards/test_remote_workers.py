"""Workers that pytest-xdist starts by ssh, from a real sshd of this machine."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.records import raw_records
from support.sshd import lacking, running
from support.suite import CHECKOUT

from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.resume import is_complete

pytestmark = pytest.mark.skipif(bool(lacking()), reason=f"not installed: {', '.join(lacking())}")


@pytest.fixture(scope="module")
def ssh_config(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with running(tmp_path_factory.mktemp("sshd")) as settings:
        yield settings


def session(
    ssh_config: Path, there: Path, endpoint: Endpoint, *options: str
) -> subprocess.CompletedProcess[str]:
    tx = f"ssh=loopback//ssh_config={ssh_config}//python={sys.executable}//chdir={there}"
    command = [
        sys.executable,
        "-m",
        "pytest",
        str(CHECKOUT / "benchmarks"),
        "--dist=load",
        f"--tx={tx}",
        "-q",
    ]
    ours = ("PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    said = {"NEO4J_USER": endpoint.user, "NEO4J_PASSWORD": endpoint.password, "PYTHONPATH": str(CHECKOUT)}
    return subprocess.run(
        [*command, *options],
        cwd=CHECKOUT,
        env={**kept, **said},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def test_cases_are_run_by_a_worker_over_ssh_with_a_routed_address(
    ssh_config: Path, endpoint: Endpoint, tmp_path: Path
) -> None:
    run, there = tmp_path / "run", tmp_path / "there"
    routed = endpoint.uri.replace("bolt://", "neo4j://")
    ran = session(
        ssh_config, there, endpoint, f"--graph={routed}", "--model=oracle", "--sample=4", f"--run-dir={run}"
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    records = raw_records(run)
    assert len(records) == 4
    assert all(record["scores"]["f1"] == 1.0 for record in records)
    assert is_complete(RunLog(run))
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
    gone = session(
        ssh_config,
        deep / "there",
        endpoint,
        f"--graph={endpoint.uri}",
        f"--model=file:{os.path.relpath(predictions, CHECKOUT)}",
        f"--run-dir={tmp_path / 'run'}",
    )
    assert gone.returncode == 4, gone.stdout + gone.stderr
    assert "ERROR: --tx: on loopback: " in gone.stdout + gone.stderr
    assert "the predictions cannot be read" in gone.stdout + gone.stderr
    assert not (tmp_path / "run").exists()


def test_a_server_of_this_machine_is_refused(ssh_config: Path, endpoint: Endpoint, tmp_path: Path) -> None:
    refused = session(ssh_config, tmp_path / "there", endpoint, "--graph=local", "--model=oracle")
    assert refused.returncode == 4
    assert (
        "--graph local: the worker on loopback (--tx) cannot reach a server"
        in refused.stderr + refused.stdout
    )
    assert not (tmp_path / "there").exists()


def test_a_machine_that_ssh_does_not_reach_is_named(
    ssh_config: Path, endpoint: Endpoint, tmp_path: Path
) -> None:
    settings = tmp_path / "settings"
    settings.write_text(ssh_config.read_text() + "\nHost nowhere\n  HostName nowhere.invalid\n")
    options = (f"--graph={endpoint.uri}", "--model=oracle", "--sample=1", f"--run-dir={tmp_path / 'run'}")
    for host, python, said in (
        ("nowhere", sys.executable, "Could not resolve hostname"),
        ("loopback", "/no/python", "/no/python"),
    ):
        tx = f"ssh={host}//ssh_config={settings}//python={python}//chdir={tmp_path / 'there'}"
        ran = session(ssh_config, tmp_path / "there", endpoint, f"--tx={tx}", *options)
        assert ran.returncode == 4, ran.stdout + ran.stderr
        assert f"--tx: no worker can begin on {host}: " in ran.stderr
        assert said in ran.stderr
        assert "Traceback" not in ran.stdout + ran.stderr
