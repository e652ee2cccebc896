"""The lock that many executors hold at once, or one alone."""

import fcntl
import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path

from support.turns import hold_alone
from support.waiting import becomes_true

from retrocypher.kg.execution.recovery import SharedExclusiveLock

WAIT_S = 60.0


def test_many_share_and_one_alone_keeps_the_others_out(tmp_path: Path) -> None:
    first, second, third = (SharedExclusiveLock(tmp_path) for _ in range(3))
    order: list[str] = []
    entered = threading.Event()

    def alone() -> None:
        with third.exclusive():
            order.append("alone")
            entered.set()

    with first.shared(), second.shared():
        thread = threading.Thread(target=alone)
        thread.start()
        assert not entered.wait(0.2)
        order.append("shared")
    thread.join(WAIT_S)
    assert order == ["shared", "alone"]


def turnstile_is_closed(folder: Path) -> bool:
    with (folder / "turnstile.lock").open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_whoever_waits_to_be_alone_goes_before_those_who_come_later(tmp_path: Path) -> None:
    holder, writer, late = (SharedExclusiveLock(tmp_path) for _ in range(3))
    order: list[str] = []

    def alone() -> None:
        with writer.exclusive():
            order.append("alone")

    def shared() -> None:
        with late.shared():
            order.append("late")

    with holder.shared():
        threads = [threading.Thread(target=alone)]
        threads[0].start()
        assert becomes_true(lambda: turnstile_is_closed(tmp_path))
        threads.append(threading.Thread(target=shared))
        threads[1].start()
        time.sleep(0.2)
        assert order == []
    for thread in threads:
        thread.join(WAIT_S)
    assert order == ["alone", "late"]


def test_a_killed_process_frees_its_turn(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    held = context.Event()
    process = context.Process(target=hold_alone, args=(tmp_path, held))
    process.start()
    assert process.pid
    assert held.wait(WAIT_S)
    os.kill(process.pid, signal.SIGKILL)
    with SharedExclusiveLock(tmp_path).shared():
        process.join(WAIT_S)
    assert process.exitcode == -signal.SIGKILL
