"""Means, their intervals, paired comparisons, p-values and verdicts."""

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap
from support.simulated import Simulated

from retrocypher.plugins.statistics.intervals import Clusters, Estimate, Resampler
from retrocypher.plugins.statistics.means import Ratio, Ratios, certain_share, mean_of
from retrocypher.plugins.statistics.paired import (
    PairedComparison,
    Verdict,
    holm,
    non_inferiority,
    paired,
    sign_flip_p,
    verdict,
)

QUICK = Resampler(400)
SCORES = st.one_of(st.sampled_from([0.0, 0.5, 1.0, 2 / 3]), st.floats(0, 1, allow_subnormal=False))
Cases = list[tuple[float, int]]
CASES = st.lists(st.tuples(SCORES, st.integers(0, 11)), min_size=1, max_size=60)


def estimate_of(cases: Cases, resampler: Resampler = QUICK) -> Estimate:
    return mean_of([score for score, _ in cases], [f"t{number}" for _, number in cases], resampler)


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
        assert turned.low == pytest.approx(1 - straight.high, abs=0.02)
        assert turned.high == pytest.approx(1 - straight.low, abs=0.02)


def test_a_seed_gives_the_same_ends_and_another_one_nearly() -> None:
    simulated = Simulated(100, 0.7, 1)
    scores, names = simulated.scores()[:, 0], simulated.clusters
    first, again, other = (mean_of(scores, names, Resampler(seed=seed)) for seed in (1, 1, 2))
    assert first == again != other
    assert set(Resampler(100).weights(7).sum(axis=1)) == {7.0}
    assert (other.low, other.high) == pytest.approx((first.low, first.high), abs=0.01)


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
    assert perfect.low == pytest.approx(0.9404, abs=1e-4)
    assert perfect.low == certain_share(60)
    assert perfect.low**60 == pytest.approx(0.025)
    nothing = mean_of([0.0] * 60, [f"t{number}" for number in range(60)])
    assert (nothing.value, nothing.low, nothing.high) == (0.0, 0.0, 1 - certain_share(60))
    half = mean_of([0.5] * 60, [f"t{number}" for number in range(60)])
    assert (half.value, half.low, half.high) == pytest.approx((0.5, 0.4702, 0.5298), abs=1e-4)


def test_four_molecules_make_no_interval_and_no_case_no_mean() -> None:
    assert mean_of([1.0, 0.0, 1.0, 1.0], list("abcd")) == Estimate(0.75, None, None, 4, 4)
    assert mean_of([], []) == Estimate(None, None, None, 0, 0)


def test_of_many_molecules_the_ends_are_those_of_scipy() -> None:
    simulated = Simulated(500, 0.8, 1)
    scores, clusters = simulated.scores()[:, 0], Clusters(simulated.clusters)
    ours = mean_of(scores, simulated.clusters)
    theirs = bootstrap(
        (clusters.sums(scores), simulated.counts.astype(float)),
        lambda sums, counts, axis=-1: sums.sum(axis=axis) / counts.sum(axis=axis),
        paired=True,
        method="BCa",
        n_resamples=5_000,
        rng=np.random.default_rng(0),
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.003)


@pytest.mark.parametrize("hits", [0, 14])
def test_a_rate_of_none_or_all_is_no_certainty(hits: int) -> None:
    names = [str(number) for number in range(20)]
    within = [number < 14 for number in range(20)]
    rate = Ratios(names).rate([float(number < hits) for number in range(20)], within)
    share = 0.025 ** (1 / 14)
    expected = (0.0, 1 - share) if hits == 0 else (share, 1.0)
    assert (rate.value, rate.of) == (hits / 14, 14)
    assert (rate.low, rate.high) == pytest.approx(expected)


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
    assert still == Ratio(0.0, 0.0, 0.0, of=20)
    more = ratios.gain([1.0] * 6 + [0.0] * 14, [True] * 6 + [False] * 14)
    assert (more.value, more.high, more.of) == (1.0, 1.0, 6)
    assert more.low == pytest.approx(2 * 0.025 ** (1 / 6) - 1)
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
    return paired(a, b, [f"t{number}" for number in names], **{"resampler": QUICK, **options})


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
    assert found.detectable is None
    if found.difference.has_interval:
        assert (found.difference.low, found.difference.high) == (0, 0)
        assert found.verdict is Verdict.UNCHANGED
        assert non_inferiority(found.difference, 0.0) == "holds"
    else:
        assert found.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("pairs", range(1, 21))
