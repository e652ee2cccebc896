"""Box plots, correlations and agreement with the truth, against independent computations."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau, pearsonr, spearmanr
from support.examples import examples

from retrocypher.plugins.statistics.correlation import (
    auroc,
    cohen_kappa,
    kendall,
    pearson,
    reliability,
    spearman,
)
from retrocypher.plugins.statistics.means import box_stats

ROUNDED = st.floats(0, 1, allow_subnormal=False).map(lambda each: round(each, 3))


def test_boxes() -> None:
    box = box_stats([0.1, 0.4, 0.5, 0.5, 0.6, 0.6, 0.7, 0.7, 0.8, 1.0])
    assert (box.q1, box.median, box.q3) == pytest.approx((0.5, 0.6, 0.7))
    # 1.5 · 0.2 beyond the box ends at 0.2 and 1.0.
    assert (box.whisker_low, box.whisker_high) == (0.4, 1.0)
    assert box.outliers == ((0.1, 1),)
    assert box_stats([1.0] * 18 + [0.0, 0.0]).outliers == ((0.0, 2),)
    with pytest.raises(ValueError, match="at least one value"):
        box_stats([])


@given(st.lists(ROUNDED, min_size=1, max_size=40), st.randoms())
def test_every_value_is_within_the_whiskers_or_an_outlier(values: list[float], random: Any) -> None:
    box = box_stats(values)
    assert box.whisker_low <= box.q1 <= box.median <= box.q3 <= box.whisker_high
    within = sum(box.whisker_low <= value <= box.whisker_high for value in values)
    assert within + sum(count for _, count in box.outliers) == box.n == len(values)
    mixed = values[:]
    random.shuffle(mixed)
    assert box_stats(mixed) == box


@given(st.lists(st.tuples(ROUNDED, ROUNDED, st.integers(0, 9)), min_size=2, max_size=40), st.randoms())
def test_correlations_are_those_of_scipy(cases: list[tuple[float, float, int]], random: Any) -> None:
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


def test_a_correlation_that_one_molecule_makes_has_no_interval() -> None:
    x, y = [1.0] * 9 + [0.0], [1.0] * 9 + [0.0]
    found = pearson(x, y, [f"t{number}" for number in range(10)])
    assert found.value == pytest.approx(1)
    assert (found.low, found.high) == (None, None)
    assert pearson([], [], []).value is None


SCORES = st.integers(0, 20).map(lambda each: each / 20)
CASES = st.lists(st.tuples(SCORES, st.booleans(), SCORES, st.integers(0, 9)), min_size=1, max_size=40)


def columns(cases: list[Any]) -> list[list[Any]]:
    return [list(column) for column in zip(*cases, strict=True)]


def kappa_of_table(a: list[bool], b: list[bool]) -> float | None:
    """Cohen's kappa as textbooks have it: from the shares of a table of two by two."""
    table = np.array(
        [[np.mean([(x, y) == (i, j) for x, y in zip(a, b, strict=True)]) for j in (0, 1)] for i in (0, 1)]
    )
    observed = np.trace(table)
    expected = table.sum(axis=1) @ table.sum(axis=0)
    return None if expected == pytest.approx(1) else (observed - expected) / (1 - expected)


def area_by_pairs(scores: list[float], positive: list[bool]) -> float | None:
    """The area under the ROC curve, pair by pair: Mann and Whitney's U over the number of pairs."""
    above, below = (
        [score for score, flag in zip(scores, positive, strict=True) if flag is side]
        for side in (True, False)
    )
    if not above or not below:
        return None
    return sum((x > y) + (x == y) / 2 for x in above for y in below) / (len(above) * len(below))


@examples(60)
@given(CASES, st.randoms())
def test_measures_are_those_of_other_computations_in_any_order(cases: list[Any], random: Any) -> None:
    scores, right, other, names = columns(cases)
    said = [score >= 0.5 for score in scores]
    mixed = cases[:]
    random.shuffle(mixed)
    again, truth, others, molecules = columns(mixed)
    assert cohen_kappa(said, right, names).value == pytest.approx(kappa_of_table(said, right))
    assert auroc(scores, right, names).value == pytest.approx(area_by_pairs(scores, right))
    tau = kendalltau(scores, other).statistic if len(cases) > 1 else np.nan
    found = kendall(scores, other, names)
    assert found.value == (None if np.isnan(tau) else pytest.approx(tau, abs=1e-9))
    assert kendall(again, others, molecules) == found
    assert auroc(again, truth, molecules) == auroc(scores, right, names)
    assert reliability(again, truth, molecules) == reliability(scores, right, names)
    verdicts = [score >= 0.5 for score in again]
    assert cohen_kappa(verdicts, truth, molecules) == cohen_kappa(said, right, names)
    calibration = reliability(scores, right, names)
    for estimate, least in (
        (cohen_kappa(said, right, names), -1),
        (auroc(scores, right, names), 0),
        (found, -1),
        (calibration.brier, 0),
        (calibration.ece, 0),
    ):
        assert estimate.n == len(cases)
        if estimate.has_interval:
            assert least - 1e-12 <= estimate.low <= estimate.value <= estimate.high <= 1 + 1e-12


