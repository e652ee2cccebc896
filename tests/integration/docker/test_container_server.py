"""What a server in a container is like from outside."""

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

import neo4j
import psutil
import pytest
from docker.models.containers import Container
from neo4j.exceptions import ClientError
from support.server_tests import ServerTests

from retrocypher.kg.execution.execution import Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.server.control import status
from retrocypher.kg.server.endpoint import Endpoint
from retrocypher.kg.server.release import NEO4J_VERSION

pytestmark = pytest.mark.docker


@pytest.fixture
def container(endpoint: Endpoint, find_container: Callable[[str | None], Container | None]) -> Container:
    found = find_container(endpoint.control)
    assert found
    return found


@pytest.fixture
def kill(container: Container) -> Callable[[], None]:
    def end() -> None:
        container.kill()
        container.wait()

    return end


class TestContainer(ServerTests):
    settings: ClassVar = {
        "server.config.strict_validation.enabled": "true",
        "server.bolt.advertised_address": "127.0.0.1:{port}",
        "dbms.security.procedures.allowlist": "db.schema.*",
    }

    def test_it_is_a_server_of_ours(self, endpoint: Endpoint) -> None:
        assert (endpoint.kind, endpoint.owned, endpoint.notes) == ("docker", True, ())
        assert endpoint.version.split(".")[:2] == NEO4J_VERSION.split(".")[:2]

    def test_a_wrong_password_is_refused(self, endpoint: Endpoint) -> None:
        for password in ("neo4j", "password", ""):
            with (
                neo4j.GraphDatabase.driver(endpoint.uri, auth=("neo4j", password)) as stranger,
                pytest.raises(ClientError, match=r"(?i)unauthorized|authentication|credentials"),
            ):
                stranger.execute_query("RETURN 1")

    def test_bolt_alone_is_published_and_on_the_loopback_address_alone(
        self, endpoint: Endpoint, container: Container
    ) -> None:
        port = urlsplit(endpoint.uri).port
        published = {name: where for name, where in container.ports.items() if where}
        assert published == {"7687/tcp": [{"HostIp": "127.0.0.1", "HostPort": str(port)}]}
        listening = {c.laddr.ip for c in psutil.net_connections("inet") if c.laddr and c.laddr.port == port}
        assert listening <= {"127.0.0.1"}

    def test_it_may_use_one_and_a_half_gigabytes(self, container: Container, driver: neo4j.Driver) -> None:
        assert container.attrs["HostConfig"]["Memory"] <= 1.5 * 1024**3
        driver.execute_query("MATCH (m:Molecule)-->(:Reaction)-->(p:Molecule) RETURN count(DISTINCT [m, p])")
        container.reload()
        assert not container.attrs["State"]["OOMKilled"]

    def test_no_password_shows_outside(self, endpoint: Endpoint, container: Container) -> None:
        assert endpoint.password not in str(container.attrs)
        assert endpoint.password not in container.logs().decode()
        assert endpoint.password not in repr(endpoint)

    def test_a_query_that_cannot_be_ended_costs_the_container(
        self, endpoint: Endpoint, tmp_path: Path
    ) -> None:
        before = status(endpoint).generation
        with GuardedExecutor(endpoint, Limits(timeout_s=3.0, release_s=1.0), tmp_path) as executor:
            assert executor.run("MATCH (r:Reaction) RETURN count(r) AS n").rows == [[11869]]
            assert executor.run("MATCH (r:Reaction) DETACH DELETE r").status == "refused"
            loop = executor.run("RETURN reduce(a = 0, x IN range(0, 9000000000) | a + x) AS r")
            assert loop.status == "timeout"
            assert status(endpoint).generation > before
            assert executor.run("MATCH (r:Reaction) RETURN count(r) AS n").rows == [[11869]]
