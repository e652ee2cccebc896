"""The gateway over HTTP: requests ahead, order, what is paid for, who may ask, pauses, ends and faults."""

import json
import re
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from support.gateways import model_of, start_gateway
from support.roles_api import RolesApi, Said
from support.waiting import END_S, becomes_true

from retrocypher.kg.errors import InputError
from retrocypher.prompts.models.cache_files import prepare
from retrocypher.prompts.models.endpoint import Endpoint
from retrocypher.prompts.models.gateway import Gateway
from retrocypher.prompts.models.gateway_client import (
    HEAD_BYTES,
    Asked,
    GatewayConnections,
    GatewayModel,
    choice_of,
    encoded,
    frame_length,
)
from retrocypher.prompts.models.interface import Chat, ModelError
from retrocypher.prompts.models.spec import parse_spec

KEY = {"OPENAI_API_KEY": "sk-very-secret-0123"}
# A model with a price.
SPEC = parse_spec("gpt-4o", KEY)
Start = Callable[..., Gateway]


class Worker:
    """A connection to a gateway, as a worker has it, that may end at any time."""

    def __init__(self, gateway: Gateway, token: str | None = None) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(END_S)
        self.socket.connect(gateway.address.path)
        self.socket.sendall(encoded(gateway.address.token if token is None else token))

    def ask(self, text: str) -> None:
        self.socket.sendall(encoded(asked(text)))

    def reply(self) -> dict[str, Any]:
        with self.socket.makefile("rb") as stream:
            found: dict[str, Any] = json.loads(stream.read(frame_length(stream.read(HEAD_BYTES))))
        return found


def asked(text: str, name: str = "gpt-4o") -> Asked:
    return Asked(choice_of(parse_spec(name, KEY)), [{"role": "user", "content": text}], f"case {text}")


def ahead(gateway: Gateway, *texts: str, name: str = "gpt-4o") -> None:
    requests = [asked(text, name) for text in texts]
    gateway.request_ahead((each.model, partial(replace, each)) for each in requests)


def chat(text: str) -> Chat:
    return Chat([{"role": "user", "content": text}], f"case {text}")


class Held:
    """What the API says: nothing before it is let go, then its number among all replies."""

    def __init__(self) -> None:
        self.go = threading.Event()
        self._numbers = count(1)

    def __call__(self, _: str) -> Said:
        assert self.go.wait(END_S)
        return Said(f"reply {next(self._numbers)}")


@pytest.fixture
def held(api: RolesApi) -> Iterator[Held]:
    held = api.roles["generator"] = Held()
    yield held
    held.go.set()


@pytest.fixture
def start(tmp_path: Path, api: Any) -> Iterator[Start]:
    """Starts gateways to the API."""
    api.answers("ok")
    with ExitStack() as stack:

        def make(**fields: Any) -> Gateway:
            return stack.enter_context(start_gateway(tmp_path, api.env, **fields))

        yield make


def texts(api: RolesApi) -> list[str]:
    """What the API was asked, in order."""
    return [text for _, text in api.asked]


@pytest.mark.parametrize("most", [1, 3])
def test_requests_ahead_go_in_order_and_no_more_at_once_than_allowed(
    api: RolesApi, start: Start, most: int
) -> None:
    api.roles["generator"] = lambda _: Said("ok", pause_s=0.02)
    ahead(start(concurrency=most), *(str(number) for number in range(15)))
    assert becomes_true(lambda: len(api.asked) == 15)
    assert api.most_at_once <= most
    assert all(abs(int(text) - place) < most for place, text in enumerate(texts(api)))


@pytest.fixture
def queued(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], bool]:
    """Waits until so many more calls are in flight or in the queue."""
    calls, call = threading.Semaphore(0), Endpoint.call

    def counted(*arguments: Any) -> Any:
        calls.release()
        return call(*arguments)

    monkeypatch.setattr(Endpoint, "call", counted)
    return lambda number: all(calls.acquire(timeout=END_S) for _ in range(number))