@examples(60)
@given(CASES)
def test_bins_hold_every_case_once(cases: list[Any]) -> None:
    scores, right, _, names = columns(cases)
    found = reliability(scores, right, names)
    assert sum(each.right.n for each in found.bins) == len(cases)
    assert all(each.low - 1e-9 <= each.score <= each.high for each in found.bins)
    brier = np.mean([(score - flag) ** 2 for score, flag in zip(scores, right, strict=True)])
    assert found.brier.value == pytest.approx(brier)
    off = 0.0
    for number in range(10):
        # In twentieths, as the scores are drawn, so that no float decides.
        inside = [
            (score, flag)
            for score, flag in zip(scores, right, strict=True)
            if min(round(20 * score) // 2, 9) == number
        ]
        off += abs(sum(score for score, _ in inside) - sum(flag for _, flag in inside))
    assert found.ece.value == pytest.approx(off / len(cases))


@pytest.mark.parametrize("measure", ["kappa", "auroc", "kendall", "spearman", "ece"])
def test_intervals_are_those_of_molecules_drawn_one_by_one(measure: str) -> None:
    draw = np.random.default_rng(4)
    molecules = 60
    names = np.repeat(np.arange(molecules), 3)
    ease = draw.random(molecules)[names]
    right = draw.random(len(names)) < ease
    scores = np.clip(np.round(0.5 * ease + 0.3 * right + 0.2 * draw.random(len(names)), 2), 0, 1)

    def measured(rows: Any, clusters: Any) -> Any:
        if measure == "kappa":
            return cohen_kappa(scores[rows] >= 0.5, right[rows], clusters)
        if measure == "ece":
            return reliability(scores[rows], right[rows], clusters).ece
        correlation = {"auroc": auroc, "kendall": kendall, "spearman": spearman}[measure]
        return correlation(scores[rows], right[rows], clusters)

    found = measured(np.arange(len(names)), names)
    resampled = []
    for _ in range(600):
        rows = (draw.integers(0, molecules, size=molecules)[:, None] * 3 + np.arange(3)).ravel()
        # One cluster: the number alone, without an interval.
        resampled.append(measured(rows, np.zeros(len(rows), dtype=int)).value)
    # An error that is measured in resamples is larger than it is; BCa moves both ends back.
    tolerance = 0.035 if measure == "ece" else 0.03
    assert found.low == pytest.approx(np.quantile(resampled, 0.02), abs=tolerance)
    assert found.high == pytest.approx(np.quantile(resampled, 0.98), abs=tolerance)


def test_agreement_on_all_cases_is_no_certainty() -> None:
    right = [number % 2 == 0 for number in range(40)]
    names = [f"m{number}" for number in range(40)]
    few = cohen_kappa(right, right, names)
    # Up to 1 - 0.025^(1/40) = 8.8 % of disagreements would often not show.
    assert (few.value, few.high) == (1, 1)
    assert few.low == pytest.approx(1 - 2 * (1 - 0.025 ** (1 / 40)))
    area = auroc([float(flag) for flag in right], right, names)
    assert (area.value, area.high) == (1, 1)
    assert area.low == pytest.approx(0.025 ** (1 / 20))
    turned = auroc([1.0 - flag for flag in right], right, names)
    assert (turned.value, turned.low) == (0, 0)
    assert turned.high == pytest.approx(1 - 0.025 ** (1 / 20))


def test_numbers_that_no_resample_moves_have_no_interval() -> None:
    names = [f"m{number}" for number in range(20)]
    scores, f1 = [number / 20 for number in range(20)], [number / 40 for number in range(20)]
    right = [number >= 10 for number in range(20)]
    for found, value in (
        (kendall(scores, f1, names), 1),
        (spearman(scores, f1, names), 1),
        # A judge that says the same of all.
        (cohen_kappa([True] * 20, right, names), 0),
        (auroc([0.7] * 20, right, names), 0.5),
        (reliability([0.9] * 20, [True] * 20, names).ece, 0.1),
    ):
        assert found.value == pytest.approx(value)
        assert not found.has_interval


def test_what_is_not_defined_is_none() -> None:
    names = [f"m{number}" for number in range(8)]
    assert (cohen_kappa([], [], []).value, auroc([], [], []).value, kendall([], [], []).value) == (None,) * 3
    assert reliability([], [], []).bins == ()
    few = cohen_kappa([True, False, True], [True, False, False], ["a", "b", "c"])
    assert few.value is not None
    assert not few.has_interval
    # A single case of one kind: without it there is no area.
    assert not auroc([0.1] * 7 + [0.9], [False] * 7 + [True], names).has_interval
