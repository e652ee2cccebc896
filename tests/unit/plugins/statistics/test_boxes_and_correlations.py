"""Box plots and correlations."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr

from retrocypher.plugins.statistics.correlation import pearson, spearman
from retrocypher.plugins.statistics.means import box_stats

SCORES = st.floats(0, 1, allow_subnormal=False).map(lambda each: round(each, 3))


def test_boxes() -> None:
    box = box_stats([0.1, 0.4, 0.5, 0.5, 0.6, 0.6, 0.7, 0.7, 0.8, 1.0])
    assert (box.q1, box.median, box.q3) == pytest.approx((0.5, 0.6, 0.7))
    # 1.5 · 0.2 beyond the box ends at 0.2 and 1.0.
    assert (box.whisker_low, box.whisker_high) == (0.4, 1.0)
    assert box.outliers == ((0.1, 1),)
    assert box_stats([1.0] * 18 + [0.0, 0.0]).outliers == ((0.0, 2),)
    with pytest.raises(ValueError, match="no values"):
        box_stats([])


@given(st.lists(SCORES, min_size=1, max_size=40), st.randoms())
def test_every_value_is_within_the_whiskers_or_an_outlier(values: list[float], random: Any) -> None:
    box = box_stats(values)
    assert box.whisker_low <= box.q1 <= box.median <= box.q3 <= box.whisker_high
    within = sum(box.whisker_low <= value <= box.whisker_high for value in values)
    assert within + sum(count for _, count in box.outliers) == box.n == len(values)
    mixed = values[:]
    random.shuffle(mixed)
    assert box_stats(mixed) == box


@given(st.lists(st.tuples(SCORES, SCORES, st.integers(0, 9)), min_size=2, max_size=40), st.randoms())
def test_correlations_are_those_of_scipy_in_any_order(
    cases: list[tuple[float, float, int]], random: Any
) -> None:
    mixed = cases[:]
    random.shuffle(mixed)
    for ours, theirs in ((pearson, pearsonr), (spearman, spearmanr)):
        found = ours(*zip(*cases, strict=True))
        x, y, _ = zip(*cases, strict=True)
        if len(set(x)) == 1 or len(set(y)) == 1:
            assert (found.value, found.low, found.high) == (None, None, None)
        else:
            assert found.value == pytest.approx(theirs(x, y)[0], abs=1e-6)
            assert found.low is None or -1 <= found.low <= found.value <= found.high <= 1
        assert ours(*zip(*mixed, strict=True)) == found


def test_a_resample_is_ranked_anew() -> None:
    draw = np.random.default_rng(4)
    x = draw.random(60)
    y = x + draw.random(60)
    names = np.repeat(np.arange(20), 3)
    found = spearman(x, y, names)
    resampled = []
    for _ in range(1_000):
        rows = (draw.integers(0, 20, size=20)[:, None] * 3 + np.arange(3)).ravel()
        resampled.append(spearmanr(x[rows], y[rows])[0])
    assert found.low == pytest.approx(np.quantile(resampled, 0.015), abs=0.06)
    assert found.high == pytest.approx(np.quantile(resampled, 0.985), abs=0.06)


def test_a_correlation_that_one_molecule_makes_has_no_interval() -> None:
    x, y = [1.0] * 9 + [0.0], [1.0] * 9 + [0.0]
    found = pearson(x, y, [f"t{number}" for number in range(10)])
    assert found.value == pytest.approx(1)
    assert (found.low, found.high) == (None, None)
    assert pearson([], [], []).value is None
