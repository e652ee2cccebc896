"""How close model calls come to full speed: the time of all calls, divided by how many may be in flight.

The API replies after half a second. What is compared is the time from the first request to the last reply,
within one run; at high concurrency the harness, which runs and scores the queries on the same cores, may be
slower than the API.
"""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

REPLY_S = 0.5
WORKERS = 2
WITHOUT_ALLURE = ("-p", "no:allure_pytest")


@dataclass(frozen=True)
class Figures:
    """What the API saw of a session."""

    calls: int
    most_at_once: int
    seconds: float

    def share_of_ideal(self, concurrency: int) -> float:
        """Return the time that all calls need at best, divided by the time that they took; at most 1."""
        return self.calls * REPLY_S / concurrency / self.seconds


@pytest.fixture
def address() -> Iterator[str]:
    """An API in a process of its own."""
    command = [sys.executable, str(Path(__file__).with_name("slow_api.py")), str(REPLY_S)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        process.kill()


def figures(address: str) -> Figures:
    with urllib.request.urlopen(f"{address}/figures") as reply:
        return Figures(**json.loads(reply.read()))


@pytest.mark.parametrize(
    ("concurrency", "options"),
    [(32, ()), (64, ()), (32, ("--loop=cove", "--sample=600"))],
    ids=["32", "64", "32-cove"],
)
def test_calls(
    benchmark: BenchmarkFixture,
    say: Callable[[str], None],
    model_suite: Callable[..., float],
    address: str,
    concurrency: int,
    options: tuple[str, ...],
) -> None:
    session = (f"-n{WORKERS}", f"--concurrency={concurrency}", "--cache=none", *WITHOUT_ALLURE, *options)

    benchmark.pedantic(model_suite, args=(address, *session), rounds=1)

    found = figures(address)
    assert found.most_at_once <= concurrency
    benchmark.extra_info["share_of_ideal"] = found.share_of_ideal(concurrency)
    say(
        f"{' '.join(options)} --concurrency {concurrency}: {found.calls:,} calls in {found.seconds:.1f} s, "
        f"{found.share_of_ideal(concurrency):.2f} of ideal, at most {found.most_at_once} in flight"
    )


def test_cached(
    benchmark: BenchmarkFixture,
    say: Callable[[str], None],
    model_suite: Callable[..., float],
    suite: Callable[..., float],
    address: str,
    tmp_path: Path,
) -> None:
    session = (address, f"-n{WORKERS}", f"--cache={tmp_path / 'answers.sqlite'}", *WITHOUT_ALLURE)
    model_suite(*session, "--concurrency=64")
    oracle = suite(f"-n{WORKERS}", *WITHOUT_ALLURE)

    seconds = benchmark.pedantic(model_suite, args=session, rounds=1)

    say(f"2,400 cached cases: {seconds:.1f} s, {seconds / oracle:.2f} of the oracle's {oracle:.1f} s")
