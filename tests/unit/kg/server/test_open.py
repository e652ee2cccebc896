"""Servers given by their address, and addresses that no Neo4j answers."""

import contextlib
import re
import socket
import threading
from collections.abc import Callable, Iterator
from unittest.mock import MagicMock
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.errors import InputError
from retrocypher.kg.server import open as _uri
from retrocypher.kg.server.endpoint import ServerError
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


def open_at(address: str) -> None:
    open_server(address, graph_fingerprint="", load_graph=pytest.fail, announce=print)


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
        open_at(address)
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
def test_the_cause_of_a_failed_connection_is_told(
    scheme: str, way: str, cause: str, listener: Callable[[str], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_uri, "ANSWER_TIMEOUT_S", 1.0)
    address = f"{scheme}://127.0.0.1:{listener(way)}"
    with pytest.raises(ServerError, match=rf"{re.escape(address)}: .*{cause}.*\. Check host"):
        open_at(address)


@pytest.mark.parametrize("agent", ["Neo4j/4.4.38", "Neo4j/2025.10.1", "Memgraph/5.0"])
def test_a_server_that_is_no_neo4j_5_is_refused(agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = MagicMock()
    driver.__enter__.return_value.get_server_info.return_value.agent = agent
    monkeypatch.setattr("retrocypher.kg.server.endpoint.driver_for", lambda *_: driver)
    with pytest.raises(ServerError, match=f"is {agent}; .*5.x release"):
        open_at("bolt://db.example")
