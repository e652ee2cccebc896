from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import InputError
from kg.server import ServerError, open_server
from kg.server._uri import SCHEMES, parse_address

TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=20)


@given(st.sampled_from(SCHEMES), TEXT, TEXT)
def test_credentials_in_an_address_come_back_and_leave_it(scheme: str, user: str, password: str) -> None:
    address = parse_address(f"{scheme}://{quote(user, safe='')}:{quote(password, safe='')}@db.example:7000")
    assert (address.user, address.password) == (user, password)
    assert address.uri == f"{scheme}://db.example:7000"
    assert repr(password) not in repr(address).replace(repr(user), "").replace(repr(address.uri), "")


def test_credentials_come_from_the_environment_and_the_address_wins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_USER", "reader")
    monkeypatch.setenv("NEO4J_PASSWORD", "from outside")
    outside = parse_address("neo4j+s://db.example")
    assert (outside.uri, outside.user, outside.password) == (
        "neo4j+s://db.example:7687",
        "reader",
        "from outside",
    )
    inside = parse_address("bolt://ann:inside@[::1]:7000")
    assert (inside.uri, inside.user, inside.password) == ("bolt://[::1]:7000", "ann", "inside")


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


def test_a_server_out_of_reach_is_one_message() -> None:
    with pytest.raises(
        ServerError, match=r"No Neo4j answers at bolt://127\.0\.0\.1:9 .*Check host"
    ) as caught:
        open_server("bolt://u:geheim@127.0.0.1:9", graph_fingerprint="", fill=pytest.fail, announce=print)
    assert "geheim" not in str(caught.value)


@pytest.mark.parametrize("agent", ["Neo4j/4.4.38", "Neo4j/2025.10.1", "Memgraph/5.0"])
def test_a_server_that_is_no_neo4j_5_is_refused(agent: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Driver:
        agent: str

        def __enter__(self) -> "Driver":
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def get_server_info(self) -> "Driver":
            return self

    Driver.agent = agent
    monkeypatch.setattr("kg.server._driver.driver_for", lambda *_: Driver())
    with pytest.raises(ServerError, match=f"is {agent}; .*5.x release"):
        open_server("bolt://db.example", graph_fingerprint="", fill=pytest.fail, announce=print)
