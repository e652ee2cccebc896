"""A process that refuses the network, by every way there is in Python."""

import ipaddress
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.errors import InputError
from retrocypher.kg.offline import is_loopback, require_loopback

BEFORE = "import socket, sys\nfrom retrocypher.kg.offline import refuse_network\nrefuse_network()\n"

WAYS = yaml.safe_load(Path(__file__).with_name("ways_out.yaml").read_text(encoding="utf-8"))
LOOPBACK = [ipaddress.ip_network(text) for text in ("127.0.0.0/8", "::1/128", "::ffff:127.0.0.0/104")]


def ran(program: str, *arguments: object) -> str:
    """Return the last line that a program says in a process of its own, errors too."""
    done = subprocess.run(
        [sys.executable, "-c", BEFORE + program, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return (done.stdout + done.stderr).strip().splitlines()[-1]


@pytest.mark.parametrize("program", WAYS.values(), ids=WAYS.keys())
def test_another_machine_is_refused(program: str) -> None:
    assert "--offline refuses connections to other machines" in ran(program)


@pytest.fixture
def greeting() -> Iterator[int]:
    """A port of this machine that says hello to each that connects."""
    listening = socket.create_server(("127.0.0.1", 0))

    def greet() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            with connection:
                connection.sendall(b"hello")

    threading.Thread(target=greet, daemon=True).start()
    yield listening.getsockname()[1]
    listening.close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_this_machine_is_reached(greeting: int, host: str) -> None:
    program = f"print(socket.create_connection(('{host}', int(sys.argv[1])), 5).recv(9).decode())"
    assert ran(program, greeting) == "hello"


def test_sockets_of_the_file_system_work() -> None:
    program = (
        "import tempfile, pathlib\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    path = str(pathlib.Path(folder, 's'))\n"
        "    server = socket.socket(socket.AF_UNIX); server.bind(path); server.listen()\n"
        "    client = socket.socket(socket.AF_UNIX); client.connect(path)\n"
        "    server.accept()[0].sendall(b'hello'); print(client.recv(9).decode())\n"
    )
    assert ran(program) == "hello"


LOCAL = (
    "127.0.0.1",
    "127.8.9.1",
    "::1",
    "::ffff:127.0.0.1",
    "LOCALHOST",
    "localhost.",
    b"127.0.0.1",
    "::1%lo",
)
DISTANT = (
    *("0.0.0.0", "::", "10.0.0.1", "::ffff:10.0.0.1", "127.0.0.1.example.org", "localhost.example.org"),
    *(None, 7, "127.1", "0x7f000001", "", "fe80::1%eth0", b"\xff"),
)


@pytest.mark.parametrize("host", [*LOCAL, *DISTANT])
def test_loopback(host: object) -> None:
    assert is_loopback(host) == (host in LOCAL)


@given(st.ip_addresses() | st.ip_addresses(network="127.0.0.0/8") | st.ip_addresses(network="::ffff:0:0/96"))
def test_addresses_are_loopback_exactly_in_their_range(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    assert is_loopback(str(address)) == any(address in network for network in LOOPBACK)


def test_a_named_machine() -> None:
    require_loopback("localhost", "--graph bolt://localhost")
    with pytest.raises(InputError, match=r"^--graph bolt://db\.example: --offline refuses"):
        require_loopback("db.example", "--graph bolt://db.example")
