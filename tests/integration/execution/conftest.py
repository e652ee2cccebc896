"""One client of the tests' server, for all that only asks."""

from collections.abc import Iterator

import pytest

from retrocypher.kg.execution.execution import Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.server.endpoint import Endpoint


@pytest.fixture(scope="package")
def executor(endpoint: Endpoint, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedExecutor]:
    with GuardedExecutor(endpoint, Limits(), tmp_path_factory.mktemp("turns")) as executor:
        yield executor
