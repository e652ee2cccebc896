"""How long the full sweep, 48,000 cases, takes to collect, and how much memory.

Timed from the start of the command until the first case has run, since with xdist that is when all workers
have collected, their lists were compared and the first cases handed out. Memory is summed over all processes
of the session, each page that several share divided among them; the server is apart.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from retrocypher.kg.server.endpoint import Endpoint

CASES = 48_000
SAMPLED_EVERY_S = 0.5
PATIENCE_S = 300
PROBES = Path(__file__).parent

Sweep = Callable[[int], tuple[float, float]]


def memory(root: psutil.Process) -> float:
    """Return the memory of a process and all below it, in MiB."""
    total = 0
    for process in (root, *root.children(recursive=True)):
        try:
            total += process.memory_full_info().pss
        except psutil.NoSuchProcess:
            continue
    return total / 2**20


@pytest.fixture
def sweep(endpoint: Endpoint, environment: dict[str, str], tmp_path: Path) -> Sweep:
    """Start the full sweep with some workers, end it at its first case; seconds and most memory in MiB."""

    def collect(workers: int) -> tuple[float, float]:
        probe, run = tmp_path / "probe", tmp_path / "run"
        what = ["--prompt=all", "--shot=all", "--model=oracle", f"--graph={endpoint.uri}", f"--run-dir={run}"]
        command = [
            sys.executable,
            "-m",
            "pytest",
            "benchmarks",
            "-q",
            f"-n{workers}",
            "-p",
            "collection_probe",
        ]
        started = time.time()
        output = tmp_path / "output"
        with output.open("w") as out:
            session = subprocess.Popen(
                [*command, *what],
                cwd=PROBES.parents[1],
                env={**environment, "COLLECTION_PROBE": str(probe), "PYTHONPATH": str(PROBES)},
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        tree, most = psutil.Process(session.pid), 0.0
        while not probe.exists() and session.poll() is None and time.time() - started < PATIENCE_S:
            time.sleep(SAMPLED_EVERY_S)
            most = max(most, memory(tree))
        assert session.wait(PATIENCE_S) == 0, output.read_text()
        assert json.loads((run / "manifest.json").read_text())["cases"] == CASES
        return float(probe.read_text()) - started, most

    return collect


@pytest.mark.parametrize(("workers", "aim"), [(0, ""), (2, " (aim 60 s)"), (8, "")], ids=["n0", "n2", "n8"])
def test_collection(
    benchmark: BenchmarkFixture, say: Callable[[str], None], sweep: Sweep, workers: int, aim: str
) -> None:
    seconds, mebibytes = benchmark.pedantic(sweep, args=(workers,))
    benchmark.extra_info.update(seconds=seconds, mebibytes=mebibytes)
    say(f"{CASES:,} cases collected at -n {workers}: {seconds:.1f} s{aim}, {mebibytes:,.0f} MiB")
