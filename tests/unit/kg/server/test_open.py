"""Servers given by their address, addresses that no Neo4j answers, and Docker that is absent or refuses."""

import contextlib
import http.server
import json
import re
import socket
import socketserver
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import MagicMock
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.errors import InputError
from retrocypher.kg.server import open as opening
from retrocypher.kg.server.container import IMAGE_VARIABLE, DockerEngine
from retrocypher.kg.server.control import Plan
from retrocypher.kg.server.endpoint import DockerUnavailableError, Endpoint, ServerError
from retrocypher.kg.server.engine import RunningServer
from retrocypher.kg.server.open import SCHEMES, open_server, parse_address

TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20)


@given(st.sampled_from(SCHEMES), TEXT, TEXT)
def test_credentials_in_an_address_come_back_and_leave_it(scheme: str, user: str, password: str) -> None:
    address = parse_address(f"{scheme}://{quote(user, safe='')}:{quote(password, safe='')}@db.example:7000")
    assert (address.user, address.password) == (user, password)
    assert address.uri == f"{scheme}://db.example:7000"
    assert repr(password) not in repr(address).replace(repr(user), "").replace(repr(address.uri), "")


@pytest.mark.parametrize(
    ("spec", "uri", "user", "password"),
    [
        ("neo4j+s://db.example", "neo4j+s://db.example:7687", "reader", "from outside"),
        ("bolt://ann:inside@[::1]:7000", "bolt://[::1]:7000", "ann", "inside"),
    ],
)
def test_credentials_come_from_the_environment_and_the_address_wins(
    monkeypatch: pytest.MonkeyPatch, spec: str, uri: str, user: str, password: str
) -> None:
    monkeypatch.setenv("NEO4J_USER", "reader")
    monkeypatch.setenv("NEO4J_PASSWORD", "from outside")
    found = parse_address(spec)
    assert (found.uri, found.user, found.password) == (uri, user, password)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("http://u:geheim@localhost:7474", "no scheme of Neo4j's"),
        ("bolt://u:geheim@localhost:port", "cannot be read"),
        ("bolt://u:geheim@:7687", "needs a host"),
        ("bolt://u:geheim@localhost/db", "takes no path"),
    ],
)
def test_an_address_that_cannot_be_used_is_refused_without_its_password(spec: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        parse_address(spec)
    assert "geheim" not in str(caught.value)
    # A run names the server with --graph, and a command with --server.
    assert "--graph or --server" in str(caught.value)


def open_with(spec: str) -> RunningServer:
    return open_server(spec, graph_fingerprint="", load_graph=pytest.fail)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        (
            "bolt://u:geheim@127.0.0.1:9",
            r"No Neo4j answers at bolt://127\.0\.0\.1:9: connection refused\. Check",
        ),
        ("bolt://u:geheim@no.such.host.invalid", "DNS: the host name cannot be resolved"),
    ],
)
def test_a_server_out_of_reach_is_one_message(address: str, message: str) -> None:
    with pytest.raises(ServerError, match=message) as caught:
        open_with(address)
    assert "geheim" not in str(caught.value)


@pytest.fixture
def listener() -> Iterator[Callable[[str], int]]:
    """Listen as something that is no Neo4j: it closes, speaks HTTP, or says nothing."""
    with contextlib.ExitStack() as stack:

        def listening(way: str) -> int:
            server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            kept: list[socket.socket] = []

            def serve() -> None:
                while True:
                    try:
                        kept.append(server.accept()[0])
                    except OSError:
                        return
                    if way == "silent":
                        continue
                    # What is not read would turn the end into a reset.
                    kept[-1].recv(4096)
                    if way == "http":
                        kept[-1].sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    kept[-1].close()

            thread = threading.Thread(target=serve)
            thread.start()
            # In this order: a closed listener is not woken from its wait for a connection.
            stack.callback(thread.join)
            stack.callback(server.shutdown, socket.SHUT_RDWR)
            stack.callback(lambda: [connection.close() for connection in kept])
            return int(server.getsockname()[1])

        yield listening


