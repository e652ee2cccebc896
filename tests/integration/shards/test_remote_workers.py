"""Workers that pytest-xdist starts by ssh, from a real sshd of this machine."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.suite import CHECKOUT, environment
from support.waiting import becomes_true

from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.resume import is_complete

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
pytestmark = pytest.mark.skipif(
    not (SSHD and shutil.which("ssh") and shutil.which("ssh-keygen")),
    reason="needs ssh, ssh-keygen and sshd (Debian: openssh-server)",
)


def wait_for(port: int, server: "subprocess.Popen[bytes]") -> None:
    def listens() -> bool:
        assert server.poll() is None, "sshd has ended"
        with socket.socket() as asking:
            return asking.connect_ex(("127.0.0.1", port)) == 0

    assert becomes_true(listens), "sshd does not listen"


@pytest.fixture(scope="module")
def ssh_config(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Run an sshd with keys of its own; yield settings for ssh that call the machine ``loopback``."""
    folder = tmp_path_factory.mktemp("sshd")
    for name in ("host", "key"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder / 'host'}\nPidFile none\nUsePAM no\n"
        f"AuthorizedKeysFile {folder / 'key.pub'}\nStrictModes no\nPasswordAuthentication no\n"
    )
    settings = folder / "ssh_config"
    settings.write_text(
        f"Host loopback\n HostName 127.0.0.1\n Port {port}\n IdentityFile {folder / 'key'}\n"
        " IdentitiesOnly yes\n IdentityAgent none\n StrictHostKeyChecking no\n LogLevel ERROR\n"
        " UserKnownHostsFile /dev/null\n"
    )
    if os.getuid() == 0:
        # Where sshd puts its unprivileged part; systemd makes it otherwise.
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    assert SSHD is not None
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([SSHD, "-D", "-e", "-f", str(folder / "sshd_config")], stderr=log)
        try:
            wait_for(port, server)
            yield settings
        finally:
            server.terminate()
            server.wait(timeout=10)


def session(tx: str, endpoint: Endpoint, run: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the suite with one worker, started as ``tx`` says."""
    graph = f"--graph={endpoint.uri.replace('bolt://', 'neo4j://')}"
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
