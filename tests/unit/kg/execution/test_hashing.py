"""Which values have one hash."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.execution.client_process import to_json_value
from retrocypher.kg.execution.hashing import HASH_BYTES, hash_value

EQUAL = [
    (1, 1.0),
    (0, -0.0),
    (0.1 + 0.2, 0.3),
    (2.9999999999999996, 3),
    (123456789012, 123456789012.0),
    (1.0000000005, 1.0000000005000001),
    (1.0000000005, 1.0000000004999998),
    (1234567890.5, 1234567890.5000002),
    (1234567891.7, 1234567891.6999998),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}),
    ({"$float": "NaN"}, {"$float": "NaN"}),
    ({"$node": {"id": "1", "labels": []}}, {"$node": {"id": "1", "labels": ["A"]}}),
]
DIFFERENT = [
    (1, True),
    (0, False),
    (1, "1"),
    (None, "None"),
    (None, 0),
    ([], None),
    ([], {}),
    ([1, 2], [2, 1]),
    ([[1], 2], [1, 2]),
    ([1], 1),
    (1.00000001, 1.00000002),
    (123456789012, 123456789013),
    (2**53, 2**53 + 1),
    ({"a": 1}, {"a": 2}),
    ({"a": None}, {}),
    ({"$map": {"$node": {"id": "1"}}}, {"$node": {"id": "1"}}),
    ({"$node": {"id": "1"}}, {"$relationship": {"id": "1"}}),
    ({"$temporal": {"type": "date", "value": "2020-01-01"}}, "2020-01-01"),
]


@pytest.mark.parametrize(("one", "other"), EQUAL)
def test_equal(one: Any, other: Any) -> None:
    assert hash_value(one, "ordered_lists") == hash_value(other, "ordered_lists")


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different(one: Any, other: Any) -> None:
    assert hash_value(one, "ordered_lists") != hash_value(other, "ordered_lists")


def test_paths_are_their_elements_and_direction_counts() -> None:
    def path(*ids: str) -> Any:
        return {"$path": {"nodes": [{"id": each} for each in ids], "relationships": [{"id": "r"}]}}

    for values in ("ordered_lists", "unordered_lists"):
        assert hash_value(path("1", "2"), values) == hash_value(path("1", "2"), values)
        assert hash_value(path("1", "2"), values) != hash_value(path("2", "1"), values)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
).map(to_json_value)


@given(st.lists(VALUES, max_size=5), st.randoms())
def test_lists_without_order_are_multisets(items: list[Any], random: Any) -> None:
    mixed = random.sample(items, len(items))
    for nested in (lambda of: of, lambda of: [of], lambda of: {"a": of}):
        assert hash_value(nested(items), "unordered_lists") == hash_value(nested(mixed), "unordered_lists")
    assert hash_value([*items, 1], "unordered_lists") != hash_value(items, "unordered_lists")


@given(VALUES)
def test_every_value_has_a_hash_of_one_length(value: Any) -> None:
    for values in ("ordered_lists", "unordered_lists", "published"):
        assert len(hash_value(value, values)) == HASH_BYTES  # type: ignore[arg-type]


@given(st.floats(1e-250, 1e250), st.floats(-3e-16, 3e-16))
def test_short_decimals_are_far_from_the_edges_of_rounding(size: float, noise: float) -> None:
    short = float(f"{size:.9e}")
    if not 1e15 > short >= 1e9 or not short % 1:
        assert hash_value(short, "ordered_lists") == hash_value(short * (1 + noise), "ordered_lists")
    assert not math.isnan(short)


@given(st.integers(10**9, 10**12), st.sampled_from([-math.inf, math.inf]))
def test_large_amounts_with_cents_are_far_from_the_edges_of_rounding(whole: int, towards: float) -> None:
    for cents in range(100):
        amount = float(f"{whole}.{cents:02}")
        noisy = math.nextafter(amount, towards)
        assert hash_value(amount, "ordered_lists") == hash_value(noisy, "ordered_lists")