@pytest.mark.parametrize(
    ("scheme", "way", "cause"),
    [
        ("bolt", "close", "closed with incomplete handshake"),
        ("bolt", "http", "looks like HTTP"),
        ("neo4j", "http", "looks like HTTP"),
        ("bolt+s", "http", "TLS: the handshake failed"),
        ("bolt", "silent", "no answer to the connection or its handshake in time"),
        ("neo4j", "silent", "no answer to the connection or its handshake in time"),
        ("bolt+s", "silent", "no answer to the connection or its handshake in time"),
    ],
)
def test_the_cause_of_a_failed_connection_is_reported(
    scheme: str, way: str, cause: str, listener: Callable[[str], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "ANSWER_TIMEOUT_S", 1.0)
    address = f"{scheme}://127.0.0.1:{listener(way)}"
    with pytest.raises(ServerError, match=rf"{re.escape(address)}: .*{cause}.*\. Check host"):
        open_with(address)


@pytest.mark.parametrize("agent", ["Neo4j/4.4.38", "Neo4j/2025.10.1", "Memgraph/5.0"])
def test_a_server_that_is_no_neo4j_5_is_refused(agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = MagicMock()
    driver.__enter__.return_value.get_server_info.return_value.agent = agent
    monkeypatch.setattr("retrocypher.kg.server.endpoint.driver_for", lambda *_: driver)
    with pytest.raises(ServerError, match=f"is {agent}; .*5.x release"):
        open_with("bolt://db.example")


class Daemon(http.server.BaseHTTPRequestHandler):
    """As much of a Docker daemon as it takes to refuse an image."""

    answers = (
        ("/version", {"ApiVersion": "1.44", "Version": "25"}),
        ("/_ping", "OK"),
        ("/images/here", {"Id": "sha256:0123456789abcdef0123"}),
        ("/containers/json", []),
    )

    def answer(self, status: int, body: object) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self) -> None:
        known = [body for part, body in self.answers if part in self.path]
        self.answer(200 if known else 404, known[0] if known else {"message": "No such image"})

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.answer(500, {"message": "Get registry: dial tcp: no such host"})

    def address_string(self) -> str:
        return "client"

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextlib.contextmanager
def serving(server: socketserver.BaseServer) -> Iterator[None]:
    with server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def daemon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        path = str(Path(folder, "docker.sock"))
        monkeypatch.setenv("DOCKER_HOST", f"unix://{path}")
        with serving(socketserver.ThreadingUnixStreamServer(path, Daemon)):
            yield


@pytest.fixture
def _no_daemon(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))


@pytest.mark.usefixtures("_no_daemon")
@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("docker", ServerError, r"no Docker daemon answers here.*--graph local.*--server local"),
        ("podman", InputError, "--graph or --server podman: expected auto, docker, local, an address"),
    ],
)
def test_docker_without_a_daemon_and_an_unknown_way_are_one_message(
    spec: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        open_with(spec)


@pytest.mark.usefixtures("_no_daemon")
def test_auto_goes_on_to_a_local_process_and_says_so(
    monkeypatch: pytest.MonkeyPatch, logged: list[str]
) -> None:
    local = RunningServer(Endpoint("bolt://127.0.0.1:1", "neo4j", "x"))
    monkeypatch.setattr(opening, "LocalEngine", lambda: "local")
    monkeypatch.setattr(opening.Opener, "open", lambda self, fingerprint, fill, before_load: local)
    assert open_with("auto") is local
    assert logged[0].startswith("Using Neo4j as a local process, without Docker: no Docker daemon answers")


@pytest.mark.usefixtures("_no_daemon")
def test_auto_does_not_mention_docker_where_it_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, logged: list[str]
) -> None:
    def unavailable() -> DockerEngine:
        raise DockerUnavailableError("no Docker daemon answers here.")

    local = RunningServer(Endpoint("bolt://127.0.0.1:1", "neo4j", "x"))
    monkeypatch.setattr(opening, "LocalEngine", lambda: "local")
    monkeypatch.setattr(opening, "_docker", unavailable)
    monkeypatch.setattr(opening.Opener, "open", lambda self, fingerprint, fill, before_load: local)
    monkeypatch.delenv("DOCKER_HOST")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert open_with("auto") is local
    assert logged == []


@pytest.mark.usefixtures("daemon")
def test_an_image_that_cannot_be_pulled_is_one_message(
    monkeypatch: pytest.MonkeyPatch, logged: list[str]
) -> None:
    monkeypatch.setenv(IMAGE_VARIABLE, "mine/neo4j:5")
    with pytest.raises(DockerUnavailableError, match=r"mine/neo4j:5 is not here and cannot be.*no such host"):
        DockerEngine()
    assert logged == ["Pulling the Docker image mine/neo4j:5"]


@pytest.mark.usefixtures("daemon")
def test_a_container_is_planned_with_the_settings_and_no_password(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(IMAGE_VARIABLE, "here:1")
    engine = DockerEngine()
    assert engine.store_key == "docker-0123456789ab"
    bare = Plan("docker", str(tmp_path), 20001, owner=1, startup_timeout_s=1.0)
    new = engine.plan_for_new(bare, tmp_path)
    assert (new.image, new.export, new.restore) == ("here:1", str(tmp_path / "data.tar"), "")
    assert new.environment["NEO4J_server_http_enabled"] == "false"
    assert new.environment["NEO4J_server_bolt_advertised__address"] == "127.0.0.1:20001"
    assert "NEO4J_AUTH" not in new.environment
    copy = engine.plan_for_copy(bare, tmp_path)
    assert (copy.export, copy.restore) == ("", str(tmp_path / "data.tar"))
    assert Plan.from_line(copy.to_line()) == copy
    with pytest.raises(ServerError, match="did not give its store back"):
        engine.keep(tmp_path)


def test_a_daemon_on_another_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Daemon)
    monkeypatch.setenv("DOCKER_HOST", f"tcp://127.0.0.1:{server.server_port}")
    message = r"Unset DOCKER_HOST.*--graph local.*--server local"
    with serving(server), pytest.raises(DockerUnavailableError, match=message):
        DockerEngine()
