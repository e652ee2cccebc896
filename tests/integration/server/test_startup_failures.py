"""A local server that does not start says why, and what to do."""

import tempfile
from pathlib import Path

import pytest

from retrocypher.kg.graph.compact import read_graph
from retrocypher.kg.graph.fingerprint import fingerprint_of
from retrocypher.kg.server.endpoint import ServerError
from retrocypher.kg.server.open import start_server


def start(startup_timeout_s: float = 60.0) -> None:
    start_server(
        "local",
        graph_fingerprint=fingerprint_of(read_graph()),
        load_graph=pytest.fail,
        announce=print,
        startup_timeout_s=startup_timeout_s,
    )


def test_a_damaged_store_is_shown_with_the_servers_last_lines(own_cache: Path) -> None:
    for file in own_cache.glob("stores/*/data/databases/system/neostore"):
        file.write_bytes(b"\0" * 100)
    with pytest.raises(ServerError, match=r"(?s)ended while it started.*\d{4}-\d\d-\d\d.*stores/.*remove it"):
        start()
    assert list(Path(tempfile.gettempdir()).iterdir()) == []


@pytest.mark.usefixtures("own_cache")
def test_a_start_that_takes_too_long_is_given_up() -> None:
    with pytest.raises(ServerError, match=r"did not start within 0 s; is the machine overloaded"):
        start(startup_timeout_s=0.2)
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
