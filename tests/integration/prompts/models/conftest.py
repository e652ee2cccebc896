"""OpenAI-compatible servers that play a script, models that ask them, and questions to ask with."""

import socketserver
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.gateways import model_of, start_gateway
from support.roles_api import RolesApi, Said

from retrocypher.kg.questions.reading import load_questions
from retrocypher.prompts.models.endpoint import RetryPolicy
from retrocypher.prompts.models.gateway import Gateway
from retrocypher.prompts.models.interface import Request, TextModel
from retrocypher.prompts.models.openai import OpenAIModel
from retrocypher.prompts.models.spec import parse_spec

KEY = {"OPENAI_API_KEY": "sk-very-secret-0123"}


@dataclass
class ScriptedApi(RolesApi):
    """Says what it is to say in order, the last of it for ever."""

    said: list[Said] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.roles["generator"] = lambda _: self.said.pop(0) if len(self.said) > 1 else self.said[0]

    @property
    def env(self) -> dict[str, str]:
        return {**KEY, "OPENAI_BASE_URL": self.address}

    def answers(self, text: str | None, pause_s: float = 0.0, **parts: Any) -> None:
        self.said.append(Said(text, pause_s, parts=parts))

    def refuses(
        self, status: int, message: str, code: str | None = None, param: str | None = None, **headers: str
    ) -> None:
        error = {"message": message, "type": "x", "code": code, "param": param}
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        self.said.append(Said(status=status, error=error, headers=names))

    def says(self, body: str) -> None:
        self.said.append(Said(body=body))

    def drops(self) -> None:
        self.said.append(Said(drop=True))


@pytest.fixture
def api() -> Iterator[ScriptedApi]:
    with ScriptedApi() as served:
        yield served


class DrippingApi(socketserver.ThreadingTCPServer):
    """Never silent and never done: sends a beginning, then a byte every 50 ms, to all that come."""

    daemon_threads = True

    def __init__(self, beginning: bytes, byte: bytes) -> None:
        super().__init__(("127.0.0.1", 0), socketserver.BaseRequestHandler)
        self.calls = 0
        self._beginning, self._byte = beginning, byte
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def env(self) -> dict[str, str]:
        return {**KEY, "OPENAI_BASE_URL": f"http://127.0.0.1:{self.server_address[1]}/v1"}

    def finish_request(self, request: Any, client_address: object) -> None:
        self.calls += 1
        with suppress(OSError):  # The client has left.
            request.recv(65_536)
            request.sendall(self._beginning)
            while True:
                request.sendall(self._byte)
                time.sleep(0.05)


_STATUS = b"HTTP/1.1 200 OK\r\n"
_HEADERS = b"Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n"


@pytest.fixture(params=["body", "headers", "refusal"])
def dripping(request: pytest.FixtureRequest) -> Iterator[DrippingApi]:
    beginning = {
        "body": _STATUS + _HEADERS,
        "headers": _STATUS + b"X-Slow: ",
        "refusal": b"HTTP/1.1 500 Oops\r\n" + _HEADERS,
    }[request.param]
    with DrippingApi(beginning, b"x" if request.param == "headers" else b" ") as server:
        yield server
        server.shutdown()


@pytest.fixture(scope="session")
def ask() -> Callable[[str], Request]:
    question = load_questions().questions[0]

    def make(text: str) -> Request:
        case = {"prompt": "P1", "shot": "ZS", "loop": "none"}
        return Request([{"role": "user", "content": text}], question, None, case)

    return make


@pytest.fixture
def open_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., TextModel]]:
    """Open a model as each worker does, with a connection of its own to the gateway of its session."""
    gateways = dict[str, Gateway]()
    with ExitStack() as stack:

        def make(
            environment: dict[str, str], name: str = "gpt-x", session: str = "this", **bounds: Any
        ) -> TextModel:
            policy = RetryPolicy(**{"first_wait_s": 0.01, "longest_wait_s": 2.0, "timeout_s": 20.0, **bounds})
            opened = partial(OpenAIModel, policy=policy)
            monkeypatch.setattr("retrocypher.prompts.models.openai.OpenAIModel", opened)
            if session not in gateways:
                gateways[session] = stack.enter_context(start_gateway(tmp_path, environment))
            return model_of(gateways[session], parse_spec(name, environment))

        yield make
