"""Numbers: what the server takes, as seen on Neo4j 5.26."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.cypher.clauses import relationship_patterns
from retrocypher.kg.cypher.parser import number_value, parse

TAKEN = {
    "0": 0,
    "17": 17,
    "4_000": 4000,
    "9223372036854775807": 2**63 - 1,
    "0x1F": 31,
    "0x_1": 1,
    "0o17": 15,
    "0o_1": 1,
    "1.5": 1.5,
    ".5": 0.5,
    ".5e3": 500.0,
    "1E5": 100000.0,
    "1e308": 1e308,
    "1e-400": 0.0,
    "1_0.5_0": 10.5,
    "1.5f": 1.5,
    "1.5d": 1.5,
}
REFUSED = [
    *("4x", "4steps", "2n", "1__0", "1_", "1e400", "9" * 50, "9" * 5000, "0x", "0x1g", "0xFFFFFFFFFFFFFFFF"),
    *("0o18", "0777", "0888", "1.5x", "1.5e", "0b1", "00", "0X1F", "0O17"),
]


@pytest.mark.parametrize(("text", "value"), TAKEN.items())
def test_a_number_has_a_value(text: str, value: float) -> None:
    assert number_value(text) == value
    assert type(number_value(text)) is type(value)
    assert not parse(f"RETURN {text} AS x").errors


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:12])
def test_what_the_server_refuses_is_an_error_at_its_place(text: str) -> None:
    assert number_value(text) is None
    (issue,) = parse(f"RETURN {text} AS x").errors
    assert issue.offset == len("RETURN ")
    assert text[:12] in issue.message
    assert len(issue.message) < 120


@given(st.text("0123456789_.eExXoOfFdD+-", max_size=12))
def test_any_text_is_a_number_or_none(text: str) -> None:
    assert isinstance(number_value(text), int | float | None)


def test_the_smallest_integer_is_written_with_a_minus() -> None:
    assert not parse("RETURN -9223372036854775808 AS x").errors
    assert not parse("RETURN -0x8000000000000000 AS x").errors
    assert parse("RETURN 9223372036854775808 AS x").errors
    assert parse("RETURN -9223372036854775809 AS x").errors


@pytest.mark.parametrize("length", ["*4steps", "*..4x", "*" + "9" * 5000, "*9223372036854775808"])
def test_a_path_of_no_number_is_an_error_and_no_length(length: str) -> None:
    parsed = parse(f"MATCH p=(a:Molecule)-[:PRODUCES{length}]->(b) RETURN p")
    assert parsed.errors
    found = relationship_patterns(parsed)[0].length
    assert found is None or found.maximum in (None, 2**63)


@given(st.integers(min_value=0, max_value=2**63 - 1))
def test_any_integer_is_itself(value: int) -> None:
    assert number_value(str(value)) == value
    assert number_value(hex(value)) == value
    assert number_value(oct(value)) == value
