"""A server whose graph the tests of suites replace."""

from collections.abc import Iterator

import pytest
from support.server_tests import server_with

from retrocypher.kg.server.endpoint import Endpoint


@pytest.fixture(scope="session")
def own_server() -> Iterator[Endpoint]:
    """A server apart from the one with the reactions, with nothing in it at first."""
    with server_with([]) as running:
        yield running.endpoint
