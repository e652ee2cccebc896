"""Execution accuracy: when two complete results are the same table."""

import itertools
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrocypher.kg.execution.execution import Execution, HashedTable, hash_rows
from retrocypher.plugins.scoring import execution_accuracy
from retrocypher.plugins.scoring.execution_accuracy import same_table, sort_groups

Rows = list[list[Any]]


def table(rows: Rows, width: int | None = None) -> HashedTable:
    names = [f"c{number}" for number in range(len(rows[0]) if rows else width or 1)]
    made = hash_rows(Execution("ok", columns=names, rows=rows, row_count=len(rows)), "ordered_lists")
    assert isinstance(made, HashedTable)
    return made


def same(gold: Rows, predicted: Rows, groups: list[int] | None = None) -> bool | None:
    return same_table(table(gold), table(predicted), groups)


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        ([[1, 2], [3, 4]], [[4, 3], [2, 1]], True),
        ([[1, 2], [2, 1]], [[1, 2], [1, 2]], False),
        ([[1, 2], [2, 1]], [[2, 1], [1, 2]], True),
        ([[1], [1], [2]], [[1], [2], [2]], False),
        ([[1], [1]], [[1]], False),
        ([[1, 1]], [[1]], False),
        ([[1, 1, 2]], [[2, 1, 1]], True),
        ([[1, 1, 2]], [[2, 2, 1]], False),
        # Each column and each row as a set is the same; only the pairing differs.
        ([[0, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]], [[1, 1, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]], False),
        ([[0, 1, 5], [1, 0, 6]], [[1, 0, 5], [0, 1, 6]], True),
    ],
)
def test_tables(gold: Rows, predicted: Rows, expected: bool) -> None:
    assert same(gold, predicted) is expected
    assert same(predicted, gold) is expected


def test_empty_results_agree_whatever_their_columns() -> None:
    assert same_table(table([], 2), table([], 3)) is True


def test_groups_come_in_their_order() -> None:
    gold = [["a", 1], ["b", 1], ["c", 2]]
    groups = sort_groups(table(gold), (-1,))
    assert groups == [0, 0, 1]
    assert same(gold, [["b", 1], ["a", 1], ["c", 2]], groups) is True
    assert same(gold, [["c", 2], ["a", 1], ["b", 1]], groups) is False
    assert same(gold, [["a", 1], ["c", 2], ["b", 1]], groups) is False
    assert same(gold, [["b", 1], ["a", 1], ["c", 2]], [0, 1, 2]) is False
    assert same_table(table(gold), table([["b"], ["a"], ["c"]]), groups, extra=1) is True


def test_truncated_results_are_not_compared() -> None:
    cut = HashedTable("ok", row_count=1, width=1, hashes=b"0" * 16, truncated=True)
    with pytest.raises(ValueError, match="complete"):
        same_table(cut, table([[1]]))


def test_a_search_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(execution_accuracy, "MOST_STEPS", 100)
    rows = [[number, number + 1] for number in range(60)]
    assert same(rows, rows[::-1]) is None


def test_many_wide_rows_are_compared_in_seconds() -> None:
    generator = random.Random(0)
    rows = [[generator.randrange(2) for _ in range(8)] for _ in range(20_000)]
    order = [3, 1, 0, 2, 7, 6, 5, 4]
    mixed = [[row[place] for place in order] for row in generator.sample(rows, len(rows))]
    assert same(rows, mixed) is True
    mixed[0][0] = 1 - mixed[0][0]
    assert same(rows, mixed) is False


CELLS = st.integers(0, 2)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Rows, Rows]:
    width, height = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    rows = st.lists(st.lists(CELLS, min_size=width, max_size=width), min_size=height, max_size=height)
    return draw(rows), draw(rows)


@given(tables(), st.booleans())
def test_as_trying_every_order_of_columns(pair: tuple[Rows, Rows], in_order: bool) -> None:
    gold, predicted = pair
    groups = sort_groups(table(gold), (0,)) if in_order else [0] * len(gold)
    wanted = Counter(zip(groups, map(tuple, gold), strict=True))
    expected = any(
        Counter((group, tuple(row[at] for at in order)) for group, row in zip(groups, predicted, strict=True))
        == wanted
        for order in itertools.permutations(range(len(gold[0])))
    )
    assert same(gold, predicted, groups if in_order else None) is expected


@given(tables(), st.randoms())
def test_any_order_of_rows_and_columns_is_the_same(pair: tuple[Rows, Rows], generator: Any) -> None:
    gold = pair[0]
    order = generator.sample(range(len(gold[0])), len(gold[0]))
    mixed = [[row[at] for at in order] for row in generator.sample(gold, len(gold))]
    assert same(gold, mixed) is True
    assert same(gold, mixed[1:]) is False
