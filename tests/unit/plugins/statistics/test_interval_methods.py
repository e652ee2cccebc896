"""The table of docs/decisions/0013-clustered-bootstrap.md, measured again. Figures show with ``-s``."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr, ndtri, stdtrit
from support.simulated import Simulated

from retrocypher.plugins.statistics.intervals import (
    Clusters,
    Floats,
    Resampler,
    expanded_bca,
    expanded_percentile,
)
from retrocypher.plugins.statistics.means import certain_share

PAGE = Path(__file__).parents[4] / "docs" / "decisions" / "0013-clustered-bootstrap.md"
RUNS = 500
METHODS = ("percentile", "BCa", "expanded percentile", "expanded BCa", "t, robust SE", "bootstrap-t")
Ends = tuple[Floats, Floats]


def intervals(sums: Floats, counts: Floats, lowest: float) -> dict[str, Ends]:
    """Return the interval of each method, for several runs at once.

    Args:
        sums: The sum of the scores of each molecule, of shape (molecules, runs).
        counts: How many questions each molecule has.
        lowest: The lowest that a score, or a difference, can be.
    """
    m, n = len(counts), counts.sum()
    weights = Resampler(1_000).weights(m).astype(np.float64)
    value = sums.sum(axis=0) / n
    drawn = (weights @ counts)[:, None]
    resampled = weights @ sums / drawn
    left_out = (sums.sum(axis=0) - sums) / (n - counts)[:, None]
    error = np.sqrt(m / (m - 1) * np.sum((sums - counts[:, None] * value) ** 2, axis=0)) / n
    strays = (
        weights @ sums**2
        - 2 * resampled * (weights @ (sums * counts[:, None]))
        + resampled**2 * (weights @ counts**2)[:, None]
    )
    own = np.sqrt(m / (m - 1) * np.maximum(strays, 0)) / drawn
    # In a resample without an error the spread is 0, and the ratio as large as can be.
    ratio = (resampled - value) / np.maximum(own, 1e-12)
    reach = float(stdtrit(m - 1, 0.975))
    return {
        "percentile": tuple(np.quantile(resampled, (0.025, 0.975), axis=0)),
        "BCa": plain_bca(value, resampled, left_out),
        "expanded percentile": expanded_percentile(resampled, m),
        "expanded BCa": expanded_bca(value, resampled, left_out, m),
        "t, robust SE": (value - reach * error, value + reach * error),
        "bootstrap-t": (
            np.clip(value - np.quantile(ratio, 0.975, axis=0) * error, lowest, 1),
            np.clip(value - np.quantile(ratio, 0.025, axis=0) * error, lowest, 1),
        ),
    }


def plain_bca(value: Floats, resampled: Floats, left_out: Floats) -> Ends:
    below = np.mean(resampled < value - 1e-12, axis=0) + np.mean(abs(resampled - value) <= 1e-12, axis=0) / 2
    bias = ndtri(np.clip(below, 1e-3, 1 - 1e-3))
    pulls = left_out.mean(axis=0) - left_out
    spread = np.sum(pulls**2, axis=0) ** 1.5
    bend = np.sum(pulls**3, axis=0) / np.where(spread > 0, 6 * spread, 1)
    shares = [ndtr(bias + (bias + z) / (1 - bend * (bias + z))) for z in (-1.96, 1.96)]
    low, high = (
        np.asarray([np.quantile(column, each) for column, each in zip(resampled.T, share, strict=True)])
        for share in shares
    )
    return low, high


def covered(sums: Floats, counts: Floats, truth: float, lowest: float) -> dict[str, float]:
    found = intervals(sums, counts, lowest)
    return {name: float(np.mean((low <= truth) & (truth <= high))) for name, (low, high) in found.items()}


def of_means(mean: float, molecules: int) -> dict[str, float]:
    simulated = Simulated(molecules, mean, RUNS, seed=molecules)
    clusters = Clusters(simulated.clusters)
    scores = simulated.scores()
    # Runs of equal scores have the interval of Clopper and Pearson, whatever the method; here it holds.
    told = scores[:, scores.min(axis=0) < scores.max(axis=0)]
    equal = 1 - told.shape[1] / RUNS
    assert equal == 0 or certain_share(molecules) <= mean
    shares = covered(clusters.sums(told), clusters.sums(np.ones(len(told))), mean, 0)
    return {name: equal + (1 - equal) * share for name, share in shares.items()}


def of_no_difference(changes: int) -> dict[str, float]:
    """Runs that do not differ, but for some molecules that changed by chance to one side or the other."""
    draw = np.random.default_rng(changes)
    changed = draw.random((200, RUNS)) < changes / 200
    sums = np.where(changed, draw.choice((-1.0, 1.0), changed.shape), 0.0)
    return covered(sums, np.ones(200), 0.0, -1)


ROWS = {
    "mean 0.7, 10 molecules": lambda: of_means(0.7, 10),
    "mean 0.95, 30 molecules": lambda: of_means(0.95, 30),
    "mean 0.95, 50 molecules": lambda: of_means(0.95, 50),
    "mean 0.95, 100 molecules": lambda: of_means(0.95, 100),
    "no difference, 6 changes in 200 molecules": lambda: of_no_difference(6),
    "no difference, 40 changes in 200 molecules": lambda: of_no_difference(40),
}


@pytest.fixture(scope="module")
def measured() -> dict[str, dict[str, float]]:
    return {name: measure() for name, measure in ROWS.items()}


def test_the_table_of_the_page_is_what_is_measured(measured: Mapping[str, Mapping[str, float]]) -> None:
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    header, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    assert tuple(header[1:]) == METHODS
    told = {name: cells for name, *cells in rows}
    for name, shares in measured.items():
        print(f"| {name} | {' | '.join(f'{shares[method]:.1%}'.rstrip('%') for method in METHODS)} |")
    assert set(told) == set(measured)
    for name, cells in told.items():
        for method, cell in zip(METHODS, cells, strict=True):
            # Three standard errors of a share of 500.
            assert measured[name][method] == pytest.approx(float(cell) / 100, abs=0.03), (name, method)


def test_what_the_choice_rests_on(measured: Mapping[str, Mapping[str, float]]) -> None:
    few, next_to_one = measured["mean 0.7, 10 molecules"], measured["mean 0.95, 100 molecules"]
    assert abs(few["expanded BCa"] - 0.95) < abs(few["percentile"] - 0.95)
    assert next_to_one["expanded BCa"] > next_to_one["t, robust SE"]
    alike = measured["no difference, 6 changes in 200 molecules"]
    assert 1 - alike["expanded BCa"] > 1.5 * (1 - alike["expanded percentile"])


def test_bootstrap_t_is_as_wide_as_the_scale_next_to_one() -> None:
    simulated = Simulated(30, 0.95, RUNS, seed=30)
    clusters = Clusters(simulated.clusters)
    scores = simulated.scores()
    told = scores[:, scores.min(axis=0) < scores.max(axis=0)]
    found = intervals(clusters.sums(told), clusters.sums(np.ones(len(told))), 0)
    widths = {name: float(np.mean(high - low)) for name, (low, high) in found.items()}
    print({name: round(width, 2) for name, width in widths.items()})
    assert widths["bootstrap-t"] > 2 * widths["expanded BCa"]
