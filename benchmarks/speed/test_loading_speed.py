"""How long it takes to write a graph into an empty server that has just started."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count, islice

import neo4j
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.loading import LoadReport, load
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.server.endpoint import connect
from retrocypher.kg.server.open import open_server

LARGE = 50_000


@pytest.fixture
def empty(where: str) -> Iterator[neo4j.Driver]:
    """A driver to a fresh server with nothing in it."""
    with (
        open_server(
            where,
            graph_fingerprint=fingerprint_of(()),
            load_graph=lambda driver: driver.verify_connectivity(),
        ) as running,
        connect(running.endpoint) as driver,
    ):
        yield driver


def replicated(reactions: tuple[Reaction, ...]) -> Iterator[Reaction]:
    """Yield the reactions over and over: own ids, reactants and products a copy, the same few solvents."""
    ids = count(1)
    for copy in count():
        for each in reactions:
            reactants = tuple(f"{name} {copy}" for name in each.reactants)
            products = tuple(f"{name} {copy}" for name in each.products)
            yield replace(each, id=next(ids), reactants=reactants, products=products)


@pytest.mark.parametrize(
    ("size", "aim"), [(None, ""), (LARGE, " (aim 15 s)")], ids=["default graph", "50,000 reactions"]
)
def test_loading(
    benchmark: BenchmarkFixture, say: Callable[[str], None], empty: neo4j.Driver, size: int | None, aim: str
) -> None:
    reactions = read_graph()
    if size is not None:
        reactions = tuple(islice(replicated(reactions), size))

    report: LoadReport = benchmark.pedantic(load, args=(empty, reactions))

    with empty.session() as session:
        found = session.run("MATCH (r:Reaction) RETURN count(r)").single(strict=True).value()
    assert found == report.reactions == len(reactions)
    say(
        f"loading {report.reactions:,} reactions, {report.molecules:,} molecules and "
        f"{report.relationships:,} relationships: {report.seconds:.1f} s{aim}"
    )
