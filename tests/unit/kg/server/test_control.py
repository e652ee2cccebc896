"""Requests to a supervisor, and free ports."""

import json
import socket
import tempfile
import threading
from pathlib import Path

import pytest

from retrocypher.kg.server.control import restart, status
from retrocypher.kg.server.endpoint import PORTS, Endpoint, ServerError, free_port, port_is_free


def test_a_server_of_someone_else_and_a_supervisor_that_is_gone_are_one_message(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="not started here"):
        restart(Endpoint("bolt://db.example", "neo4j", "x"), 0)
    ours = Endpoint("bolt://127.0.0.1:1", "neo4j", "x", owned=True, control=str(tmp_path / "gone"))
    with pytest.raises(ServerError, match="does not answer"):
        status(ours)


def test_a_server_that_does_not_start_again_shows_its_last_lines() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, socket.socket(socket.AF_UNIX) as listener:
        path = str(Path(folder, "control"))
        listener.bind(path)
        listener.listen()
        asked = []

        def refuse() -> None:
            connection, _ = listener.accept()
            with connection, connection.makefile("rw") as lines:
                asked.append(json.loads(lines.readline()))
                lines.write(json.dumps({"error": "no memory", "fault": "crash"}) + "\n")

        thread = threading.Thread(target=refuse)
        thread.start()
        with pytest.raises(ServerError, match=r"(?s)did not start again.*no memory"):
            restart(Endpoint("bolt://127.0.0.1:1", "neo4j", "x", owned=True, control=path), 3)
        thread.join()
    assert asked == [{"command": "restart", "generation": 3}]


def test_a_free_port_is_out_of_the_way_of_outgoing_connections() -> None:
    port = free_port()
    assert port in PORTS
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()
        assert not port_is_free(port)
