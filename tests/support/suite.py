"""A session of the suite, run as a user does: a pytest of its own, in the checkout."""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from support.comparable import without_times
from support.interrupts import heed_interrupts
from support.records import raw_records

CHECKOUT = Path(__file__).parents[2]
ENDS_WITHIN_S = 600.0
_OF_THIS_SESSION = ("PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT")


def environment() -> dict[str, str]:
    """Return the environment, without what pytest says of the session that tests."""
    return {name: value for name, value in os.environ.items() if name not in _OF_THIS_SESSION}


@dataclass(frozen=True, slots=True)
class Ran:
    """A session that ended."""

    status: int
    output: str
    run: Path

    @property
    def records(self) -> dict[str, dict[str, Any]]:
        """Records by case."""
        records = raw_records(self.run)
        assert len({record["case_id"] for record in records}) == len(records)
        return {record["case_id"]: record for record in records}

    @property
    def summary(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.run / "summary.json").read_text())
        return found

    @property
    def manifest(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.run / "manifest.json").read_text())
        return found

    @property
    def rounds(self) -> list[dict[str, Any]]:
        """The rounds of all cases."""
        return [turn for record in self.records.values() for turn in record["rounds"]]


Suite = Callable[..., Ran]


@dataclass(frozen=True, slots=True)
class Session:
    """A session of the suite, as often as wanted.

    Attributes:
        arguments: What ``pytest benchmarks`` is given.
        run: Its run directory.
        root: Its root directory, below which it gets a run directory by itself; then `run` is not named.
        said: File that takes what it prints; None for one beside the run directory.
    """

    arguments: Sequence[str]
    run: Path
    root: Path | None = None
    said: Path | None = None

    def start(self) -> "subprocess.Popen[bytes]":
        """Start it."""
        with self._said.open("w") as said:
            return subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "pytest",
                    str(CHECKOUT / "benchmarks"),
                    *self._places(),
                    *self.arguments,
                ],
                cwd=CHECKOUT,
                env=environment(),
                stdout=said,
                stderr=subprocess.STDOUT,
                preexec_fn=heed_interrupts,
            )

    def whole(self) -> Ran:
        """Run it to its end."""
        return self.ended(self.start())

    def ended(self, process: "subprocess.Popen[bytes]") -> Ran:
        """Wait for the end of what was started."""
        try:
            process.wait(timeout=ENDS_WITHIN_S)
        finally:
            process.kill()
        return Ran(process.returncode, self._said.read_text(errors="replace"), self.run)

    def reached(self, records: int) -> "subprocess.Popen[bytes]":
        """Start it, and return once the run has so many records more, or has ended."""
        most = self.count() + records
        process = self.start()
        deadline = time.monotonic() + ENDS_WITHIN_S
        while process.poll() is None and self.count() < most:
            assert time.monotonic() < deadline
            time.sleep(0.002)
        return process

    def count(self) -> int:
        """Return how many records the run has."""
        return records_in(self.run)

    @property
    def _said(self) -> Path:
        return self.said or self.run.with_suffix(".said")

    def _places(self) -> tuple[str, ...]:
        # Hypothesis would be loaded whole at the end of each session, which has no use for it.
        plain = ("-p", "no:hypothesispytest")
        if self.root is None:
            return (f"--run-dir={self.run}", *plain)
        settings = str(CHECKOUT / "pyproject.toml")
        return (f"--rootdir={self.root}", f"--confcutdir={CHECKOUT}", "-c", settings, *plain)


def workers_of(process: "subprocess.Popen[bytes]") -> list[psutil.Process]:
    """Return the workers of a session."""
    children = psutil.Process(process.pid).children()
    return [child for child in children if "exec(eval(" in " ".join(child.cmdline())]


@dataclass(frozen=True, slots=True)
class Moment:
    """When a session, or only one of its workers, is killed: after so many records more, and a pause."""

    records: int
    pause_s: float
    worker: bool = False


def moments(seed: int, count: int, cases: int) -> list[Moment]:
    """Return moments spread over a run of so many cases, drawn by a seed; every second is a worker's."""
    seeded_rng = random.Random(seed)
    most = max(1, cases // (count + 1))
    return [
        Moment(seeded_rng.randint(0, most), seeded_rng.uniform(0, 0.2), worker=number % 2 == 1)
        for number in range(count)
    ]


def killed(session: Session, moment: Moment) -> bool:
    """Run a session and kill it; tell whether it was killed before its end."""
    process = session.reached(moment.records)
    time.sleep(moment.pause_s)
    if moment.worker:
        try:
            workers = workers_of(process)
        except psutil.NoSuchProcess:
            workers = []
        for worker in workers[:1]:
            worker.kill()
        struck = bool(workers)
        ran = session.ended(process)
    else:
        struck = process.poll() is None
        process.kill()
        # Not for its workers: those of a killed session may be busy yet when the next one begins.
        ran = session.ended(process)
    assert "INTERNALERROR" not in ran.output, ran.output
    return struck


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
