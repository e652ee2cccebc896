"""Sessions of the suite that are killed, at a moment that a seed decides."""

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from support.comparable import without_times
from support.records import raw_records
from support.suite import CHECKOUT, Ran

ENDS_WITHIN_S = 120.0


@dataclass(frozen=True, slots=True)
class Moment:
    """When a session is killed, and what of it.

    Attributes:
        records: Records that the run has by then, beyond those that it had when the session began.
        pause_s: Seconds that pass after that.
        worker: Whether one of its workers is killed, and the session lives on; else the session is.
    """

    records: int
    pause_s: float
    worker: bool = False


@dataclass(frozen=True, slots=True)
class Session:
    """A session of the suite, as often as wanted.

    Attributes:
        arguments: What ``pytest benchmarks`` is given.
        run: Its run directory.
        environment: The environment it is run in.
        said: File that takes what it prints; None for one beside the run directory.
    """

    arguments: Sequence[str]
    run: Path
    environment: Mapping[str, str]
    said: Path | None = None

    def whole(self) -> Ran:
        """Run it to its end."""
        process = self._start()
        process.wait(timeout=ENDS_WITHIN_S)
        return Ran(process.returncode, self._said.read_text(), self.run)

    def killed(self, moment: Moment) -> bool:
        """Run it and kill it; tell whether it was killed before its end."""
        before = records_in(self.run)
        process = self._start()
        deadline = time.monotonic() + ENDS_WITHIN_S
        while process.poll() is None and records_in(self.run) < before + moment.records:
            assert time.monotonic() < deadline
            time.sleep(0.002)
        time.sleep(moment.pause_s)
        struck = _kill_worker(process.pid) if moment.worker else _kill(process)
        # Not for its workers: those of a killed session may be busy yet when the next one begins.
        process.wait(timeout=ENDS_WITHIN_S)
        output = self._said.read_text()
        assert "INTERNALERROR" not in output, output
        return struck

    @property
    def _said(self) -> Path:
        return self.said or self.run.with_suffix(".said")

    def _start(self) -> "subprocess.Popen[bytes]":
        with self._said.open("w") as said:
            return subprocess.Popen(
                [sys.executable, "-m", "pytest", "benchmarks", f"--run-dir={self.run}", *self.arguments],
                cwd=CHECKOUT,
                env=dict(self.environment),
                stdout=said,
                stderr=subprocess.STDOUT,
            )


def moments(seed: int, count: int, cases: int, workers: bool) -> list[Moment]:
    """Return moments spread over a run, from before its first record on; every second is that of a worker.

    Args:
        seed: Decides them.
        count: How many.
        cases: How many cases the run has.
        workers: Whether it has workers to kill.
    """
    chance = random.Random(seed)
    most = max(1, cases // (count + 1))
    return [
        Moment(chance.randint(0, most), chance.uniform(0, 0.2), worker=workers and number % 2 == 1)
        for number in range(count)
    ]


def records_in(run: Path) -> int:
    """Return how many records a run has."""
    try:
        return (run / "records.jsonl").read_bytes().count(b"\n")
    except FileNotFoundError:
        return 0


def assert_same(one: Ran, other: Ran) -> None:
    """Assert that two runs came to the same, in whatever order."""
    assert one.status == other.status
    assert without_times(raw_records(one.run)) == without_times(raw_records(other.run))
    assert one.summary == other.summary
    assert _messages(one.run) == _messages(other.run)


def _messages(run: Path) -> dict[str, str]:
    lines = [json.loads(line) for line in (run / "messages.jsonl").read_text().splitlines()]
    assert len({line["sha256"] for line in lines}) == len(lines)
    return {line["sha256"]: line["messages"] for line in lines}


def _kill(process: "subprocess.Popen[bytes]") -> bool:
    before = process.poll() is None
    process.send_signal(signal.SIGKILL)
    return before


def _kill_worker(pid: int) -> bool:
    try:
        children = psutil.Process(pid).children()
        workers = [child for child in children if "exec(eval(" in " ".join(child.cmdline())]
        if workers:
            workers[0].kill()
        return bool(workers)
    except psutil.NoSuchProcess:
        return False
