"""Means and their intervals."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap
from support.simulated import Simulated

from retrocypher.plugins.statistics.intervals import Clusters, Estimate, Resampler
from retrocypher.plugins.statistics.means import Ratio, Ratios, certain_share, mean_of

QUICK = Resampler(400)
SCORES = st.one_of(st.sampled_from([0.0, 0.5, 1.0, 2 / 3]), st.floats(0, 1, allow_subnormal=False))
Cases = list[tuple[float, int]]
CASES = st.lists(st.tuples(SCORES, st.integers(0, 11)), min_size=1, max_size=60)


def told(cases: Cases, resampler: Resampler = QUICK) -> Estimate:
    return mean_of([score for score, _ in cases], [f"t{number}" for _, number in cases], resampler)


@given(CASES, st.randoms())
def test_a_mean_lies_in_its_interval_in_any_order(cases: Cases, random: Any) -> None:
    estimate = told(cases)
    assert told(random.sample(cases, len(cases))) == estimate
    assert estimate.value == pytest.approx(np.mean([score for score, _ in cases]))
    assert (estimate.n, estimate.clusters) == (len(cases), len({number for _, number in cases}))
    assert estimate.has_interval == (estimate.clusters >= 5)
    if estimate.low is not None and estimate.high is not None and estimate.value is not None:
        assert -1e-12 <= estimate.low <= estimate.value <= estimate.high <= 1 + 1e-12


@given(CASES)
def test_a_mean_turned_over_has_its_interval_turned_over(cases: Cases) -> None:
    straight, turned = told(cases), told([(1 - score, number) for score, number in cases])
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
