"""A server with a graph, and what any server of ours is like from outside."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlsplit

import neo4j
import pytest
from neo4j.exceptions import ClientError, TransientError

from retrocypher.kg.graph.compact import read_manifest
from retrocypher.kg.graph.fingerprint import fingerprint, fingerprint_of
from retrocypher.kg.graph.loading import load
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.server.control import restart, status
from retrocypher.kg.server.endpoint import Endpoint, connect
from retrocypher.kg.server.engine import RunningServer
from retrocypher.kg.server.open import start_server
from retrocypher.kg.server.release import TRANSACTION_MEMORY_BYTES
from support.waiting import becomes_true

_SETTINGS = {
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


def server_with(
    reactions: Sequence[Reaction],
    kind: str = "local",
    start: Callable[..., RunningServer] = start_server,
    **options: Any,
) -> RunningServer:
    """Start a server with the graph of some reactions; ``options`` are those of `start_server`.

    With `open_server` as ``start``, a server that the user left running may be returned.
    """
    return start(
        kind,
        graph_fingerprint=fingerprint_of(reactions),
        load_graph=lambda driver: load(driver, reactions),
        **options,
    )


class ServerTests:
    """Tests of the server of ``endpoint``, which ``kill`` ends; a subclass adds those of its kind."""

    settings: ClassVar[Mapping[str, str]]
    """Settings of this kind of server; a ``{port}`` in a value is that of the server."""

    @pytest.fixture
    def driver(self, endpoint: Endpoint) -> Iterator[neo4j.Driver]:
        """A driver of one test, for a server that is replaced between them."""
        with connect(endpoint) as opened:
            yield opened

    def test_the_default_graph_is_in_it(self, driver: neo4j.Driver) -> None:
        assert fingerprint(driver) == read_manifest()["fingerprint"]

    def test_the_settings_are_in_force(self, endpoint: Endpoint, driver: neo4j.Driver) -> None:
        port = urlsplit(endpoint.uri).port
        mine = {name: value.format(port=port) for name, value in self.settings.items()}
        records = driver.execute_query("SHOW SETTINGS YIELD name, value RETURN name, value").records
        values = {record["name"]: record["value"] for record in records}
        expected = {**_SETTINGS, **mine}
        assert {name: values[name] for name in expected} == expected

    @pytest.mark.parametrize(
        "url", ["file:///etc/hostname", "http://127.0.0.1:9/a.csv", "https://[::1]:9/a.csv"]
    )
    def test_no_query_reads_files_or_addresses(self, driver: neo4j.Driver, url: str) -> None:
        with pytest.raises(
            ClientError, match=r"(?i)blocked|not allowed|disabled|file url|security"
        ) as caught:
            driver.execute_query("LOAD CSV FROM $url AS row RETURN row", url=url)
        assert "hostname" not in str(caught.value.message).replace(url, "")

    def test_a_query_over_its_memory_fails_alone(self, driver: neo4j.Driver) -> None:
        query = "UNWIND range(1, $n) AS i WITH collect(i) AS numbers RETURN size(numbers)"
        with driver.session() as session, pytest.raises((ClientError, TransientError), match="memory"):
            session.run(query, n=TRANSACTION_MEMORY_BYTES // 8).consume()
        assert driver.execute_query("RETURN 1 AS one").records[0]["one"] == 1

    def test_it_is_replaced_with_its_address_password_and_data(
        self, endpoint: Endpoint, driver: neo4j.Driver
    ) -> None:
        before = status(endpoint).generation
        assert restart(endpoint, before) == before + 1
        # Asked again for the same loss, as a second worker does, it stays.
        assert restart(endpoint, before) == status(endpoint).generation == before + 1
        assert fingerprint(driver) == read_manifest()["fingerprint"]

    def test_a_server_that_was_killed_is_brought_back(
        self, endpoint: Endpoint, driver: neo4j.Driver, kill: Callable[[], None]
    ) -> None:
        generation = status(endpoint).generation
        kill()
        # All threads have to end before the process has.
        assert becomes_true(lambda: not status(endpoint).running)
        assert restart(endpoint, generation) == generation + 1
        assert status(endpoint).running
        records = driver.execute_query("MATCH (r:Reaction) RETURN count(r) AS n").records
        assert records[0]["n"] == 11869
