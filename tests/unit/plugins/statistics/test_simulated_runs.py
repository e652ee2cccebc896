"""Coverage of intervals, false alarms and power over a thousand runs with a known mean.

Figures show with ``-s``. ``python -m retrocypher.benchmarks.instruments intervals`` measures more of them.
"""

import numpy as np
import pytest
from support.simulated import Floats, Simulated

from retrocypher.plugins.statistics.bounded import BoundedMeans
from retrocypher.plugins.statistics.intervals import Clusters
from retrocypher.plugins.statistics.means import mean_intervals
from retrocypher.plugins.statistics.paired import detectable, paired, standard_error

RUNS = 1_000
LEAST = 0.93
"""The coverage that docs/compare-and-gate.md promises."""


def differences(before: Floats, after: Floats, clusters: Clusters) -> BoundedMeans:
    counts = clusters.sums(np.ones(len(before)))
    return BoundedMeans(clusters.sums(after - before), counts, -1, 1)


@pytest.mark.parametrize("partial", [False, True])
@pytest.mark.parametrize(
    ("molecules", "mean"),
    [(10, 0.6), (20, 0.5), (20, 0.95), (50, 0.8), (50, 0.98), (200, 0.6), (200, 0.995), (700, 0.95)],
)
def test_intervals_hold_the_true_mean(molecules: int, mean: float, partial: bool) -> None:
    simulated = Simulated(molecules, mean, RUNS, seed=molecules)
    scores = simulated.partial_scores() if partial else simulated.scores()
    _, low, high = mean_intervals(scores, Clusters(simulated.clusters))
    assert low is not None
    assert high is not None
    share, width = np.mean((low <= mean) & (mean <= high)), np.mean(high - low)
    print(f"mean {mean}, {molecules} molecules, partial {partial}: {share:.1%} covered, {width:.3f} wide")
    assert share >= LEAST


@pytest.mark.parametrize("molecules", [20, 60, 300])
@pytest.mark.parametrize("lost", [0.01, 0.03])
@pytest.mark.parametrize("turned", [False, True])
def test_rare_molecules_that_lose_all_are_allowed_for(molecules: int, lost: float, turned: bool) -> None:
    """Most scores are 1, some 0.95, and a share of molecules has 0; or the other way round."""
    simulated, draw = Simulated(molecules, 0.5, 1, seed=molecules), np.random.default_rng(molecules)
    scores = 1 - 0.05 * (draw.random((len(simulated.clusters), RUNS)) < 0.2)
    scores = np.where((draw.random((molecules, RUNS)) < lost)[simulated.clusters], 0, scores)
    mean = (1 - lost) * 0.99
    if turned:
        scores, mean = 1 - scores, 1 - mean
    _, low, high = mean_intervals(scores, Clusters(simulated.clusters))
    assert low is not None
    assert high is not None
    assert np.mean((low <= mean) & (mean <= high)) >= LEAST


@pytest.mark.parametrize("molecules", [20, 60, 300])
@pytest.mark.parametrize(("share", "loss"), [(0.02, 1.0), (0.04, 0.5), (0.2, 0.1)])
def test_a_loss_of_the_margin_rarely_holds(molecules: int, share: float, loss: float) -> None:
    simulated, draw = Simulated(molecules, 0.5, 1, seed=molecules), np.random.default_rng(molecules)
    gains = -loss * (draw.random((molecules, RUNS)) < share)[simulated.clusters]
    low, _ = differences(np.zeros_like(gains), gains, Clusters(simulated.clusters)).ends()
    holds = np.mean(low > -share * loss)
    print(f"{molecules} molecules, {share:.0%} lose {loss}: holds in {holds:.1%}")
    # 2.5 % plus two standard errors of a share of 1,000 runs.
    assert holds <= 0.035


@pytest.mark.parametrize("molecules", [20, 50, 200, 700])
@pytest.mark.parametrize("mean", [0.6, 0.95])
def test_of_a_hundred_equal_pairs_at_most_five_seem_to_differ(molecules: int, mean: float) -> None:
    simulated = Simulated(molecules, mean, RUNS, seed=7 * molecules)
    found = differences(simulated.scores(), simulated.scores(), Clusters(simulated.clusters))
    low, high = found.ends()
    share, held = np.mean(found.p_values() <= 0.05), np.mean((low <= 0) & (high >= 0))
    print(f"A/A, mean {mean}, {molecules} molecules: p <= 0.05 in {share:.1%}, held in {held:.1%}")
    # The bound is 5 % plus two standard errors of a share of 1,000 runs.
    assert share <= 0.064
    assert held >= 1 - 0.064


def test_power_grows_with_the_difference_and_is_80_percent_at_the_one_stated() -> None:
    molecules, shares = 200, (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
    seen, smallest = [], []
    print(f"\npower, {molecules} molecules, mean 0.6 before:")
    for share in shares:
        simulated = Simulated(molecules, 0.6, RUNS, seed=11)
        clusters = Clusters(simulated.clusters)
        before, (after, true) = simulated.scores(), simulated.better(share)
        found = differences(before, after, clusters)
        low, high = found.ends()
        power, right = np.mean(low > 0), np.mean((low <= true) & (true <= high))
        sums, counts = clusters.sums(after - before), clusters.sums(np.ones(len(after)))
        effective = found.effective_clusters
        least = np.mean([detectable(standard_error(each, counts), molecules, effective) for each in sums.T])
        assert right >= LEAST
        seen.append((true, float(power)))
        smallest.append(float(least))
        print(f"  difference {true:.3f}: improved in {power:6.1%} of runs, covered in {right:.1%}")
    powers = [power for _, power in seen]
    assert powers == sorted(powers)
    assert powers[0] <= 0.05
    at = float(np.interp(np.mean(smallest), [true for true, _ in seen], powers))
    print(f"  at the detectable difference of {np.mean(smallest):.3f}: {at:.1%}")
    assert at == pytest.approx(0.8, abs=0.07)


def test_a_single_comparison_is_one_of_many() -> None:
    simulated = Simulated(50, 0.6, 3, seed=2)
    before, after = simulated.scores(), simulated.scores()
    low, high = differences(before, after, Clusters(simulated.clusters)).ends()
    one = paired(before[:, 1], after[:, 1], simulated.clusters)
    assert (one.difference.low, one.difference.high) == pytest.approx((low[1], high[1]))