def test_what_a_case_waits_for_goes_first(
    api: RolesApi, held: Held, start: Start, queued: Callable[[int], bool]
) -> None:
    gateway = start(concurrency=1)
    ahead(gateway, "first", "second", "third", "fourth")
    assert queued(2)
    for worker, text in ((Worker(gateway), "urgent"), (Worker(gateway), "third")):
        worker.ask(text)
        assert queued(1)
    held.go.set()
    assert becomes_true(lambda: len(api.asked) == 5)
    assert texts(api) == ["first", "urgent", "third", "second", "fourth"]


@pytest.mark.parametrize("cached", [False, True])
def test_what_was_requested_ahead_is_paid_once_and_never_asked_twice(
    api: RolesApi, held: Held, start: Start, queued: Callable[[int], bool], tmp_path: Path, cached: bool
) -> None:
    gateway = start(concurrency=1, cache=tmp_path / "cache" if cached else None)
    model, worker = model_of(gateway, SPEC), Worker(gateway)
    ahead(gateway, "first", "second", "early", "last")
    assert queued(2)
    worker.ask("early")
    assert queued(1)
    held.go.set()
    found = worker.reply()["completion"]
    assert (found["cached"], found["cost"] > 0) == (False, True)
    assert becomes_true(lambda: len(api.asked) == 4)
    for text in ("first", "second", "last"):
        answer = model.answer(chat(text))
        assert (answer.cached, answer.cost) == (False, found["cost"])
    assert texts(api) == ["first", "early", "second", "last"]
    # Without a cache, each asks for itself.
    again = model.answer(chat("first"))
    assert (again.cached, again.cost is None, len(api.asked)) == (cached, cached, 4 + (not cached))


def test_one_model_that_cannot_be_asked_holds_up_no_other(api: RolesApi, start: Start) -> None:
    def role(text: str) -> Said:
        return Said(status=404) if text == "none" else Said("ok")

    api.roles["generator"] = role
    gateway = start(concurrency=1)
    with pytest.raises(ModelError, match="404"):
        model_of(gateway, parse_spec("gone", KEY)).answer(chat("none"))
    requests = [asked("1", "gone"), asked("2"), asked("3", "gone"), asked("4")]
    gateway.request_ahead((each.model, partial(replace, each)) for each in requests)
    assert becomes_true(lambda: texts(api) == ["none", "2", "4"])


