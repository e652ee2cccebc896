"""EX of generated results: what does not change it, and that a second implementation agrees."""

import random
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from support.second_metrics import same_result

from retrocypher.kg.execution.client_process import to_json_value
from retrocypher.kg.execution.execution import Execution, HashedTable, hash_rows
from retrocypher.kg.execution.hashing import Values
from retrocypher.plugins.scoring.execution_accuracy import same_table, sort_groups

Rows = list[list[Any]]

# Few different values, so that rows, columns and sort keys are often equal, and values that are nearly so.
SCALARS = st.sampled_from(
    [
        *(None, True, False, "1", "", "é", "e\u0301", 0, 1, 1.0, -0.0, 2**53, 2**53 + 1),
        *(0.1 + 0.2, 0.3, 1.00000001, 1234567891, 1234567891.2, 123456789012.0, 1e300),
        *(float("nan"), float("inf")),
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)


class Result(NamedTuple):
    """Rows, and the sort key of each."""

    rows: Rows
    keys: list[int]


def results(values: st.SearchStrategy[Any] = VALUES) -> st.SearchStrategy[Result]:
    """Results of up to four columns and five rows, in the order of their keys."""
    row = st.integers(1, 4).flatmap(
        lambda width: st.lists(
            st.tuples(st.integers(0, 2), st.lists(values, min_size=width, max_size=width)), max_size=5
        )
    )
    return row.map(lambda pairs: sorted(pairs, key=lambda pair: pair[0])).map(
        lambda pairs: Result([row for _, row in pairs], [key for key, _ in pairs])
    )


def table(rows: Rows, values: Values = "ordered_lists") -> HashedTable:
    """Return rows as the hashes that are compared; names of columns are not in it."""
    columns = [f"c{number}" for number in range(len(rows[0]))] if rows else ["c0"]
    found = hash_rows(Execution("ok", columns=columns, rows=to_json_value(rows), row_count=len(rows)), values)
    assert isinstance(found, HashedTable)
    return found


def equal(one: Rows, other: Rows, keys: list[int] | None = None, values: Values = "ordered_lists") -> bool:
    """EX of two results, of which the first may be sorted by keys."""
    if keys is None:
        same = same_table(table(one, values), table(other, values))
    else:
        keyed = table([[*row, key] for row, key in zip(one, keys, strict=True)], values)
        same = same_table(keyed, table(other, values), sort_groups(keyed, [-1]), extra=1)
    assert same is not None
    return same


def with_columns_mixed(rows: Rows, rng: random.Random) -> Rows:
    order = rng.sample(range(len(rows[0])), len(rows[0])) if rows else []
    return [[row[place] for place in order] for row in rows]


@given(results(), st.randoms(use_true_random=False))
def test_order_of_rows_and_columns_does_not_matter(result: Result, rng: random.Random) -> None:
    other = with_columns_mixed(rng.sample(result.rows, len(result.rows)), rng)
    assert equal(result.rows, result.rows)
    assert equal(result.rows, other)
    assert equal(other, result.rows)


@given(results(), st.randoms(use_true_random=False))
def test_rows_with_equal_sort_keys_may_permute(result: Result, rng: random.Random) -> None:
    shuffled = rng.sample(range(len(result.rows)), len(result.rows))
    tied = sorted(shuffled, key=lambda place: result.keys[place])
    assert equal(result.rows, with_columns_mixed([result.rows[place] for place in tied], rng), result.keys)


@given(st.lists(st.lists(SCALARS, max_size=3), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_order_in_collected_lists_does_not_matter(lists: list[Any], rng: random.Random) -> None:
    mixed = [rng.sample(items, len(items)) for items in lists]
    assert equal([[items] for items in lists], [[items] for items in mixed], values="unordered_lists")


@given(
    results(),
    results(),
    VALUES,
    st.sampled_from(["generated", "mixed", "changed"]),
    st.randoms(use_true_random=False),
)
def test_a_second_implementation_agrees(
    one: Result, other: Result, value: Any, kind: str, rng: random.Random
) -> None:
    """The other result is generated, or the first with rows and columns mixed and perhaps another value."""
    rows = other.rows
    if one.rows and kind != "generated":
        rows = with_columns_mixed(rng.sample(one.rows, len(one.rows)), rng)
        if kind == "changed":
            rng.choice(rows)[0] = value
    for keys in (None, one.keys):
        for any_order in (False, True):
            values: Values = "unordered_lists" if any_order else "ordered_lists"
            expected = same_result(one.rows, rows, keys, any_order)
            assert equal(one.rows, rows, keys, values) == expected
    assert equal(one.rows, rows) == equal(rows, one.rows)
