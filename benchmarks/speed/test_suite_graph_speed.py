"""How long a property graph takes on its way from a SimpleKG file into an empty server, and back."""

import resource
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from support.cypherbench import generated_graph  # type: ignore[import-not-found]

from retrocypher.kg.graph.fingerprint import fingerprint
from retrocypher.kg.server.endpoint import connect
from retrocypher.kg.server.open import open_server
from retrocypher.kg.suites.loading import export_graph, fingerprint_of_graph, load_graph
from retrocypher.kg.suites.simplekg import read_simplekg, write_simplekg


@pytest.mark.parametrize("nodes", [20_000, 100_000])
def test_a_graph_from_file_to_server(
    benchmark: BenchmarkFixture, say: Callable[[str], None], where: str, tmp_path: Path, nodes: int
) -> None:
    file = tmp_path / "politics.json"
    made = generated_graph("politics", nodes)
    steps: list[str] = []
    started = time.perf_counter()

    def lap(step: str) -> None:
        nonlocal started
        now = time.perf_counter()
        steps.append(f"{step} {now - started:.1f} s")
        started = time.perf_counter()

    write_simplekg(made, file)
    lap("write")
    graph = read_simplekg(file)
    lap("read")
    expected = fingerprint_of_graph(graph)
    lap("fingerprint")
    with (
        open_server(where, graph_fingerprint="nothing", load_graph=lambda driver: None) as running,
        connect(running.endpoint) as driver,
    ):
        started = time.perf_counter()
        benchmark.pedantic(load_graph, args=(driver, graph))
        lap("load")
        assert fingerprint(driver) == expected
        lap("live fingerprint")
        exported = export_graph(driver, "politics")
        lap("export")
    assert len(exported.relationships) == len(graph.relationships)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    say(
        f"a graph of {len(graph.nodes):,} nodes and {len(graph.relationships):,} relationships: "
        f"{', '.join(steps)}; peak {peak:.1f} GiB"
    )
