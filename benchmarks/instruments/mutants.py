"""How often EX falls when an error is planted in a reference query of a table suite."""

import logging
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import click
from rich.table import Table

from retrocypher.benchmarks.instruments.resampled import resampled
from retrocypher.kg.cypher.parser import parse
from retrocypher.kg.errors import InputError
from retrocypher.kg.execution.execution import Execution, Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.execution.hashing import Values
from retrocypher.kg.mutations.registry import Mutant, mutations_of, operators_of
from retrocypher.kg.server.open import open_server
from retrocypher.kg.suites.graph import PropertyGraph
from retrocypher.kg.suites.loading import fingerprint_of_graph, load_graph
from retrocypher.kg.suites.questions import read_questions
from retrocypher.kg.suites.simplekg import read_simplekg
from retrocypher.kg.suites.suite import suite_folder
from retrocypher.plugins.cli.console import json_option, print_json, table_console
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.reporting.run_tables import counted_table
from retrocypher.plugins.scoring.graph_metrics import GraphMetrics

if TYPE_CHECKING:
    import neo4j

_logger = logging.getLogger(__name__)

_OTHER_GRAPHS = 3
_TIMEOUT_S = 10.0
_OUTCOMES = ("lowered", "equivalent", "survived", "late", "undefined", "kept")


class Application(NamedTuple):
    """A mutant of a reference query."""

    gold: str
    mutant: Mutant


def applications(queries: Iterable[str], seed: int, most: int) -> Iterator[Application]:
    """Yield mutants by each operator, errors and neutral ones: one of a query, and at most so many."""
    parsed = [parse(query) for query in dict.fromkeys(queries)]
    for operator in operators_of("error", "neutral"):
        random = Random(f"{seed} {operator.name}")
        shuffled = random.sample(parsed, len(parsed))
        made = ((query, found) for query in shuffled if (found := mutations_of(operator, query)))
        for query, found in islice(made, most):
            yield Application(query.text, random.choice(found))


class Statuses:
    """An executor that remembers how queries ended."""

    def __init__(self, executor: GuardedExecutor) -> None:
        self._executor = executor
        self.of: dict[str, str] = {}

    def run_hashed(self, cypher: str | None, values: Values) -> Execution:
        """Run a query, and hash its result."""
        found = self._executor.run_hashed(cypher, values)
        self.of[cypher or ""] = found.status
        return found


@contextmanager
def metrics_on(graph: PropertyGraph, where: str) -> Iterator[tuple[GraphMetrics, Statuses]]:
    """Give the metrics on a server of our own with a graph."""

    def load(driver: "neo4j.Driver") -> None:
        load_graph(driver, graph)

    with (
        open_server(where, graph_fingerprint=fingerprint_of_graph(graph), load_graph=load) as running,
        tempfile.TemporaryDirectory() as folder,
        GuardedExecutor(running.endpoint, Limits(_TIMEOUT_S), Path(folder)) as executor,
    ):
        statuses = Statuses(executor)
        yield GraphMetrics(statuses), statuses


def outcomes(graph: PropertyGraph, applied: Iterable[Application], where: str) -> dict[Application, str]:
    """Return what became of each application.

    A planted error with EX 1 is equivalent if its EX is 1 on the other graphs, too; else it survived. A
    neutral change with EX 1 is kept. A mutant that ran out of time is late: its EX is 0.
    """
    found: dict[Application, str] = {}
    with metrics_on(graph, where) as (metrics, statuses):
        for each in applied:
            ex = metrics.measure(each.gold, each.mutant.query).ex
            late = statuses.of.get(each.mutant.query) == "timeout"
            found[each] = "late" if late else _outcome(each.mutant, ex)
    _logger.info(f"{counted(len(found), 'application')} measured on the graph of the suite")
    for seed in range(_OTHER_GRAPHS):
        with metrics_on(resampled(graph, seed), where) as (metrics, _):
            for each, outcome in found.items():
                if outcome == "equivalent" and metrics.measure(each.gold, each.mutant.query).ex != 1:
                    found[each] = "survived"
    return found


def _outcome(mutant: Mutant, ex: float | None) -> str:
    if ex is None:
        return "undefined"
    if ex < 1:
        return "lowered"
    return "equivalent" if mutant.kind == "error" else "kept"


@click.command("mutants")
@click.argument("suite", default="flights")
@click.option("--most", default=300, show_default=True, help="Mutants by one operator, at most.")
@click.option("--graph", "where", default="auto", show_default=True, help="Where servers are to run.")
@click.option("--seed", default=0, show_default=True, help="Which mutants are drawn.")
@json_option
def mutants_command(suite: str, most: int, where: str, seed: int, as_json: bool) -> None:
    """Plant errors in the reference queries of SUITE, a name or folder, and count how often EX falls."""
    folder = suite_folder(suite)
    files = sorted(folder.glob("graph.json*"))
    if not files:
        raise InputError(f"{folder} has no graph.json or graph.json.gz. Name a suite with one.")
    queries = [each.cypher for each in read_questions(folder) if each.cypher]
    found = outcomes(read_simplekg(files[0]), applications(queries, seed, most), where)
    counts = Counter((each.mutant.operator, outcome) for each, outcome in found.items())
    if as_json:
        kept = [
            each
            for each, outcome in found.items()
            if outcome in ("survived", "late", "undefined")
            or (each.mutant.kind == "neutral" and outcome == "lowered")
        ]
        print_json(
            {
                "operators": {
                    operator.name: {"kind": operator.kind}
                    | {outcome: counts[operator.name, outcome] for outcome in _OUTCOMES}
                    for operator in operators_of("error", "neutral")
                },
                "kept": [(each.mutant.operator, found[each], each.gold, each.mutant.query) for each in kept],
            }
        )
    else:
        table_console().print(_table(counts))


def _table(counts: Counter[tuple[str, str]]) -> Table:
    table = counted_table("mutants", "operator", "kind", "applied", *_OUTCOMES, "share lowered")
    for operator in operators_of("error", "neutral"):
        of = {outcome: counts[operator.name, outcome] for outcome in _OUTCOMES}
        applied = sum(of.values())
        real = applied - of["equivalent"]
        share = f"{100 * of['lowered'] / real:.1f} %" if real else ""
        table.add_row(operator.name, operator.kind, *map(str, (applied, *of.values())), share)
    return table
