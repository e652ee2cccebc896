"""What a server in a container is like: its graph, its settings, its reach, and how it is replaced."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import neo4j
import psutil
import pytest
from docker.models.containers import Container
from neo4j.exceptions import ClientError, TransientError

from retrocypher.kg.execution.execution import Limits
from retrocypher.kg.execution.executor import GuardedExecutor
from retrocypher.kg.graph.fingerprint import fingerprint, fingerprint_of
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.server.control import restart, status
from retrocypher.kg.server.endpoint import Endpoint, connect
from retrocypher.kg.server.release import NEO4J_VERSION, TRANSACTION_MEMORY_BYTES

pytestmark = pytest.mark.docker


@pytest.fixture
def driver(endpoint: Endpoint) -> Iterator[neo4j.Driver]:
    with connect(endpoint) as opened:
        yield opened


def test_it_is_a_server_of_ours_with_the_default_graph(
    endpoint: Endpoint, driver: neo4j.Driver, reactions: Sequence[Reaction]
) -> None:
    assert (endpoint.kind, endpoint.owned, endpoint.notes) == ("docker", True, ())
    assert endpoint.version.split(".")[:2] == NEO4J_VERSION.split(".")[:2]
    assert fingerprint(driver) == fingerprint_of(reactions)


def test_the_settings_are_in_force(endpoint: Endpoint, driver: neo4j.Driver) -> None:
    records = driver.execute_query("SHOW SETTINGS YIELD name, value RETURN name, value").records
    values = {record["name"]: record["value"] for record in records}
    expected = {
        "server.config.strict_validation.enabled": "true",
        "server.bolt.advertised_address": f"127.0.0.1:{urlsplit(endpoint.uri).port}",
        "server.http.enabled": "false",
        "server.https.enabled": "false",
        "dbms.usage_report.enabled": "false",
        "dbms.security.auth_enabled": "true",
        "dbms.security.allow_csv_import_from_file_urls": "false",
        "dbms.security.procedures.allowlist": "db.schema.*",
        "db.memory.transaction.max": "32.00MiB",
        "dbms.memory.transaction.total.max": "256.00MiB",
        "server.memory.heap.max_size": "512.00MiB",
        "server.memory.pagecache.size": "128.00MiB",
        "db.transaction.timeout": "2m",
        "db.tx_log.preallocate": "false",
    }
    assert {name: values[name] for name in expected} == expected


@pytest.mark.parametrize("url", ["file:///etc/hostname", "http://127.0.0.1:9/a.csv", "https://[::1]:9/a.csv"])
def test_no_query_reads_files_or_addresses(driver: neo4j.Driver, url: str) -> None:
    with pytest.raises(ClientError, match=r"(?i)blocked|not allowed|disabled|file url|security"):
        driver.execute_query("LOAD CSV FROM $url AS row RETURN row", url=url)


def test_a_wrong_password_is_refused(endpoint: Endpoint) -> None:
    for password in ("neo4j", "password", ""):
        with (
            neo4j.GraphDatabase.driver(endpoint.uri, auth=("neo4j", password)) as stranger,
            pytest.raises(ClientError, match=r"(?i)unauthorized|authentication|credentials"),
        ):
            stranger.execute_query("RETURN 1")


def test_a_query_over_its_memory_fails_and_the_server_goes_on(driver: neo4j.Driver) -> None:
    query = "UNWIND range(1, $n) AS i WITH collect(i) AS numbers RETURN size(numbers)"
    with driver.session() as session, pytest.raises((ClientError, TransientError), match="memory"):
        session.run(query, n=TRANSACTION_MEMORY_BYTES // 8).consume()
    assert driver.execute_query("RETURN 1 AS one").records[0]["one"] == 1


def test_bolt_alone_is_published_and_on_the_loopback_address_alone(
    endpoint: Endpoint, container: Container
) -> None:
    port = urlsplit(endpoint.uri).port
    published = {name: where for name, where in container.ports.items() if where}
    assert published == {"7687/tcp": [{"HostIp": "127.0.0.1", "HostPort": str(port)}]}
    listening = {c.laddr.ip for c in psutil.net_connections("inet") if c.laddr and c.laddr.port == port}
    assert listening <= {"127.0.0.1"}


def test_it_may_use_one_and_a_half_gigabytes(container: Container, driver: neo4j.Driver) -> None:
    assert container.attrs["HostConfig"]["Memory"] <= 1.5 * 1024**3
    driver.execute_query("MATCH (m:Molecule)-->(r:Reaction)-->(p:Molecule) RETURN count(DISTINCT [m, p])")
    container.reload()
    assert not container.attrs["State"]["OOMKilled"]


def test_no_password_shows_outside(endpoint: Endpoint, container: Container) -> None:
    assert endpoint.password not in str(container.attrs)
    assert endpoint.password not in container.logs().decode()
    assert endpoint.password not in repr(endpoint)


def test_it_is_replaced_with_its_address_password_and_data(
    endpoint: Endpoint, reactions: Sequence[Reaction]
) -> None:
    before = status(endpoint).generation
    assert restart(endpoint, before) == before + 1
    # Asked again for the same loss, as a second worker does, it stays.
    assert restart(endpoint, before) == before + 1
    with connect(endpoint) as driver:
        assert fingerprint(driver) == fingerprint_of(reactions)


def test_a_container_that_was_killed_is_brought_back(endpoint: Endpoint, container: Container) -> None:
    generation = status(endpoint).generation
    container.kill()
    container.wait()
    assert not status(endpoint).running
    assert restart(endpoint, generation) == generation + 1
    assert status(endpoint).running
    with connect(endpoint) as driver:
        assert driver.execute_query("MATCH (r:Reaction) RETURN count(r) AS n").records[0]["n"] == 11869


def test_guarded_queries_run_and_one_that_cannot_be_ended_costs_the_container(
    endpoint: Endpoint, tmp_path: Path
) -> None:
    before = status(endpoint).generation
    executor = GuardedExecutor(endpoint, Limits(timeout_s=3.0, release_s=1.0), tmp_path)
    try:
        assert executor.run("MATCH (r:Reaction) RETURN count(r) AS n").rows == [[11869]]
        assert executor.run("MATCH (r:Reaction) DETACH DELETE r").status == "refused"
        loop = executor.run("RETURN reduce(a = 0, x IN range(0, 9000000000) | a + x) AS r")
        assert loop.status == "timeout"
        assert status(endpoint).generation > before
        assert executor.run("MATCH (r:Reaction) RETURN count(r) AS n").rows == [[11869]]
    finally:
        executor.close()
