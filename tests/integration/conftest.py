"""A real server for the tests that need one."""

from collections.abc import Iterator

import pytest

from kg.reactions import fingerprint_of, read_graph
from kg.server import Endpoint, open_server
from kg.store import load


@pytest.fixture(scope="session")
def endpoint() -> Iterator[Endpoint]:
    """A local Neo4j with the default graph; one for each worker, so that a test may have it replaced."""
    reactions = read_graph()
    with open_server(
        "local",
        graph_fingerprint=fingerprint_of(reactions),
        fill=lambda driver: load(driver, reactions),
        announce=print,
    ) as running:
        yield running.endpoint
