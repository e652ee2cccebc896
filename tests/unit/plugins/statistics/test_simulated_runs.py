"""Coverage of intervals, false alarms and power over a thousand runs with a known mean.

Figures show with ``-s``.
"""

import numpy as np
import pytest
from support.simulated import Simulated

from retrocypher.plugins.statistics.intervals import Clusters, Estimate, Floats, Resampler
from retrocypher.plugins.statistics.means import mean_intervals
from retrocypher.plugins.statistics.paired import (
    Verdict,
    detectable,
    difference_intervals,
    non_inferiority,
    paired,
    sign_flip_p,
    standard_error,
    verdict,
)

RUNS = 1_000


def differences(before: Floats, after: Floats, clusters: Clusters) -> list[Estimate]:
    gains = after - before
    counts = clusters.sums(np.ones(len(gains)))
    values, low, high = difference_intervals(clusters.sums(gains), counts, Resampler(), ~gains.any(axis=0))
    assert low is not None
    assert high is not None
    return [
        Estimate(float(value), float(least), float(most), len(gains), clusters.count)
        for value, least, most in zip(values, low, high, strict=True)
    ]


NEXT_TO_PERFECT = [(20, 0.95), (50, 0.98), (200, 0.995)]
FEW = [(10, 0.6), (20, 0.5), (20, 0.6)]
MANY = [(50, 0.6), (50, 0.8), (200, 0.6), (200, 0.9), (700, 0.6), (700, 0.95)]


@pytest.mark.parametrize(
    ("molecules", "mean", "partial", "least", "most"),
    [
        *((*case, partial, 0.93, 0.97) for case in MANY for partial in (False, True)),
        *((*case, partial, 0.92, 0.98) for case in FEW for partial in (False, True)),
        *((*case, False, 0.95, 1.0) for case in NEXT_TO_PERFECT),
    ],
)
def test_intervals_hold_the_true_mean_in_95_of_100_runs(
    molecules: int, mean: float, partial: bool, least: float, most: float
) -> None:
    simulated = Simulated(molecules, mean, RUNS, seed=molecules)
    scores = simulated.partial_scores() if partial else simulated.scores()
    _, low, high = mean_intervals(scores, Clusters(simulated.clusters))
    assert low is not None
    assert high is not None
    share, width = np.mean((low <= mean) & (mean <= high)), np.mean(high - low)
    print(f"mean {mean}, {molecules} molecules, partial {partial}: {share:.1%} covered, {width:.3f} wide")
    assert least <= share <= most


@pytest.mark.parametrize("molecules", [20, 50, 200, 700])
@pytest.mark.parametrize("mean", [0.6, 0.95])
def test_of_a_hundred_equal_pairs_at_most_five_seem_to_differ(molecules: int, mean: float) -> None:
    simulated = Simulated(molecules, mean, RUNS, seed=7 * molecules)
    found = differences(simulated.scores(), simulated.scores(), Clusters(simulated.clusters))
    verdicts = [verdict(each) for each in found]
    shares = {name.value: verdicts.count(name) / RUNS for name in Verdict}
    alarms = {margin: [non_inferiority(each, margin) for each in found] for margin in (0, 0.02)}
    false = {margin: held.count("regressed") / RUNS for margin, held in alarms.items()}
    holds = alarms[0.02].count("holds") / RUNS
    print(f"A/A, mean {mean}, {molecules} molecules: {shares}, regressed {false}, holds at 0.02 {holds}")
    assert max(false.values()) <= 0.05
    # The bound is 5 % plus two standard errors of a share of 1,000 runs.
    assert shares["improved"] + shares["regressed"] <= 0.064
    assert np.mean([each.low <= 0 <= each.high for each in found]) >= 0.93  # type: ignore[operator]


def test_of_a_hundred_equal_pairs_at_most_five_have_a_p_value_under_5_percent() -> None:
    runs = 400
    simulated = Simulated(60, 0.6, runs, seed=5)
    clusters = Clusters(simulated.clusters)
    sums = clusters.sums(simulated.scores() - simulated.scores())
    share = np.mean([sign_flip_p(column) <= 0.05 for column in sums.T])
    print(f"A/A, 60 molecules: p <= 0.05 in {share:.1%} of {runs}")
    assert share <= 0.05 + 2 * (0.05 * 0.95 / runs) ** 0.5


def test_power_grows_with_the_difference_and_is_80_percent_at_the_one_told() -> None:
    molecules, shares = 200, (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
    seen, smallest = [], []
    print(f"\npower, {molecules} molecules, mean 0.6 before:")
    for share in shares:
        simulated = Simulated(molecules, 0.6, RUNS, seed=11)
        clusters = Clusters(simulated.clusters)
        before, (after, true) = simulated.scores(), simulated.better(share)
        found = differences(before, after, clusters)
        power = sum(verdict(each) is Verdict.IMPROVED for each in found) / RUNS
        sums, counts = clusters.sums(after - before), clusters.sums(np.ones(len(after)))
        least = np.mean([detectable(standard_error(each, counts), molecules) for each in sums.T])
        right = np.mean([each.low <= true <= each.high for each in found])  # type: ignore[operator]
        assert 0.93 <= right <= 0.97
        seen.append((true, power))
        smallest.append(float(least))
        print(f"  difference {true:.3f}: improved in {power:6.1%} of runs, covered in {right:.1%}")
    powers = [power for _, power in seen]
    assert powers == sorted(powers)
    assert powers[0] <= 0.05
    at = float(np.interp(np.mean(smallest), [true for true, _ in seen], powers))
    print(f"  at the detectable difference of {np.mean(smallest):.3f}: {at:.1%}")
    assert at == pytest.approx(0.8, abs=0.05)


def test_a_single_comparison_is_one_of_many() -> None:
    simulated = Simulated(50, 0.6, 3, seed=2)
    before, after = simulated.scores(), simulated.scores()
    many = differences(before, after, Clusters(simulated.clusters))
    one = paired(before[:, 1], after[:, 1], simulated.clusters)
    assert one.difference.value == pytest.approx(many[1].value)
    assert (one.difference.low, one.difference.high) == pytest.approx((many[1].low, many[1].high))
