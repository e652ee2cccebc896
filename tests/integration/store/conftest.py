"""A server whose content a test may change."""

from collections.abc import Iterator

import neo4j
import pytest

from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.graph.loading import load
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.server.endpoint import connect
from retrocypher.kg.server.open import open_server

REACTIONS = (
    Reaction(1, ("C", "O"), ("CO", "N"), ("[Pd]",), ("ClCCl", "O"), (50.0, None)),
    Reaction(2, ("CO",), ("CN",), (), (), (None,)),
    Reaction(3, ("CN", "O"), ("CO",), ("[Pd]", "C"), (), (100.0,)),
)


def wipe(driver: neo4j.Driver) -> None:
    with driver.session() as session:
        # Relationships first: with the nodes in one transaction they need more memory than the server allows.
        session.run("MATCH ()-[r]->() DELETE r").consume()
        session.run("MATCH (n) DELETE n").consume()
        for name in ("molecule_name", "reaction_id"):
            session.run(f"DROP CONSTRAINT {name} IF EXISTS").consume()


@pytest.fixture(scope="session")
def own_server() -> Iterator[neo4j.Driver]:
    """A driver to a server apart from the shared one, whose content a test may change."""
    with (
        open_server(
            "local",
            graph_fingerprint=fingerprint_of(REACTIONS),
            load_graph=lambda driver: load(driver, REACTIONS),
            announce=print,
        ) as server,
        connect(server.endpoint) as driver,
    ):
        yield driver


@pytest.fixture
def empty(own_server: neo4j.Driver) -> neo4j.Driver:
    """The own server, with nothing in it."""
    wipe(own_server)
    return own_server


@pytest.fixture
def small(empty: neo4j.Driver) -> neo4j.Driver:
    """The own server with `reactions` in it."""
    load(empty, REACTIONS)
    return empty


@pytest.fixture
def reactions() -> tuple[Reaction, ...]:
    return REACTIONS
