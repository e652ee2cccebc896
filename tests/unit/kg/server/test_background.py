"""A server left running: its supervisor, its state file damaged, its process fallen, its place taken."""

import json
import socket
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from click.testing import CliRunner

from retrocypher.kg.server.control import restart, status
from retrocypher.kg.server.endpoint import PORTS, Endpoint, ServerError, free_port, port_is_free
from retrocypher.kg.server.engine import RunningServer
from retrocypher.kg.server.open import (
    Background,
    background_server,
    end_background,
    leave_running,
    reuse,
    state_file,
)
from retrocypher.plugins.cli.graph import load_command, up_command
from retrocypher.plugins.cli.main import cli

ENDPOINT = Endpoint("bolt://127.0.0.1:20001", "neo4j", "geheim", owned=True)


class Supervisor:
    """Answers as one does; its server has fallen, and may be beyond help."""

    def __init__(self, control: Path, hopeless: bool = False) -> None:
        self.asked: list[str] = []
        self._running = False
        self._hopeless = hopeless
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(control))
        self._listener.listen()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection, connection.makefile("rw") as lines:
                self.request = json.loads(lines.readline())
                lines.write(json.dumps(self._answer(self.request["command"])) + "\n")

    def _answer(self, command: str) -> dict[str, object]:
        self.asked.append(command)
        if command == "restart":
            if self._hopeless:
                return {"error": "no memory", "fault": "crash"}
            self._running = True
        return {"generation": 1, "running": self._running, "pid": None}

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@pytest.fixture
def control(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        monkeypatch.setenv("RETROCYPHER_CACHE", folder)
        yield Path(folder, "control")


def test_a_server_of_someone_else_and_a_supervisor_that_is_gone_are_one_message(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="not started here"):
        restart(Endpoint("bolt://db.example", "neo4j", "x"), 0)
    ours = Endpoint("bolt://127.0.0.1:1", "neo4j", "x", owned=True, control=str(tmp_path / "gone"))
    with pytest.raises(ServerError, match="does not answer"):
        status(ours)


def test_a_free_port_is_out_of_the_way_of_outgoing_connections() -> None:
    port = free_port()
    assert port in PORTS
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        assert not port_is_free(port)


def described(control: Path, **changed: object) -> str:
    made = Background(replace(ENDPOINT, control=str(control)), "graph-a", "graph A")
    return json.dumps({"schema_version": 1, **asdict(made), **changed})


@pytest.fixture
def fallen(control: Path) -> Iterator[Supervisor]:
    supervisor = Supervisor(control)
    state_file().write_text(described(control))
    yield supervisor
    supervisor.close()


def up(**asked: Any) -> tuple[Background, str]:
    return leave_running(pytest.fail, "graph-a", "graph A", **asked)


@pytest.mark.usefixtures("control")
@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "{}", '{"schema_version": 1, "endpoint": {}}', "\x00\x01", '{"schema_version": 99}'),
        described(Path("gone"), schema_version=0),
    ],
)
def test_a_state_file_that_cannot_be_read_is_no_server_and_goes_with_a_line(
    text: str, logged: list[str]
) -> None:
    for ask in (
        lambda: background_server(),
        lambda: end_background(),
        lambda: reuse("graph-a", ("local",)),
    ):
        state_file().write_text(text)
        assert ask() is None
        assert not state_file().exists()
    assert len(logged) == 3
    assert all(str(state_file()) in line and "removed" in line for line in logged)

    for command in ("status", "down"):
        state_file().write_text(text)
        shown = CliRunner().invoke(cli, ["graph", command], catch_exceptions=False)
        assert shown.exit_code == 0
        assert "removed" in shown.output
        assert "No server is left running" in shown.output


def test_a_server_with_another_graph_is_passed_over_with_a_line(
    fallen: Supervisor, logged: list[str]
) -> None:
    assert reuse("graph-b", ("local", "docker")) is None
    assert logged == [f"Not with the server left running at {ENDPOINT.uri}: it holds another graph (graph A)"]
    assert "restart" not in fallen.asked


def test_a_server_that_fell_is_started_again_by_up(
    fallen: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrocypher.plugins.cli.graph.fingerprint_of", lambda *_: "graph-a")
    shown = CliRunner().invoke(up_command, catch_exceptions=False)
    assert "Restarted after a crash." in shown.output
    assert fallen.asked[-2:] == ["status", "restart"]
    assert "Already running" in CliRunner().invoke(up_command, catch_exceptions=False).output


def test_a_server_that_does_not_start_again_is_replaced_by_a_new_one(control: Path) -> None:
    supervisor = Supervisor(control, hopeless=True)
    with pytest.raises(ServerError, match=r"(?s)did not start again.*no memory"):
        restart(replace(ENDPOINT, control=str(control)), 3)
    assert supervisor.request == {"command": "restart", "generation": 3}
    state_file().write_text(described(control))
    new = RunningServer(replace(ENDPOINT, uri="bolt://127.0.0.1:20002"))
    new.detach = lambda: None  # type: ignore[method-assign]
    made, outcome = leave_running(lambda: new, "graph-a", "graph A")
    assert (made.endpoint.uri, outcome) == (new.endpoint.uri, "started")
    assert supervisor.asked[-2:] == ["restart", "stop"]
    assert json.loads(state_file().read_text())["endpoint"]["uri"] == new.endpoint.uri
    supervisor.close()


@pytest.mark.parametrize(
    ("asked", "named"), [({"port": 20002}, "--port 20002"), ({"kind": "docker"}, "--server docker")]
)
@pytest.mark.usefixtures("fallen")
def test_another_port_or_kind_than_that_of_the_running_server_is_refused(
    asked: dict[str, object], named: str
) -> None:
    with pytest.raises(ServerError, match=f"{named}.*bolt://127.0.0.1:20001.*local.*graph down"):
        up(**asked)
    found, outcome = up(kind="local", port=20001)
    assert (found.graph, outcome) == ("graph A", "restarted")


def test_a_graph_that_cannot_be_read_leaves_the_server_alone(fallen: Supervisor, tmp_path: Path) -> None:
    assert CliRunner().invoke(load_command, ["--graph", str(tmp_path)]).exception
    assert "stop" not in fallen.asked
    assert state_file().exists()


def test_a_server_that_cannot_take_the_others_place_is_reported_with_what_is_left(
    fallen: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = Mock(side_effect=ServerError("no memory"))
    monkeypatch.setattr("retrocypher.plugins.cli.graph.start_server", refused)
    with pytest.raises(ServerError) as caught:
        CliRunner().invoke(load_command, catch_exceptions=False)
    assert all(part in str(caught.value) for part in ("no memory", "graph A", "No server is left running"))
    assert "stop" in fallen.asked
    assert not state_file().exists()