def test_few_pairs_without_spread_are_no_certainty(pairs: int) -> None:
    same = compared([(1.0, 1.0, number) for number in range(pairs)], margin=0.02)
    assert same.unseen == pytest.approx(1 - 0.025 ** (1 / pairs))
    assert same.verdict is (Verdict.UNCHANGED if pairs >= 5 else Verdict.INCONCLUSIVE)
    assert non_inferiority(same.difference) == ("holds" if pairs >= 5 else "inconclusive")
    # A loss or gain of all, however small, is reported with what other questions may do.
    for change in (-1.0, -0.01, 0.01, 1.0):
        before = 1.0 if change < 0 else 0.0
        moved = compared([(before, before + change, number) for number in range(pairs)], margin=0.02)
        assert (moved.unseen, moved.detectable) == (None, None)
        if pairs < 5:
            assert moved.verdict is Verdict.INCONCLUSIVE
        elif abs(change) == 1:
            # As the exact test says: 2 of 2^5 patterns of signs are no 5 %, 2 of 2^6 are.
            assert (moved.verdict is not Verdict.INCONCLUSIVE) == (moved.p_value < 0.05) == (pairs >= 6)
        else:
            assert moved.verdict is Verdict.INCONCLUSIVE
            assert non_inferiority(moved.difference) == "inconclusive"


def test_pairs_that_cancel_out_within_each_molecule_are_no_certainty() -> None:
    found = compared([(float(number % 2), float(1 - number % 2), number // 2) for number in range(12)])
    assert (found.difference.value, found.wins, found.losses) == (0, 6, 6)
    assert found.verdict is Verdict.INCONCLUSIVE
    assert found.difference.high == pytest.approx(1 - 0.025 ** (1 / 6))
    assert found.detectable is None


@given(PAIRS)
def test_the_other_way_round_everything_is_the_other_way_round(pairs: Pairs) -> None:
    there, back = compared(pairs), compared([(b, a, name) for a, b, name in pairs])
    assert (back.wins, back.losses, back.ties) == (there.losses, there.wins, there.ties)
    assert back.p_value == there.p_value
    assert back.difference.value == pytest.approx(-there.difference.value)  # type: ignore[operator]
    turned = {Verdict.IMPROVED: Verdict.REGRESSED, Verdict.REGRESSED: Verdict.IMPROVED}
    assert back.verdict == turned.get(there.verdict, there.verdict)
    if there.difference.low is not None and there.difference.high is not None:
        expected = (-there.difference.high, -there.difference.low)
        assert (back.difference.low, back.difference.high) == pytest.approx(expected)


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


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.3, 1.0]), min_size=1, max_size=8))
def test_the_exact_p_value_is_the_share_of_all_patterns(sums: list[float]) -> None:
    reached = [
        abs(sum(sign * each for sign, each in zip(signs, sums, strict=True))) >= abs(sum(sums)) - 1e-9
        for signs in product((-1, 1), repeat=len(sums))
    ]
    assert sign_flip_p(np.array(sums)) == pytest.approx(np.mean(reached))
    # Six that all gain: of 64 ways to turn signs, two are as far from 0.
    assert sign_flip_p(np.ones(6)) == 2 / 64


def test_drawn_p_values_are_near_the_exact_ones_never_0_and_repeat_by_seed() -> None:
    sums = np.array([1.0] * 12 + [-1.0] * 3)
    # 15 coins: both tails with at most three of one side.
    exact = 2 * (1 + 15 + 105 + 455) / 2**15
    assert sign_flip_p(sums) == pytest.approx(exact, abs=0.006)
    assert sign_flip_p(sums, seed=3) == sign_flip_p(sums, seed=3)
    assert sign_flip_p(np.ones(200)) == 1 / 10_000


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
    ("low", "high", "found", "held"),
    [
        (0.001, 0.01, Verdict.IMPROVED, "holds"),  # within the margin, and sure
        (0.0, 0.02, Verdict.UNCHANGED, "holds"),
        (-0.019, 0.02, Verdict.UNCHANGED, "holds"),
        (-0.02, 0.02, Verdict.UNCHANGED, "inconclusive"),
        (-0.015, 0.03, Verdict.INCONCLUSIVE, "holds"),
        (-0.03, 0.03, Verdict.INCONCLUSIVE, "inconclusive"),
        (-0.015, -0.001, Verdict.REGRESSED, "holds"),  # surely a loss, surely a small one
        (-0.03, -0.01, Verdict.REGRESSED, "inconclusive"),
        (-0.05, -0.03, Verdict.REGRESSED, "regressed"),
        (None, None, Verdict.INCONCLUSIVE, "inconclusive"),
    ],
)
def test_a_verdict_is_the_first_that_fits(
    low: float | None, high: float | None, found: Verdict, held: str
) -> None:
    difference = Estimate(0.0, low, high, 100, 50)
    assert verdict(difference, 0.02) is found
    assert non_inferiority(difference, 0.02) == held
    assert non_inferiority(Estimate(0.0, -0.01, 0.0, 100, 50), 0.0) == "inconclusive"