def test_a_worker_that_ends_leaves_its_completion_in_the_cache(
    api: RolesApi, held: Held, start: Start, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    gateway = start(cache=cache)
    worker = Worker(gateway)
    worker.ask("x")
    assert becomes_true(lambda: len(api.asked) == 1)
    worker.socket.close()
    held.go.set()
    assert model_of(gateway, SPEC).answer(chat("x")).cached
    gateway.close()
    assert (len(api.asked), prepare(cache, read_only=True)) == (1, 1)


@pytest.mark.parametrize("token", ["", "another"])
def test_who_knows_no_token_gets_nothing(api: RolesApi, start: Start, token: str) -> None:
    gateway = start()
    worker = Worker(gateway, token)
    assert worker.socket.recv(1) == b""
    address = replace(gateway.address, token=token)
    with pytest.raises(ModelError, match="gateway to the models has ended") as caught:
        GatewayModel(choice_of(SPEC), GatewayConnections(address)).answer(chat("x"))
    assert caught.value.kind == "connection"
    assert api.asked == []


@pytest.mark.parametrize("frame", [b"GET / HTTP/1.1\r\n\r\n", b"\0" * 7 + b"\1{", b"\0" * 7 + b"\1"])
def test_what_is_no_message_ends_its_connection_alone(start: Start, frame: bytes) -> None:
    gateway = start()
    worker = Worker(gateway)
    worker.socket.sendall(frame)
    worker.socket.shutdown(socket.SHUT_WR)
    assert worker.socket.recv(1) == b""
    assert model_of(gateway, SPEC).answer(chat("x")).text == "ok"


def test_a_limit_on_the_rate_holds_all_calls_of_the_api(api: RolesApi, start: Start) -> None:
    said = [Said(status=429, headers={"retry-after": "1"}), Said("ok")]
    api.roles["generator"] = lambda _: said.pop(0) if len(said) > 1 else said[0]
    gateway = start()
    worker = Worker(gateway)
    worker.ask("limited")
    assert becomes_true(lambda: gateway.is_throttled)
    ahead(gateway, "ahead")
    assert model_of(gateway, parse_spec("another", KEY)).answer(chat("x")).text == "ok"
    assert worker.reply()["completion"]["details"]["attempts"] == 2
    assert becomes_true(lambda: len(api.asked) == 4)
    assert min(api.times[1:]) - api.times[0] >= 1.0


def test_a_parameter_that_many_calls_are_refused_is_left_out_by_all(api: RolesApi, start: Start) -> None:
    together = threading.Barrier(4)

    def role(text: str) -> Said:
        body = next(each for each in reversed(api.bodies) if each["messages"][0]["content"] == text)
        if "temperature" not in body:
            return Said("ok")
        together.wait(END_S)
        return Said(status=400, error={"message": "Unsupported: temperature", "code": "unsupported_value"})

    api.roles["generator"] = role
    workers = [Worker(gateway) for gateway in [start(concurrency=4)] for _ in range(4)]
    for number, worker in enumerate(workers):
        worker.ask(str(number))
    assert [worker.reply()["completion"]["text"] for worker in workers] == ["ok"] * 4


@pytest.mark.usefixtures("held")
def test_an_api_that_hangs_does_not_hold_up_the_end(api: RolesApi, start: Start) -> None:
    gateway = start()
    idle, worker = model_of(gateway, SPEC), Worker(gateway)
    with pytest.raises(ModelError, match="The gateway failed"):
        idle.answer(replace(chat("x"), messages=[{"role": 1}]))  # type: ignore[dict-item]
    worker.ask("x")
    ahead(gateway, "y", "z")
    assert becomes_true(lambda: len(api.asked) == 3)
    closing = threading.Thread(target=gateway.close, daemon=True)
    closing.start()
    closing.join(END_S)
    assert not closing.is_alive()
    assert worker.socket.recv(1) == b""
    with pytest.raises(ModelError, match="has ended"):
        idle.answer(chat("x"))


def test_a_socket_whose_path_is_too_long_is_refused_with_the_remedy(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    with pytest.raises(InputError, match="Set TMPDIR to a folder"):
        start_gateway(folder)


def test_a_fault_of_the_gateway_is_one_error_of_its_own_kind(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_of(start(), SPEC)
    with monkeypatch.context() as patch:
        patch.setattr("retrocypher.prompts.models.calls.request_key", lambda *_: 1 / 0)
        with pytest.raises(ModelError, match=re.escape("The gateway failed: ZeroDivisionError")) as caught:
            model.answer(chat("x"))
    assert caught.value.kind == "gateway"
    assert model.answer(chat("x")).text == "ok"


def test_gateways_that_share_a_cache_go_on_with_one_completion(
    api: RolesApi, held: Held, start: Start, tmp_path: Path
) -> None:
    gateways = [start(cache=tmp_path / "cache") for _ in range(2)]
    workers = [Worker(gateway) for gateway in gateways]
    for worker in workers:
        worker.ask("x")
    assert becomes_true(lambda: len(api.asked) == 2)
    held.go.set()
    first, second = (worker.reply()["completion"] for worker in workers)
    # Both calls were made and paid for.
    assert first["text"] == second["text"]
    assert [(each["cached"], each["cost"] > 0) for each in (first, second)] == [(False, True)] * 2
    ahead(gateways[0], "x", "y")
    assert becomes_true(lambda: len(api.asked) == 3)
    assert model_of(gateways[1], SPEC).answer(chat("y")).text == "reply 3"
    assert texts(api) == ["x", "x", "y"]
