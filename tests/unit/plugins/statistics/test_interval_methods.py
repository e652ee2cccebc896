"""The columns of docs/decisions/0013-clustered-bootstrap.md that the suite can compute, measured again.

Figures show with ``-s``.
"""

from collections.abc import Mapping

import numpy as np
import pytest
from support.simulated import Simulated
from support.suite import CHECKOUT

from retrocypher.plugins.statistics.intervals import (
    Clusters,
    Floats,
    Resampler,
    expanded_bca,
    expanded_percentile,
)
from retrocypher.plugins.statistics.means import certain_share

PAGE = CHECKOUT / "docs" / "decisions" / "0013-clustered-bootstrap.md"
RUNS = 500


def covered(sums: Floats, counts: Floats, truth: float) -> dict[str, float]:
    """Return the share of runs whose interval holds the truth, by method.

    Args:
        sums: The sum of the scores of each molecule, of shape (molecules, runs).
        counts: How many questions each molecule has.
        truth: The true mean.
    """
    molecules, n = len(counts), counts.sum()
    weights = Resampler(1_000).weights(molecules).astype(np.float64)
    value = sums.sum(axis=0) / n
    resampled = weights @ sums / (weights @ counts)[:, None]
    left_out = (sums.sum(axis=0) - sums) / (n - counts)[:, None]
    intervals = {
        "percentile": np.quantile(resampled, (0.025, 0.975), axis=0),
        "expanded percentile": expanded_percentile(resampled, molecules),
        "expanded BCa": expanded_bca(value, resampled, left_out, molecules),
    }
    return {name: float(np.mean((low <= truth) & (truth <= high))) for name, (low, high) in intervals.items()}


def of_means(mean: float, molecules: int) -> dict[str, float]:
    simulated = Simulated(molecules, mean, RUNS, seed=molecules)
    clusters = Clusters(simulated.clusters)
    scores = simulated.scores()
    # Runs of equal scores have the interval of Clopper and Pearson, whatever the method; here it holds.
    varied = scores[:, scores.min(axis=0) < scores.max(axis=0)]
    equal = 1 - varied.shape[1] / RUNS
    assert equal == 0 or certain_share(molecules) <= mean
    shares = covered(clusters.sums(varied), clusters.sums(np.ones(len(varied))), mean)
    return {name: equal + (1 - equal) * share for name, share in shares.items()}


def of_no_difference(changes: int) -> dict[str, float]:
    """Runs that do not differ, but for some molecules that changed by chance to one side or the other."""
    draw = np.random.default_rng(changes)
    changed = draw.random((200, RUNS)) < changes / 200
    sums = np.where(changed, draw.choice((-1.0, 1.0), changed.shape), 0.0)
    return covered(sums, np.ones(200), 0.0)


@pytest.fixture(scope="module")
def measured() -> dict[str, dict[str, float]]:
    rows = {"mean 0.7, 10 molecules": of_means(0.7, 10)}
    rows |= {f"mean 0.95, {count} molecules": of_means(0.95, count) for count in (30, 50, 100)}
    return rows | {f"no difference, {n} changes in 200 molecules": of_no_difference(n) for n in (6, 40)}


def test_the_table_of_the_page_is_what_is_measured(measured: Mapping[str, Mapping[str, float]]) -> None:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    header, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    shown = {name: dict(zip(header[1:], cells, strict=True)) for name, *cells in rows}
    assert set(shown) == set(measured)
    for name, shares in measured.items():
        print(name, {method: f"{share:.1%}" for method, share in shares.items()})
        for method, share in shares.items():
            # Three standard errors of a share of 500.
            assert share == pytest.approx(float(shown[name][method]) / 100, abs=0.03), (name, method)


def test_what_the_choice_rests_on(measured: Mapping[str, Mapping[str, float]]) -> None:
    few = measured["mean 0.7, 10 molecules"]
    assert abs(few["expanded BCa"] - 0.95) < abs(few["percentile"] - 0.95)
    alike = measured["no difference, 6 changes in 200 molecules"]
    assert 1 - alike["expanded BCa"] > 1.5 * (1 - alike["expanded percentile"])
