"""What a local server is like from outside: its graph, its settings, its reach."""

import stat
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import neo4j
import psutil
import pytest
from support.server_tests import ServerTests

from retrocypher.kg.server.control import restart, status
from retrocypher.kg.server.endpoint import Endpoint, ServerError
from retrocypher.kg.server.open import open_server


@pytest.fixture
def process(endpoint: Endpoint) -> psutil.Process:
    return psutil.Process(status(endpoint).pid)


@pytest.fixture
def kill(process: psutil.Process) -> Callable[[], None]:
    return process.kill


class TestLocalServer(ServerTests):
    settings: ClassVar = {"server.bolt.listen_address": "127.0.0.1:{port}"}

    def test_only_the_loopback_address_listens(self, endpoint: Endpoint, process: psutil.Process) -> None:
        listening = {c.laddr for c in process.net_connections("inet") if c.status == psutil.CONN_LISTEN}
        # Java may give an IPv4 address in its IPv6 form.
        assert {address.ip.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}
        assert {address.port for address in listening} == {int(endpoint.uri.rpartition(":")[2])}

    def test_it_stays_under_one_and_a_half_gigabytes(
        self, driver: neo4j.Driver, process: psutil.Process
    ) -> None:
        driver.execute_query("MATCH (m:Molecule)-->(:Reaction)-->(p:Molecule) RETURN count(DISTINCT [m, p])")
        assert process.memory_info().rss < 1.5e9

    def test_its_files_are_private_and_hold_no_password(
        self, endpoint: Endpoint, process: psutil.Process
    ) -> None:
        assert endpoint.control
        folder = Path(endpoint.control).parent
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        home = folder / "home"
        texts = [*folder.glob("*.log"), *(home / "conf").iterdir(), *home.glob("logs/*")]
        assert not [path for path in texts if endpoint.password in path.read_text(errors="replace")]
        supervisor = process.parent()
        assert supervisor
        for ours in (process, supervisor):
            assert endpoint.password not in " ".join(ours.cmdline())
            assert endpoint.password not in ours.environ().values()
        assert endpoint.password not in repr(endpoint)

    def test_it_may_be_given_by_its_address(self, endpoint: Endpoint) -> None:
        with open_server(endpoint.uri, graph_fingerprint="", load_graph=pytest.fail) as given:
            found = given.endpoint
            assert (found.kind, found.owned, found.control, found.version) == ("uri", False, None, "5.26.30")
            assert found.notes
            with pytest.raises(ServerError, match="not started here"):
                restart(found, 0)

    def test_a_wrong_password_is_one_clear_message(self, endpoint: Endpoint) -> None:
        address = endpoint.uri.replace("//", "//neo4j:geheim@")
        with pytest.raises(ServerError, match=r"refuses the user 'neo4j'.*NEO4J_PASSWORD") as caught:
            open_server(address, graph_fingerprint="", load_graph=pytest.fail)
        assert "geheim" not in str(caught.value)

    def test_a_missing_password_is_said_to_be_missing(
        self, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("NEO4J_PASSWORD", raising=False)
        with pytest.raises(ServerError, match=r"refuses the user 'neo4j' without a password"):
            open_server(endpoint.uri, graph_fingerprint="", load_graph=pytest.fail)
