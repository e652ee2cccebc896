"""Local servers apart from the tests' own: left running by ``retrocypher graph``, or not to be had."""

import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.server_tests import server_with

from retrocypher.kg.graph.build import build_graph, open_source
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint, fingerprint_of
from retrocypher.kg.graph.reaction import Rules
from retrocypher.kg.paths import cache_dir
from retrocypher.kg.server.control import status
from retrocypher.kg.server.endpoint import Endpoint, ServerError, connect
from retrocypher.kg.server.open import background_server, end_background, open_server
from retrocypher.plugins.cli.graph import down_command, load_command, status_command, up_command


@pytest.fixture
def own_cache(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache with the jars of the user's and a copy of the stores there, the default graph's among them."""
    shared = cache_dir()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        cache, running = Path(folder, "cache"), Path(folder, "running")
        shutil.copytree(
            shared / "stores", cache / "stores", ignore=shutil.ignore_patterns("*.new", "*.lock", "docker-*")
        )
        for name in ("jars", "classes"):
            (cache / name).symlink_to(shared / name)
        running.mkdir()
        monkeypatch.setenv("RETROCYPHER_CACHE", str(cache))
        monkeypatch.setattr(tempfile, "tempdir", str(running))
        yield cache


@pytest.fixture
def _ended(own_cache: Path) -> Iterator[None]:
    """A cache without the server that the user may have up; a server left in it is ended."""
    yield
    end_background()


@pytest.fixture
def tiny_graph(tmp_path: Path) -> Path:
    table = tmp_path / "reactions.csv"
    table.write_text("reactants,products,solvents,yields\nCCO,CC=O,O,80\nCC=O,CC(=O)O,O,-\n")
    folder = tmp_path / "tiny"
    build_graph([open_source(f"csv:{table}")], Rules()).write(folder)
    return folder


@pytest.mark.usefixtures("_ended")
def test_a_server_is_left_running_reused_given_another_graph_and_ended(tiny_graph: Path) -> None:
    runner = CliRunner()
    up = runner.invoke(up_command, ["--server", "local"], catch_exceptions=False)
    assert "Started." in up.output

    state = cache_dir() / "up.json"
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    found = background_server()
    assert found
    assert found.endpoint.password in state.read_text()
    assert found.endpoint.password not in up.output

    again = runner.invoke(up_command, ["--server", "local"], catch_exceptions=False)
    assert "Already running" in again.output
    shown = runner.invoke(status_command, catch_exceptions=False).output
    assert found.endpoint.uri in shown
    assert "running" in shown
    assert found.endpoint.password not in shown

    with server_with(read_graph(), "auto", open_server) as used:
        assert used.endpoint == found.endpoint
    assert status(found.endpoint).running

    with pytest.raises(ServerError, match="another graph"):
        runner.invoke(up_command, ["--graph", str(tiny_graph)], catch_exceptions=False)

    loaded = runner.invoke(load_command, ["--graph", str(tiny_graph)], catch_exceptions=False)
    assert str(tiny_graph) in loaded.output
    replaced = background_server()
    assert replaced
    assert replaced.endpoint.uri == found.endpoint.uri
    with connect(replaced.endpoint) as driver:
        assert fingerprint(driver) == fingerprint_of(read_graph(tiny_graph)) == replaced.graph_fingerprint

    forgotten = state.read_text()
    down = runner.invoke(down_command, catch_exceptions=False)
    assert found.endpoint.uri in down.output
    assert not state.exists()
    # A state file whose server is gone is as good as none.
    state.write_text(forgotten)
    assert background_server() is None
    assert not state.exists()
    assert "No server" in runner.invoke(status_command, catch_exceptions=False).output


@pytest.mark.usefixtures("_ended")
def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ServerError, match=f"Port {port} is taken.*--port"):
            CliRunner().invoke(up_command, ["--server", "local", "--port", str(port)], catch_exceptions=False)
    assert background_server() is None


def test_a_damaged_store_is_shown_with_the_servers_last_lines(own_cache: Path) -> None:
    for file in own_cache.glob("stores/*/data/databases/system/neostore"):
        file.write_bytes(b"\0" * 100)
    with pytest.raises(ServerError, match=r"(?s)ended while it started.*\d{4}-\d\d-\d\d.*stores/.*remove it"):
        server_with(read_graph())
    assert list(Path(tempfile.gettempdir()).iterdir()) == []


@pytest.mark.usefixtures("own_cache")
def test_a_start_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(ServerError, match=r"did not start within 0 s; is the machine overloaded"):
        server_with(read_graph(), startup_timeout_s=0.2)
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
