"""``retrocypher graph up|status|load|down``."""

import json
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from retrocypher.kg.graph.build import build_graph, open_source
from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint, fingerprint_of
from retrocypher.kg.graph.reaction import Rules
from retrocypher.kg.paths import cache_dir
from retrocypher.kg.server.control import status
from retrocypher.kg.server.endpoint import ServerError, connect
from retrocypher.kg.server.open import background_server, end_background, open_server
from retrocypher.plugins.cli.graph import down_command, load_command, status_command, up_command


@pytest.fixture
def _ended(own_cache: Path) -> Iterator[None]:
    """A cache without the server that the user may have up; a server left in it is ended."""
    yield
    end_background(print)


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
    found = background_server(print)
    assert found
    assert found.endpoint.password in state.read_text()
    assert found.endpoint.password not in up.output

    again = runner.invoke(up_command, ["--server", "local"], catch_exceptions=False)
    assert "Already running" in again.output
    shown = runner.invoke(status_command, catch_exceptions=False).output
    assert found.endpoint.uri in shown
    assert "running" in shown
    assert found.endpoint.password not in shown

    default = fingerprint_of(read_graph())
    with open_server("auto", graph_fingerprint=default, load_graph=pytest.fail, announce=print) as used:
        assert used.endpoint == found.endpoint
    assert status(found.endpoint).running

    with pytest.raises(ServerError, match="another graph"):
        runner.invoke(up_command, ["--graph", str(tiny_graph)], catch_exceptions=False)

    loaded = runner.invoke(load_command, ["--graph", str(tiny_graph)], catch_exceptions=False)
    assert str(tiny_graph) in loaded.output
    replaced = background_server(print)
    assert replaced
    assert replaced.endpoint.uri == found.endpoint.uri
    with connect(replaced.endpoint) as driver:
        assert fingerprint(driver) == fingerprint_of(read_graph(tiny_graph)) == replaced.graph_fingerprint

    down = runner.invoke(down_command, catch_exceptions=False)
    assert found.endpoint.uri in down.output
    assert not state.exists()
    assert background_server(print) is None
    assert "No server" in runner.invoke(status_command, catch_exceptions=False).output


@pytest.mark.usefixtures("_ended")
def test_a_port_that_is_taken_is_named() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ServerError, match=f"Port {port} is taken.*--port"):
            CliRunner().invoke(up_command, ["--server", "local", "--port", str(port)], catch_exceptions=False)
    assert background_server(print) is None


@pytest.mark.usefixtures("_ended")
def test_a_state_file_without_its_server_is_forgotten(own_cache: Path) -> None:
    endpoint = {
        "uri": "bolt://127.0.0.1:9",
        "user": "neo4j",
        "password": "x",
        "control": str(own_cache / "gone"),
        "notes": [],
    }
    (own_cache / "up.json").write_text(
        json.dumps({"schema_version": 1, "endpoint": endpoint, "graph_fingerprint": "", "graph": ""})
    )
    assert background_server(print) is None
    assert not (own_cache / "up.json").exists()
