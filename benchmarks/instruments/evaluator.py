"""Speed of the compatibility mode beside CypherBench's published evaluator, on the suite ``flights``.

Both score the same predictions in turn on one server with one thread each: EX, PSJS and executable of each
prediction. They take turns in blocks, in changing order, and the server forgets its plans before each turn.
"""

import contextlib
import importlib
import logging
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import click

from retrocypher.benchmarks.instruments.mutants import Statuses
from retrocypher.benchmarks.instruments.predictions import FLAGS, PROPERTIES, Pair, predictions, wide_pairs
from retrocypher.kg.execution.execution import Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.server.endpoint import Endpoint, connect
from retrocypher.kg.suites.simplekg import read_simplekg
from retrocypher.kg.suites.suite import suite_folder
from retrocypher.plugins.cli.console import emit, json_option
from retrocypher.plugins.scoring.graph_metrics import GraphMetrics
from retrocypher.plugins.session.manifest import graph_of_suite
from retrocypher.plugins.session.suites import read_table_suite

_logger = logging.getLogger(__name__)

_BLOCK = 100
_TIMEOUT_S = 120.0
_STOP_S = 60

Verdict: TypeAlias = tuple[float | None, ...]
"""EX, PSJS and executable; None where undefined."""

_STOPPED: Verdict = (None, None, None)

Measure: TypeAlias = Callable[[str, str], Verdict]


class _Late(BaseException):
    """Not an Exception: the evaluator would take it for a fault of the query."""


def ours(endpoint: Endpoint, stack: ExitStack, golds: Sequence[str] = ()) -> Measure:
    """Return our measure, with nothing cached except the results of gold queries."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    executor = Statuses(stack.enter_context(GuardedExecutor(endpoint, Limits(_TIMEOUT_S), folder)))
    metrics = GraphMetrics(executor, compat=True)
    for gold in golds:
        metrics.measure(gold, "RETURN 0")

    def measure(gold: str, prediction: str) -> Verdict:
        scores = metrics.measure(gold, prediction)
        if prediction not in executor.of:
            executor.run_hashed(prediction, "published")
        return scores.ex, scores.psjs, float(executor.of[prediction] == "ok")

    return measure


def published(clone: Path, endpoint: Endpoint) -> Measure:
    """Return the measure of the published evaluator in a clone of its repository."""
    logging.getLogger("neo4j").setLevel(logging.ERROR)
    sys.path.insert(0, str(clone))
    evaluate, schema = (importlib.import_module(f"cypherbench.{name}") for name in ("evaluate", "schema"))
    place = urlsplit(endpoint.uri)
    connector = evaluate.Neo4jConnector("g", place.hostname, place.port, endpoint.user, endpoint.password)
    template = schema.TemplateInfo(match_category="", match_cypher="", return_pattern_id="", return_cypher="")

    def measure(gold: str, prediction: str) -> Verdict:
        item: Any = schema.Nl2CypherSample(
            qid="",
            graph="g",
            gold_cypher=gold,
            nl_question=None,
            from_template=template,
            pred_cypher=prediction,
        )
        with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
            signal.alarm(_STOP_S)
            try:
                found = evaluate.compute_metrics(item, list(evaluate.METRIC_FUNC_MAPPING), connector).metrics
            except _Late:
                return _STOPPED
            finally:
                signal.alarm(0)
        return found["execution_accuracy"], found["psjs"], found["executable"]

    def late(*_: object) -> None:
        raise _Late

    signal.signal(signal.SIGALRM, late)

    return measure


def timed(
    ways: dict[str, Measure], pairs: Sequence[Pair], forget: Callable[[], None]
) -> dict[str, list[tuple[float, Verdict]]]:
    """Return the seconds and the verdict of each pair, by way."""
    found: dict[str, list[tuple[float, Verdict]]] = {name: [] for name in ways}
    for block, first in enumerate(range(0, len(pairs), _BLOCK)):
        names = list(ways)
        for name in names[block % len(names) :] + names[: block % len(names)]:
            forget()
            for pair in pairs[first : first + _BLOCK]:
                started = time.perf_counter()
                verdict = ways[name](*pair)
                found[name].append((time.perf_counter() - started, verdict))
        so_far = ", ".join(f"{name} {sum(taken for taken, _ in found[name]):.1f} s" for name in ways)
        _logger.info(f"{first + _BLOCK:,} of {len(pairs):,}: {so_far}")
    return found


@click.command("evaluator")
@click.argument("clone", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--count", default=2_000, show_default=True, help="Number of predictions.")
@click.option("--wide", default=80, show_default=True, help="Number of pairs with 8 columns.")
@click.option("--seed", default=0, show_default=True, help="Which predictions are drawn.")
@json_option
def evaluator_command(clone: Path, count: int, wide: int, seed: int, as_json: bool) -> None:
    """Time the compatibility mode and the published evaluator in CLONE, a clone of its repository."""
    suite = read_table_suite(suite_folder("flights"))
    running = graph_of_suite("auto", suite)
    try:
        assert running.endpoint is not None
        assert suite.graph_file is not None
        graph = read_simplekg(suite.graph_file)
        sets = {
            "predictions": predictions(count, seed),
            "eight properties": wide_pairs(graph, PROPERTIES, wide, seed),
            "eight flags": wide_pairs(graph, FLAGS, wide // 4, seed),
        }
        found = {name: _figures(clone, running.endpoint, pairs) for name, pairs in sets.items() if pairs}
    finally:
        running.stop()
    lines = [f"{name}: {figures}" for name, figures in found.items()]
    emit(as_json, found, *lines)


def _figures(clone: Path, endpoint: Endpoint, pairs: Sequence[Pair]) -> dict[str, Any]:
    golds = list(dict.fromkeys(gold for gold, _ in pairs))
    with ExitStack() as stack:
        driver = stack.enter_context(connect(endpoint))

        def forget() -> None:
            driver.execute_query("CALL db.clearQueryCaches()")

        for gold in golds:  # so that the server is warm for the first
            driver.execute_query(gold)
        ways = {
            "published": published(clone, endpoint),
            "cold": ours(endpoint, stack),
            "warm gold": ours(endpoint, stack, golds),
        }
        found = timed(ways, pairs, forget)
    seconds = {name: [taken for taken, _ in each] for name, each in found.items()}
    verdicts = {name: [verdict for _, verdict in each] for name, each in found.items()}
    stopped = [verdict == _STOPPED for verdict in verdicts["published"]]
    other = [
        (*pair, theirs, own)
        for pair, theirs, own in zip(pairs, verdicts["published"], verdicts["cold"], strict=True)
        if theirs not in (own, _STOPPED)
    ]
    total = {name: sum(each) for name, each in seconds.items()}
    return {
        "pairs": len(pairs),
        "golds": len(golds),
        "ex_1": sum(verdict[0] == 1 for verdict in verdicts["cold"]),
        "seconds": total,
        "median_ms": {name: 1_000 * median(each) for name, each in seconds.items()},
        "ratio": {name: total["published"] / total[name] for name in ("cold", "warm gold")},
        "stopped": sum(stopped),
        "other_verdicts": other,
    }
