"""What the guard costs a query: reference queries through the guarded executor, and through the bare driver.

Of each question in turn its query as it is, and with names of its own. The first is of a shape that was met
before, so the guard has kept the check of its plan; the second is the first of its shape, as most queries of
a model are, and has to be planned from nothing in both ways.
"""

import time
from collections.abc import Callable, Iterator
from itertools import count
from statistics import median
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from retrocypher.kg.execution.execution import Execution, Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.questions.question import TASKS
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server.endpoint import Endpoint

QUERIES = 40


@pytest.fixture(scope="module")
def executor(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedExecutor]:
    with GuardedExecutor(endpoint, Limits(), tmp_path_factory.mktemp("coordination")) as guarded:
        yield guarded


def renamed(query: str, number: int) -> str:
    return query.replace("reaction", f"r{number}")


@pytest.mark.parametrize("task", TASKS)
def test_execution(
    benchmark: BenchmarkFixture,
    say: Callable[[str], None],
    bare: Callable[[str], list[list[Any]]],
    executor: GuardedExecutor,
    task: str,
) -> None:
    questions = [question for question in load_questions().questions if question.task == task]
    # Every few, so that all step counts and kinds are met.
    queries = [each.reference_cypher for each in questions[:: len(questions) // QUERIES][:QUERIES]]
    for query in queries:
        executor.run(query)
    waiting = iter(queries)
    names = count()
    times: dict[str, list[float]] = {way: [] for way in ("bare", "guarded", "bare first", "guarded first")}
    sizes: list[int] = []

    def timed(way: str, ask: Callable[[str], Any], query: str) -> Any:
        started = time.perf_counter()
        found = ask(query)
        times[way].append(time.perf_counter() - started)
        return found

    def others_first() -> tuple[tuple[str], dict[str, Any]]:
        query = next(waiting)
        sizes.append(len(timed("bare", bare, query)))
        assert len(timed("bare first", bare, renamed(query, next(names)))) == sizes[-1]
        assert timed("guarded first", executor.run, renamed(query, next(names))).row_count == sizes[-1]
        return (query,), {}

    def again(query: str) -> None:
        execution: Execution = timed("guarded", executor.run, query)
        assert (execution.status, execution.row_count) == ("ok", sizes[-1])

    benchmark.pedantic(again, setup=others_first, rounds=len(queries))

    ms = {way: 1_000 * median(each) for way, each in times.items()}
    benchmark.extra_info.update(ms)
    say(
        f"{task}: guarded {ms['guarded']:.1f} ms, bare driver {ms['bare']:.1f} ms; "
        f"first of its shape {ms['guarded first']:.1f} ms, {ms['bare first']:.1f} ms"
    )
