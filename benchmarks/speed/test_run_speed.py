"""How long 2,400 cases take, beside what no harness can do without.

In each round: the reference queries planned and run through the bare driver by two threads; as many empty
pytest cases with two workers; then the run itself, the oracle over every question with two workers. The run
is compared with the sum of the other two, so the machine and what else it does cancel out. The compilers
of the server are warmed first: it is up, as in a second run on it.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from retrocypher.kg.questions.reading import load_questions

WORKERS = 2
ROUNDS = 3
WITHOUT_ALLURE = ("-p", "no:allure_pytest")
EMPTY = """
import pytest

@pytest.mark.parametrize("number", range({count}))
def test_nothing(number):
    pass
"""

Clock = Callable[[], float]


@pytest.fixture
def bare_queries(bare: Callable[[str], list[list[Any]]]) -> Clock:
    """Plan and run every reference query through the bare driver; seconds."""
    queries = [question.reference_cypher for question in load_questions().questions]

    def run() -> float:
        started = time.perf_counter()
        with ThreadPoolExecutor(WORKERS) as threads:
            rows = list(threads.map(bare, queries))
        assert all(rows)
        return time.perf_counter() - started

    return run


@pytest.fixture
def empty_cases(tmp_path: Path, environment: dict[str, str]) -> Clock:
    """Run as many tests that do nothing; seconds."""
    (tmp_path / "test_empty.py").write_text(EMPTY.format(count=len(load_questions().questions)))
    command = [sys.executable, "-m", "pytest", str(tmp_path), "-q", f"-n{WORKERS}", *WITHOUT_ALLURE]

    def run() -> float:
        started = time.perf_counter()
        ended = subprocess.run(
            [*command, f"--rootdir={tmp_path}"], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return time.perf_counter() - started

    return run


def test_run(
    benchmark: BenchmarkFixture,
    say: Callable[[str], None],
    suite: Callable[..., float],
    bare_queries: Clock,
    empty_cases: Clock,
) -> None:
    rounds: list[tuple[float, float]] = []
    runs: list[float] = []

    def floors_first() -> None:
        rounds.append((bare_queries(), empty_cases()))

    def run() -> None:
        runs.append(suite(f"-n{WORKERS}", *WITHOUT_ALLURE))

    bare_queries()
    run()
    runs.clear()
    benchmark.pedantic(run, setup=floors_first, rounds=ROUNDS)

    queries, empty = (median(each) for each in zip(*rounds, strict=True))
    ratio = median(runs) / (queries + empty)
    benchmark.extra_info.update(bare_s=queries, empty_s=empty, ratio=ratio)
    say(
        f"2,400 cases, -n {WORKERS}, no Allure: {median(runs):.1f} s, {ratio:.2f} times (aim 1.5, then 1) "
        f"the bare driver ({queries:.1f} s) and as many empty cases ({empty:.1f} s) together"
    )


def test_run_with_allure(
    benchmark: BenchmarkFixture, say: Callable[[str], None], suite: Callable[..., float], tmp_path: Path
) -> None:
    without: list[float] = []
    with_it: list[float] = []

    def without_first() -> None:
        without.append(suite(f"-n{WORKERS}", *WITHOUT_ALLURE))

    def run() -> None:
        with_it.append(suite(f"-n{WORKERS}"))

    benchmark.pedantic(run, setup=without_first, rounds=ROUNDS)

    added = median(with_it) - median(without)
    files = list(tmp_path.glob("run1/allure-results/*"))
    size = sum(file.stat().st_size for file in files) / 2**20
    assert files
    say(f"Allure adds {added:.1f} s, {len(files):,} files, {size:.1f} MiB")
