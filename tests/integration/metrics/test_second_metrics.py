"""EX and PSJS equal those of a second implementation that was written from docs/scores.md."""

import random
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import neo4j
import pytest
from support.second_metrics import ex, psjs, runner

from retrocypher.benchmarks.instruments.predictions import predictions
from retrocypher.kg.execution.execution import Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.mutations.registry import OPERATORS, mutate
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.server.endpoint import Endpoint, connect
from retrocypher.kg.server.open import start_server
from retrocypher.kg.suites.loading import fingerprint_of_graph, load_graph
from retrocypher.kg.suites.simplekg import read_simplekg
from retrocypher.kg.suites.suite import suite_folder
from retrocypher.plugins.scoring.graph_metrics import GraphMetrics

Pair = tuple[str, str]

EVERY = 14
"""Of the queries by hand, one in so many is compared in each run of the tests."""


def by_hand() -> list[list[str]]:
    """The queries of compared_queries.cypher, by group."""
    groups: list[list[str]] = []
    for line in Path(__file__).with_name("compared_queries.cypher").read_text().splitlines():
        if line.startswith("// "):
            groups.append([])
        else:
            groups[-1].append(line)
    return groups


@pytest.fixture
def executor(endpoint: Endpoint, tmp_path: Path) -> Iterator[GuardedExecutor]:
    with GuardedExecutor(endpoint, Limits(timeout_s=10), tmp_path) as executor:
        yield executor


@pytest.fixture
def metrics(executor: GuardedExecutor) -> GraphMetrics:
    return GraphMetrics(executor)


def differences(driver: neo4j.Driver, metrics: GraphMetrics, pairs: Iterable[Pair]) -> list[object]:
    """Return the pairs with other scores, and both scores."""
    run = runner(driver)
    found: list[object] = []
    for reference, query in pairs:
        scores = metrics.measure(reference, query)
        second = ex(run, reference, query), psjs(run, reference, query)
        if (scores.ex, scores.psjs) != second:
            found.append((reference, query, scores, second))
    return found


def test_some_queries_by_hand_score_the_same(driver: neo4j.Driver, metrics: GraphMetrics) -> None:
    groups = [group[::EVERY] for group in by_hand()]
    pairs = [pair for group in groups for pair in pairwise([*group, group[-1], group[0]])]
    assert differences(driver, metrics, pairs) == []


def test_psjs_is_symmetric_and_one_for_the_reference(metrics: GraphMetrics) -> None:
    some = ["RETURN 1", *(query for query in by_hand()[7][::EVERY])]
    for one, other in pairwise(some):
        assert metrics.measure(one, f"{one} ").psjs == 1.0
        assert metrics.measure(one, other).psjs == metrics.measure(other, one).psjs


@pytest.mark.scale
def test_all_queries_by_hand_score_the_same(driver: neo4j.Driver, metrics: GraphMetrics) -> None:
    pairs = [(one, other) for group in by_hand() for one in group for other in group]
    assert differences(driver, metrics, pairs) == []


@pytest.mark.scale
def test_mutants_of_reaction_queries_score_the_same(
    driver: neo4j.Driver, metrics: GraphMetrics, executor: GuardedExecutor
) -> None:
    pairs = []
    for question in random.Random(11).sample(load_questions().questions, 120):
        operators = list(OPERATORS.values())
        random.Random(question.id).shuffle(operators)
        reference = question.reference_cypher
        made = (mutate(reference, [operator], seed=1, key=question.id) for operator in operators)
        mutants = [mutant.query for mutant in made if mutant is not None][:2]
        # Whether a slow query ends in time depends on the machine.
        quick = [query for query in mutants if executor.run_hashed(query, "ordered_lists").time_s < 1]
        pairs += [(reference, query) for query in (reference, *quick)]
    assert differences(driver, metrics, pairs) == []


@pytest.mark.scale
def test_mutants_of_flight_queries_score_the_same(tmp_path: Path) -> None:
    graph = read_simplekg(suite_folder("flights") / "graph.json.gz")
    with (
        start_server(
            "local",
            graph_fingerprint=fingerprint_of_graph(graph),
            load_graph=lambda driver: load_graph(driver, graph),
        ) as server,
        connect(server.endpoint) as driver,
        GuardedExecutor(server.endpoint, Limits(), tmp_path) as executor,
    ):
        assert differences(driver, GraphMetrics(executor), predictions(200, 7)) == []
