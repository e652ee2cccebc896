"""No server is left behind, however its owner ends."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from support.interrupts import heed_interrupts
from support.suite import CHECKOUT
from support.waiting import gone

OWNER = CHECKOUT / "tests" / "support" / "server_owner.py"
Start = Callable[[str], "subprocess.Popen[str]"]


@dataclass
class Owner:
    program: "subprocess.Popen[str]"
    folder: Path
    server: psutil.Process
    supervisor: psutil.Process

    def nothing_is_left(self) -> bool:
        return gone(self.server.pid) and gone(self.supervisor.pid)


@pytest.fixture
def start() -> Iterator[Start]:
    programs = []

    def started(then: str) -> "subprocess.Popen[str]":
        command = [sys.executable, str(OWNER), "local", then]
        pipe = subprocess.PIPE
        programs.append(
            subprocess.Popen(
                command, stdout=pipe, text=True, start_new_session=True, preexec_fn=heed_interrupts
            )
        )
        return programs[-1]

    yield started
    for program in programs:
        program.kill()
        program.wait()


def owner_of(program: "subprocess.Popen[str]") -> Owner:
    assert program.stdout
    said = json.loads(program.stdout.readline())
    server = psutil.Process(said["server"])
    supervisor = server.parent()
    assert supervisor
    return Owner(program, Path(said["control"]).parent, server, supervisor)


def test_two_owners_have_two_servers_and_each_ends_with_its_own(start: Start) -> None:
    killed, interrupted = map(owner_of, [start("wait"), start("wait")])
    assert killed.folder != interrupted.folder

    killed.program.kill()
    assert killed.nothing_is_left()
    assert not killed.folder.exists()

    assert interrupted.server.is_running()
    # As the terminal does it: to the whole process group.
    os.killpg(interrupted.program.pid, signal.SIGINT)
    assert interrupted.nothing_is_left()
    assert not interrupted.folder.exists()


def test_an_owner_that_forgets_its_server_and_a_supervisor_that_is_killed(start: Start) -> None:
    programs = [start("end"), start("wait")]
    forgetful = json.loads(programs[0].communicate(timeout=100)[0])
    assert gone(forgetful["server"])

    bereft = owner_of(programs[1])
    bereft.supervisor.kill()
    assert bereft.nothing_is_left()
