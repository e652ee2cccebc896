"""Only one process writes a run directory, and a killed one holds nothing."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from support.suite import CHECKOUT

from retrocypher.kg.errors import InputError
from retrocypher.plugins.runs.run_directory import RunDirectory

_HOLDS = """
import sys
from pathlib import Path
from retrocypher.plugins.runs.run_directory import RunDirectory

run = RunDirectory(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_who_holds_it_is_named_and_a_killed_process_holds_it_no_more(tmp_path: Path) -> None:
    run = tmp_path / "run"
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLDS, run], cwd=CHECKOUT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    with holder.stdin, holder.stdout:
        assert holder.stdout.readline() == b"held\n"
        named = rf"process {holder.pid} on {socket.gethostname()} \(since 2"
        for go_on in (False, True):
            with pytest.raises(InputError, match=named):
                RunDirectory(run, resume=go_on)
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert (run / "run.lock").exists()
    RunDirectory(run).close()
    assert not (run / "run.lock").exists()


def test_one_process_cannot_hold_it_twice(tmp_path: Path) -> None:
    with RunDirectory(tmp_path / "run"):
        with pytest.raises(InputError, match=f"process {os.getpid()} on"):
            RunDirectory(tmp_path / "run")
        assert (tmp_path / "run" / "run.lock").exists()
    RunDirectory(tmp_path / "run").close()


def test_a_refused_folder_is_not_held(tmp_path: Path) -> None:
    with RunDirectory(tmp_path) as run:
        run.write_record("{}", {})
    for _ in range(2):
        with pytest.raises(InputError, match="holds a run already"):
            RunDirectory(tmp_path)
    assert not (tmp_path / "run.lock").exists()
