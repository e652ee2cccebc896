"""What can be said of Docker without a daemon, and with one that refuses."""

import contextlib
import http.server
import json
import socketserver
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from retrocypher.kg.errors import InputError
from retrocypher.kg.server import open as opening
from retrocypher.kg.server.container import IMAGE_VARIABLE, DockerEngine
from retrocypher.kg.server.control import Plan
from retrocypher.kg.server.endpoint import DockerUnavailableError, Endpoint, ServerError
from retrocypher.kg.server.engine import RunningServer
from retrocypher.kg.server.open import open_server


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


def open_with(spec: str, announce: list[str]) -> RunningServer:
    return open_server(spec, graph_fingerprint="", load_graph=pytest.fail, announce=announce.append)


@pytest.fixture
def _no_daemon(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nonexistent/docker.sock")
    monkeypatch.setenv("RETROCYPHER_CACHE", str(tmp_path))


@pytest.mark.usefixtures("_no_daemon")
@pytest.mark.parametrize(
    ("spec", "error", "message"),
    [
        ("docker", ServerError, r"no Docker daemon answers here.*--graph local"),
        ("podman", InputError, "expected auto, docker, local or an address"),
    ],
)
def test_docker_without_a_daemon_and_an_unknown_way_are_one_message(
    spec: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        open_with(spec, [])


@pytest.mark.usefixtures("_no_daemon")
def test_auto_goes_on_to_a_local_process_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    local = RunningServer(Endpoint("bolt://127.0.0.1:1", "neo4j", "x"))
    monkeypatch.setattr(opening, "LocalEngine", lambda announce: "local")
    monkeypatch.setattr(opening.Opener, "open", lambda self, fingerprint, fill, before_load: local)
    said: list[str] = []
    assert open_with("auto", said) is local
    assert said[0].startswith("Not with Docker: no Docker daemon answers")
    assert said[1] == "Using Neo4j as a local process"


@pytest.mark.usefixtures("daemon")
def test_an_image_that_cannot_be_pulled_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(IMAGE_VARIABLE, "mine/neo4j:5")
    said: list[str] = []
    with pytest.raises(DockerUnavailableError, match=r"mine/neo4j:5 is not here and cannot be.*no such host"):
        DockerEngine(said.append)
    assert said == ["Pulling the Docker image mine/neo4j:5"]


@pytest.mark.usefixtures("daemon")
def test_a_container_is_planned_with_the_settings_and_no_password(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(IMAGE_VARIABLE, "here:1")
    engine = DockerEngine(pytest.fail)
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
    with serving(server), pytest.raises(DockerUnavailableError, match=r"Unset DOCKER_HOST.*--graph local"):
        DockerEngine(pytest.fail)
