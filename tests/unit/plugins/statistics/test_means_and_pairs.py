"""Means, their intervals, paired comparisons, p-values and verdicts."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from scipy.stats import binomtest

from retrocypher.plugins.statistics.bounded import BoundedMeans, probability_below_zero
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.means import Ratio, Ratios, certain_share, mean_of
from retrocypher.plugins.statistics.paired import (
    PairedComparison,
    Verdict,
    corrected,
    holm,
    non_inferiority,
    paired,
    verdict,
)

SCORES = st.one_of(st.sampled_from([0.0, 0.5, 1.0, 2 / 3]), st.floats(0, 1, allow_subnormal=False))
Cases = list[tuple[float, int]]
CASES = st.lists(st.tuples(SCORES, st.integers(0, 11)), min_size=1, max_size=60)


def estimate_of(cases: Cases) -> Estimate:
    return mean_of([score for score, _ in cases], [f"t{number}" for _, number in cases])


@given(CASES, st.randoms())
def test_a_mean_lies_in_its_interval_in_any_order(cases: Cases, random: Any) -> None:
    estimate = estimate_of(cases)
    assert estimate_of(random.sample(cases, len(cases))) == estimate
    assert estimate.value == pytest.approx(np.mean([score for score, _ in cases]))
    assert (estimate.n, estimate.clusters) == (len(cases), len({number for _, number in cases}))
    assert estimate.has_interval == (estimate.clusters >= 5)
    if estimate.low is not None and estimate.high is not None and estimate.value is not None:
        assert -1e-12 <= estimate.low <= estimate.value <= estimate.high <= 1 + 1e-12


@given(CASES)
def test_a_mean_turned_over_has_its_interval_turned_over(cases: Cases) -> None:
    straight, turned = estimate_of(cases), estimate_of([(1 - score, number) for score, number in cases])
    assert straight.value is not None
    assert turned.value == pytest.approx(1 - straight.value)
    if straight.low is not None and straight.high is not None:
        assert turned.low == pytest.approx(1 - straight.high, abs=1e-6)
        assert turned.high == pytest.approx(1 - straight.low, abs=1e-6)


def test_questions_about_one_molecule_make_the_interval_wider() -> None:
    scores = [1.0] * 50 + [0.0] * 50
    apart = mean_of(scores, [f"t{number}" for number in range(100)])
    together = mean_of(scores, [f"t{number // 10}" for number in range(100)])
    assert apart.low == pytest.approx(0.4, abs=0.02)
    assert together.low is not None
    assert together.low < 0.25
    numerator, denominator = scores, [1.0] * 100
    ratio = Ratios([str(number // 10) for number in range(100)]).ratio(numerator, denominator)
    assert ratio.value == 0.5
    assert ratio.low <= 0.3
    assert ratio.high >= 0.7


def test_where_all_is_right_the_interval_is_no_point() -> None:
    """60 molecules without an error: 0.94 of all molecules would show none among 60 in 2.5 % of runs."""
    perfect = mean_of([1.0] * 120, [f"t{number // 2}" for number in range(120)])
    assert (perfect.value, perfect.high) == (1.0, 1.0)
    assert perfect.low == pytest.approx(certain_share(60), abs=1e-3)
    assert certain_share(60) ** 60 == pytest.approx(0.025)
    nothing = mean_of([0.0] * 60, [f"t{number}" for number in range(60)])
    assert (nothing.value, nothing.low) == (0.0, 0.0)
    assert nothing.high == pytest.approx(1 - certain_share(60), abs=1e-3)
    half = mean_of([0.5] * 60, [f"t{number}" for number in range(60)])
    assert (half.value, half.low, half.high) == pytest.approx((0.5, 0.4702, 0.5298), abs=1e-3)


@pytest.mark.parametrize("score", [0.99, 0.9, 0.0])
def test_one_deviation_does_not_make_the_interval_narrow(score: float) -> None:
    names = [f"t{number}" for number in range(60)]
    perfect, nearly = mean_of([1.0] * 60, names), mean_of([1.0] * 59 + [score], names)
    assert perfect.low is not None
    assert nearly.low is not None
    assert nearly.low <= perfect.low
    assert nearly.high is not None
    assert nearly.value is not None
    assert nearly.value < nearly.high < 1


@pytest.mark.parametrize("clusters", [5, 12, 60, 300])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.8, 1.0])
def test_intervals_of_shares_are_those_of_clopper_and_pearson(clusters: int, share: float) -> None:
    hits = round(share * clusters)
    found = mean_of([1.0] * hits + [0.0] * (clusters - hits), [str(number) for number in range(clusters)])
    exact = binomtest(hits, clusters).proportion_ci(method="exact")
    assert (found.low, found.high) == pytest.approx((exact.low, exact.high), abs=3e-3)


@given(st.lists(SCORES, min_size=5, max_size=30), st.integers(2, 6))
def test_cases_repeated_within_their_clusters_change_nothing(scores: list[float], times: int) -> None:
    names = [str(number) for number in range(len(scores))]
    once, more = mean_of(scores, names), mean_of(scores * times, names * times)
    assert (more.value, more.low, more.high) == pytest.approx((once.value, once.low, once.high), abs=1e-6)


def test_clusters_of_unequal_size_tell_less() -> None:
    """The effective number of 60 clusters, of which one has 41 of 100 cases, is about 19."""
    even = BoundedMeans(np.full((10, 1), 10.0), np.full(10, 10.0), 0, 1)
    uneven = BoundedMeans(np.array([[41.0]] + [[1.0]] * 59), np.array([41.0] + [1.0] * 59), 0, 1)
    assert even.effective_clusters == 10
    assert uneven.effective_clusters == pytest.approx(100 / ((41**2 + 59) / 60) ** 0.5)
    alike = BoundedMeans(np.full((60, 1), 1.0), np.full(60, 1.0), 0, 1)
    assert uneven.ends()[0][0] < alike.ends()[0][0]


def test_probabilities_of_weighted_sums_are_those_of_draws() -> None:
    rng = np.random.default_rng(1)
    for sums in rng.normal(0.2, 1, size=(20, 12)):
        drawn = rng.exponential(size=(40_000, 12)) @ sums
        (found,) = probability_below_zero(sums[:, None])
        assert found == pytest.approx(np.mean(drawn < 0), abs=0.012)
    assert probability_below_zero(np.array([[1.0, -1.0, 0.0], [2.0, -3.0, 0.0]])).tolist() == [0, 1, 0]


def test_four_molecules_make_no_interval_and_no_case_no_mean() -> None:
    assert mean_of([1.0, 0.0, 1.0, 1.0], list("abcd")) == Estimate(0.75, None, None, 4, 4)
    assert mean_of([], []) == Estimate(None, None, None, 0, 0)


@pytest.mark.parametrize("hits", [0, 14])
def test_a_rate_of_none_or_all_is_no_certainty(hits: int) -> None:
    names = [str(number) for number in range(20)]
    within = [number < 14 for number in range(20)]
    rate = Ratios(names).rate([float(number < hits) for number in range(20)], within)
    share = 0.025 ** (1 / 14)
    expected = (0.0, 1 - share) if hits == 0 else (share, 1.0)
    assert (rate.value, rate.of) == (hits / 14, 14)
    assert (rate.low, rate.high) == pytest.approx(expected, abs=2e-3)


@given(st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 8)), min_size=1, max_size=40))
def test_a_rate_is_the_mean_of_the_cases_it_is_of(cases: list[tuple[bool, bool, int]]) -> None:
    ratios = Ratios([str(name) for *_, name in cases])
    hits = [float(hit) for hit, *_ in cases]
    mean = mean_of(hits, [str(name) for *_, name in cases])
    every = ratios.rate(hits, [True] * len(cases))
    assert every.value == pytest.approx(mean.value)
    assert (every.low, every.high, every.of) == (
        pytest.approx(mean.low),
        pytest.approx(mean.high),
        len(cases),
    )
    some = ratios.rate(hits, [counts for _, counts, _ in cases])
    chosen = [hit for hit, counts, _ in cases if counts]
    assert some.of == len(chosen)
    if chosen:
        assert some.value == pytest.approx(sum(chosen) / len(chosen))
    if some.low is not None:
        assert 0 <= some.low < some.high <= 1


def test_a_gain_is_a_difference() -> None:
    ratios = Ratios([str(number) for number in range(20)])
    still = ratios.gain([0.0] * 20, [True] * 20)
    unseen = 1 - certain_share(20)
    assert (still.value, still.of) == (0.0, 20)
    assert (still.low, still.high) == pytest.approx((-unseen, unseen), abs=2e-3)
    more = ratios.gain([1.0] * 6 + [0.0] * 14, [True] * 6 + [False] * 14)
    assert (more.value, more.high, more.of) == (1.0, 1.0, 6)
    assert more.low == pytest.approx(2 * certain_share(6) - 1, abs=5e-3)
    assert ratios.gain([0.0] * 20, [False] * 20).value is None


def test_a_ratio_without_a_bound_says_so() -> None:
    few, many = Ratios(["a", "b"]), Ratios([str(number) for number in range(200)])
    assert few.ratio([1, 1], [0, 0]) == Ratio(None, None, None, of=0)
    # Two molecules make no interval, and a denominator that is often 0 no upper bound.
    assert few.ratio([1, 1], [1, 1]) == Ratio(1.0, None, None, of=2)
    rare = Ratios([str(number) for number in range(5)]).ratio([5] * 5, [1e-9, 1e-9, 1e-9, 1e-9, 1])
    assert rare.high > 1e6
    assert many.ratio([1] * 200, [1] * 200) == Ratio(1.0, 1.0, 1.0, of=200)


QUARTERS = st.sampled_from([0.0, 0.25, 0.5, 1.0])
Pairs = list[tuple[float, float, int]]
PAIRS = st.lists(st.tuples(QUARTERS, QUARTERS, st.integers(0, 11)), min_size=1, max_size=50)


def compared(pairs: Pairs, **options: Any) -> PairedComparison:
    a, b, names = zip(*pairs, strict=True)
    return paired(a, b, [f"t{number}" for number in names], **options)


@given(PAIRS, st.randoms())
def test_numbers_are_those_of_the_pairs_in_any_order(pairs: Pairs, random: Any) -> None:
    found = compared(pairs)
    assert compared(random.sample(pairs, len(pairs))) == found
    assert found.wins == sum(b > a for a, b, _ in pairs)
    assert found.losses == sum(b < a for a, b, _ in pairs)
    assert found.wins + found.losses + found.ties == found.difference.n == len(pairs)
    assert found.difference.value == pytest.approx(found.mean_b - found.mean_a)
    difference = found.difference
    if difference.low is not None and difference.high is not None and difference.value is not None:
        assert -1 <= difference.low <= difference.value <= difference.high <= 1
    assert 0 < found.p_value <= 1


@given(PAIRS)
def test_a_run_and_itself_do_not_differ(pairs: Pairs) -> None:
    found = compared([(a, a, name) for a, _, name in pairs], margin=0.0)
    assert (found.difference.value, found.p_value, found.ties) == (0, 1, len(pairs))
    assert found.verdict is Verdict.INCONCLUSIVE
    # A margin of 0 asks for the same results, and has them.
    assert non_inferiority(found, 0.0) == ("holds" if found.difference.has_interval else "inconclusive")


@pytest.mark.parametrize("clusters", [4, 5, 20, 60, 183, 184, 185, 400])
def test_equal_runs_show_a_margin_that_unseen_clusters_allow(clusters: int) -> None:
    """With up to 182 clusters, 2 % of all clusters may be lost and unseen in 2.5 % of runs."""
    same = compared([(1.0, 1.0, number) for number in range(clusters)], margin=0.02)
    unseen = 1 - certain_share(clusters)
    if clusters < 5:
        assert (same.difference.low, same.detectable) == (None, None)
    else:
        assert same.difference.low == pytest.approx(-unseen, abs=2.5e-3)
    if abs(unseen - 0.02) > 1e-3:
        shown = clusters > 184
        assert same.verdict is (Verdict.UNCHANGED if shown else Verdict.INCONCLUSIVE)
        assert non_inferiority(same, 0.02) == ("holds" if shown else "inconclusive")


def test_one_pair_that_differs_a_little_shows_no_more_than_none() -> None:
    pairs = [(0.5, 0.5 + 0.01 * (number == 0), number) for number in range(60)]
    found = compared(pairs)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.difference.low == pytest.approx(-0.06, abs=1e-3)
    assert found.difference.high == pytest.approx(0.06, abs=1e-3)


@given(PAIRS)
def test_verdict_and_p_value_and_interval_agree(pairs: Pairs) -> None:
    found = compared(pairs)
    low, high = found.difference.low, found.difference.high
    if low is None or high is None:
        assert found.verdict is Verdict.INCONCLUSIVE
        return
    differs = found.verdict in (Verdict.IMPROVED, Verdict.REGRESSED)
    assert differs == (found.p_value <= 0.05)
    if abs(found.p_value - 0.05) > 1e-6:
        assert differs == (low > 0 or high < 0)


def test_few_losses_are_no_regression_beside_a_p_value_that_says_so() -> None:
    names = [str(number) for number in range(15)]
    found = paired([1.0] * 15, [0.0] * 4 + [1.0] * 11, names)
    assert (found.losses, found.wins, found.ties) == (4, 0, 11)
    assert found.p_value == pytest.approx(0.125, abs=4e-3)
    assert found.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("lost", range(1, 12))
@pytest.mark.parametrize("won", [0, 1, 4])
def test_the_p_value_of_whole_wins_and_losses_is_that_of_the_sign_test(lost: int, won: int) -> None:
    pairs = [(1.0, 0.0, number) for number in range(lost)]
    pairs += [(0.0, 1.0, lost + number) for number in range(won)]
    pairs += [(1.0, 1.0, 100 + number) for number in range(20)]
    exact = binomtest(lost, lost + won, alternative="two-sided").pvalue
    assert compared(pairs).p_value == pytest.approx(exact, rel=0.04)


def test_verdicts_of_slices_are_corrected_for_their_number() -> None:
    losing = compared([(1.0, float(number >= 7), number) for number in range(40)])
    steady = compared([(1.0, 1.0, number) for number in range(40)])
    assert losing.verdict is Verdict.REGRESSED
    assert losing.p_value < 0.05
    alone, *_ = corrected([losing])
    assert (alone.verdict, alone.p_holm) == (Verdict.REGRESSED, losing.p_value)
    one_of_ten, *others = corrected([losing, *[steady] * 9])
    assert one_of_ten.p_holm == pytest.approx(10 * losing.p_value)
    assert one_of_ten.verdict is Verdict.INCONCLUSIVE
    assert {each.p_holm for each in others} == {1.0}
    assert non_inferiority(one_of_ten, 0.01) == "inconclusive"


def test_pairs_that_cancel_out_within_each_molecule_are_no_certainty() -> None:
    found = compared([(float(number % 2), float(1 - number % 2), number // 2) for number in range(12)])
    assert (found.difference.value, found.wins, found.losses) == (0, 6, 6)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.difference.high == pytest.approx(1 - certain_share(6), abs=3e-3)


@given(PAIRS)
def test_the_other_way_round_everything_is_the_other_way_round(pairs: Pairs) -> None:
    there, back = compared(pairs), compared([(b, a, name) for a, b, name in pairs])
    assert (back.wins, back.losses, back.ties) == (there.losses, there.wins, there.ties)
    assert back.p_value == pytest.approx(there.p_value)
    assert back.difference.value == pytest.approx(-there.difference.value)  # type: ignore[operator]
    turned = {Verdict.IMPROVED: Verdict.REGRESSED, Verdict.REGRESSED: Verdict.IMPROVED}
    assert back.verdict == turned.get(there.verdict, there.verdict)
    if there.difference.low is not None and there.difference.high is not None:
        expected = (-there.difference.high, -there.difference.low)
        assert (back.difference.low, back.difference.high) == pytest.approx(expected, abs=1e-6)


@given(PAIRS, st.sampled_from([0.25, 0.5, -0.25]))
def test_what_both_gain_is_no_difference(pairs: Pairs, gain: float) -> None:
    moved = compared([(a + gain, b + gain, name) for a, b, name in pairs])
    still = compared(pairs)
    assert moved.difference == still.difference
    assert (moved.p_value, moved.wins, moved.losses) == (still.p_value, still.wins, still.losses)


def test_pairs_are_wanted() -> None:
    with pytest.raises(ValueError, match="0, 0, 0"):
        paired([], [], [])
    with pytest.raises(ValueError, match="2, 1, 2"):
        paired([1, 0], [1], ["a", "b"])


P_VALUES = st.lists(st.floats(0, 1), max_size=20)


@given(P_VALUES)
def test_corrected_p_values_are_larger_and_in_the_same_order(p_values: list[float]) -> None:
    corrected = holm(p_values)
    assert all(0 <= raw <= after <= 1 for raw, after in zip(p_values, corrected, strict=True))
    by_raw = [after for _, after in sorted(zip(p_values, corrected, strict=True))]
    assert by_raw == sorted(by_raw)
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    if p_values:
        assert min(corrected) == min(1, len(p_values) * min(p_values))


@pytest.mark.parametrize(
    ("value", "p_value", "low", "high", "found", "held"),
    [
        (0.005, 0.01, 0.001, 0.01, Verdict.IMPROVED, "holds"),  # within the margin, and sure
        (0.01, 0.06, 0.0, 0.02, Verdict.UNCHANGED, "holds"),
        (0.0, 1.0, -0.02, 0.02, Verdict.UNCHANGED, "inconclusive"),
        (0.01, 0.5, -0.015, 0.03, Verdict.INCONCLUSIVE, "holds"),
        (0.0, 1.0, -0.03, 0.03, Verdict.INCONCLUSIVE, "inconclusive"),
        (-0.008, 0.04, -0.015, -0.001, Verdict.REGRESSED, "holds"),  # surely a loss, surely a small one
        (-0.02, 0.01, -0.03, -0.01, Verdict.REGRESSED, "inconclusive"),
        (-0.04, 0.001, -0.05, -0.03, Verdict.REGRESSED, "regressed"),
        (-0.04, 0.06, -0.05, -0.03, Verdict.INCONCLUSIVE, "inconclusive"),  # a slice, corrected
        (-0.5, 0.001, None, None, Verdict.INCONCLUSIVE, "inconclusive"),
    ],
)
def test_a_verdict_is_the_first_that_fits(
    value: float, p_value: float, low: float | None, high: float | None, found: Verdict, held: str
) -> None:
    difference = Estimate(value, low, high, 100, 50)
    assert verdict(difference, p_value, 0.02) is found
    pairs = replace(compared([(1.0, 0.0, 1)]), difference=difference, verdict=found)
    assert non_inferiority(pairs, 0.02) == held
    assert (
        non_inferiority(replace(pairs, difference=Estimate(0.0, -0.01, 0.0, 100, 50)), 0.0) == "inconclusive"
    )
