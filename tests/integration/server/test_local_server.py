"""What a local server is like from outside: its graph, its settings, its reach."""

import stat
from collections.abc import Iterator
from pathlib import Path

import neo4j
import psutil
import pytest
from neo4j.exceptions import ClientError, TransientError

from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint, fingerprint_of
from retrocypher.kg.server.control import restart, status
from retrocypher.kg.server.endpoint import Endpoint, ServerError, connect
from retrocypher.kg.server.open import open_server
from retrocypher.kg.server.release import TRANSACTION_MEMORY_BYTES


@pytest.fixture
def driver(endpoint: Endpoint) -> Iterator[neo4j.Driver]:
    with connect(endpoint) as opened:
        yield opened


@pytest.fixture
def process(endpoint: Endpoint) -> psutil.Process:
    return psutil.Process(status(endpoint).pid)


def test_the_default_graph_is_in_the_server(driver: neo4j.Driver) -> None:
    assert fingerprint(driver) == fingerprint_of(read_graph())


def test_the_settings_are_in_force(endpoint: Endpoint, driver: neo4j.Driver) -> None:
    records = driver.execute_query("SHOW SETTINGS YIELD name, value RETURN name, value").records
    values = {record["name"]: record["value"] for record in records}
    port = endpoint.uri.rpartition(":")[2]
    expected = {
        "server.bolt.listen_address": f"127.0.0.1:{port}",
        "server.http.enabled": "false",
        "server.https.enabled": "false",
        "dbms.usage_report.enabled": "false",
        "dbms.security.auth_enabled": "true",
        "dbms.security.allow_csv_import_from_file_urls": "false",
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
    with pytest.raises(ClientError, match=r"(?i)blocked|not allowed|disabled|file url|security") as caught:
        driver.execute_query("LOAD CSV FROM $url AS row RETURN row", url=url)
    assert "hostname" not in caught.value.message.replace(url, "")


def test_a_query_over_its_memory_fails_and_the_server_goes_on(driver: neo4j.Driver) -> None:
    elements = TRANSACTION_MEMORY_BYTES // 8
    with driver.session() as session, pytest.raises((ClientError, TransientError), match="memory"):
        session.run(
            "UNWIND range(1, $n) AS i WITH collect(i) AS numbers RETURN size(numbers)", n=elements
        ).consume()
    assert driver.execute_query("RETURN 1 AS one").records[0]["one"] == 1


def test_only_the_loopback_address_listens(endpoint: Endpoint, process: psutil.Process) -> None:
    listening = {c.laddr for c in process.net_connections("inet") if c.status == psutil.CONN_LISTEN}
    # Java may give an IPv4 address in its IPv6 form.
    assert {address.ip.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}
    assert {address.port for address in listening} == {int(endpoint.uri.rpartition(":")[2])}


def test_it_stays_under_one_and_a_half_gigabytes(driver: neo4j.Driver, process: psutil.Process) -> None:
    driver.execute_query("MATCH (m:Molecule)-->(r:Reaction)-->(p:Molecule) RETURN count(DISTINCT [m, p])")
    assert process.memory_info().rss < 1.5e9


def test_its_files_are_private_and_hold_no_password(endpoint: Endpoint, process: psutil.Process) -> None:
    assert endpoint.control
    folder = Path(endpoint.control).parent
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    texts = [*folder.glob("*.log"), *(folder / "home" / "conf").iterdir(), *(folder / "home").glob("logs/*")]
    assert not [path for path in texts if endpoint.password in path.read_text(errors="replace")]
    supervisor = process.parent()
    assert supervisor
    for ours in (process, supervisor):
        assert endpoint.password not in " ".join(ours.cmdline())
        assert endpoint.password not in ours.environ().values()
    assert endpoint.password not in repr(endpoint)


def test_a_server_may_be_given_by_its_address(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_PASSWORD", endpoint.password)
    with open_server(endpoint.uri, graph_fingerprint="", load_graph=pytest.fail, announce=print) as given:
        found = given.endpoint
        assert (found.kind, found.owned, found.control, found.version) == ("uri", False, None, "5.26.30")
        assert found.notes
        with pytest.raises(ServerError, match="not started here"):
            restart(found, 0)


def test_a_wrong_password_is_one_clear_message(endpoint: Endpoint) -> None:
    address = endpoint.uri.replace("//", "//neo4j:geheim@")
    with pytest.raises(ServerError, match=r"refuses the user 'neo4j'.*NEO4J_PASSWORD") as caught:
        open_server(address, graph_fingerprint="", load_graph=pytest.fail, announce=print)
    assert "geheim" not in str(caught.value)


def test_a_server_is_replaced_with_its_address_password_and_data(endpoint: Endpoint) -> None:
    before = status(endpoint)
    generation = restart(endpoint, before.generation)
    after = status(endpoint)
    assert generation == after.generation == before.generation + 1
    assert after.pid != before.pid
    # Asked again for the same loss, as a second worker does, it stays.
    assert restart(endpoint, before.generation) == generation
    assert status(endpoint).pid == after.pid
    with connect(endpoint) as driver:
        assert driver.execute_query("MATCH (r:Reaction) RETURN count(r) AS n").records[0]["n"] == 11869


def test_a_server_that_fell_is_brought_back(endpoint: Endpoint, process: psutil.Process) -> None:
    generation = status(endpoint).generation
    process.kill()
    psutil.wait_procs([process], timeout=60)
    assert not status(endpoint).running
    assert restart(endpoint, generation) == generation + 1
    with connect(endpoint) as driver:
        assert driver.execute_query("RETURN 1 AS one").records[0]["one"] == 1
