"""OpenAI-compatible servers that play a script, models that ask them, and questions to ask with."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.models.interface import Request
from retrocypher.prompts.models.openai import OpenAIModel
from retrocypher.prompts.models.retries import CircuitBreaker, RetryPolicy, Slots


@dataclass
class Step:
    """One reply: a status with a body, after a pause; or a connection dropped without a word."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    pause_s: float = 0.0
    drop: bool = False


class ScriptedApi:
    """Plays its steps in order, the last one for ever; keeps what it was sent."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.times: list[float] = []
        self.most_at_once = 0
        self._at_once = 0
        self._guard = threading.Lock()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def env(self) -> dict[str, str]:
        address = f"http://127.0.0.1:{self.server.server_address[1]}/v1"
        return {"OPENAI_API_KEY": "sk-very-secret-0123", "OPENAI_BASE_URL": address}

    def answers(self, text: str | None, pause_s: float = 0.0, **more: Any) -> None:
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
        body = {"id": "c", "object": "chat.completion", "created": 1, "model": "m-1", "choices": [choice]}
        self.steps.append(Step(body={**body, "usage": usage, **more}, pause_s=pause_s))

    def refuses(
        self, status: int, message: str, code: str | None = None, param: str | None = None, **headers: str
    ) -> None:
        error = {"message": message, "type": "x", "code": code, "param": param}
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        self.steps.append(Step(status, {"error": error}, names))

    def says(self, body: str) -> None:
        self.steps.append(Step(body=body))

    def drops(self) -> None:
        self.steps.append(Step(drop=True))

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def take(self, body: dict[str, Any], key: str) -> Step:
        with self._guard:
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
            self.bodies.append(body)
            self.keys.append(key)
            self.times.append(time.monotonic())
            return self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]

    def done(self) -> None:
        with self._guard:
            self._at_once -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        api = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["content-length"]))
                step = api.take(json.loads(content), self.headers["authorization"])
                try:
                    time.sleep(step.pause_s)
                    self._reply(step)
                except ConnectionError:
                    self.close_connection = True  # The client did not wait.
                finally:
                    api.done()

            def _reply(self, step: Step) -> None:
                if step.drop:
                    self.close_connection = True
                    return
                body = step.body if isinstance(step.body, str) else json.dumps(step.body)
                self.send_response(step.status)
                for name, value in {"content-type": "application/json", **step.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(body.encode())))
                self.end_headers()
                self.wfile.write(body.encode())

            def log_message(self, *_: object) -> None:
                """Keep quiet."""

        return Handler


@pytest.fixture
def api() -> Iterator[ScriptedApi]:
    server = ScriptedApi()
    yield server
    server.stop()


class DrippingApi:
    """Never silent and never done: sends a beginning, then a byte every 50 ms, to all that come."""

    def __init__(self, beginning: bytes, byte: bytes) -> None:
        self.calls = 0
        self._beginning, self._byte = beginning, byte
        self._listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def env(self) -> dict[str, str]:
        address = f"http://127.0.0.1:{self._listening.getsockname()[1]}/v1"
        return {"OPENAI_API_KEY": "sk-very-secret-0123", "OPENAI_BASE_URL": address}

    def stop(self) -> None:
        self._listening.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            self.calls += 1
            threading.Thread(target=self._drip, args=(connection,), daemon=True).start()

    def _drip(self, connection: socket.socket) -> None:
        with connection:
            try:
                connection.recv(65_536)
                connection.sendall(self._beginning)
                while True:
                    connection.sendall(self._byte)
                    time.sleep(0.05)
            except OSError:
                """The client has left."""


_STATUS = b"HTTP/1.1 200 OK\r\n"
_HEADERS = b"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n"


@pytest.fixture(params=["body", "headers", "refusal"])
def dripping(request: pytest.FixtureRequest) -> Iterator[DrippingApi]:
    beginning = {
        "body": _STATUS + _HEADERS,
        "headers": _STATUS + b"X-Slow: ",
        "refusal": b"HTTP/1.1 500 Oops\r\n" + _HEADERS,
    }[request.param]
    server = DrippingApi(beginning, b"x" if request.param == "headers" else b" ")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def ask() -> Callable[[str], Request]:
    question = load_questions().questions[0]

    def make(text: str) -> Request:
        case = {"prompt": "P1", "shot": "ZS", "loop": "none"}
        return Request([{"role": "user", "content": text}], question, None, case)

    return make


@pytest.fixture
def open_model(tmp_path: Path) -> Callable[..., OpenAIModel]:
    """Open a model as each worker does: for itself, with nothing but the folder in common."""

    def make(
        environment: dict[str, str],
        name: str = "gpt-x",
        folder: Path = tmp_path,
        places: int = 8,
        **bounds: Any,
    ) -> OpenAIModel:
        return OpenAIModel(
            "m",
            name,
            environment=environment,
            slots=Slots(folder, "api", places),
            given_up=CircuitBreaker(folder, name),
            seed=7,
            patience=RetryPolicy(
                **{"first_wait_s": 0.01, "longest_wait_s": 2.0, "timeout_s": 20.0, **bounds}
            ),
        )

    return make
