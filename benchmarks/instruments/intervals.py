"""How often intervals of means hold the true mean, how wide they are, and what a gate rule lets through.

Compares the interval in use with three others on two grids of simulated runs. The first grid, on the clusters
of the shipped questions, served to choose the method; the second, with clusters of other sizes and scores of
other distributions, did not.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import click
import numpy as np

from retrocypher.kg.questions.clusters import clusters_of
from retrocypher.kg.questions.reading import load_questions
from retrocypher.plugins.statistics.bounded import BoundedMeans, saddlepoint
from retrocypher.plugins.statistics.intervals import LEVEL, Floats, Resampler, expanded_bca

Ends = tuple[Floats, Floats]
Draw = Callable[[np.random.Generator, Floats, int], Floats]
"""From a generator, the number of cases of each cluster and a number of runs to the sum of scores of each
cluster, of shape (clusters, runs)."""
Sizes = Callable[[np.random.Generator, int], Floats]
"""From a generator and a number of clusters to the number of cases of each."""

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Scores:
    """A distribution of scores, and its mean."""

    name: str
    mean: float
    draw: Draw


Spread = Callable[[np.random.Generator, tuple[int, int]], Floats]
"""From a generator and a shape to scores."""


def _of_clusters(name: str, mean: float, draw: Spread) -> Scores:
    """Return scores that all cases of a cluster share."""
    return Scores(name, mean, lambda rng, counts, runs: counts[:, None] * draw(rng, (len(counts), runs)))


def _mixed(*shares: tuple[float, float]) -> Spread:
    """Return scores with some values, each with its probability; the rest are uniform from 0 to 1."""
    values, probabilities = zip(*shares, strict=True)

    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
        rest = 1 - sum(probabilities)
        place = rng.choice(len(values) + 1, size=shape, p=(*probabilities, max(0.0, rest)))
        return np.where(place == len(values), rng.random(shape), np.asarray((*values, 0.0))[place])

    return draw


def _yes_no(mean: float, likeness: float = 0.3) -> Scores:
    """Return scores of 0 and 1; two of one cluster correlate by the likeness."""
    weight = (1 - likeness) / likeness

    def draw(rng: np.random.Generator, counts: Floats, runs: int) -> Floats:
        ease = rng.beta(mean * weight, (1 - mean) * weight, size=(len(counts), runs))
        return rng.binomial(counts.astype(int)[:, None], ease).astype(np.float64)

    return Scores(f"0 or 1, mean {mean:g}", mean, draw)


def _mostly_right(slips: float, lost: float, turned: bool = False) -> Scores:
    """Return scores of 1, some of 0.95, and rare clusters of 0; turned over, the other way round."""

    def draw(rng: np.random.Generator, counts: Floats, runs: int) -> Floats:
        shape = (len(counts), runs)
        sums = counts[:, None] - 0.05 * rng.binomial(counts.astype(int)[:, None], slips, size=shape)
        sums = np.where(rng.random(shape) < lost, 0, sums)
        return counts[:, None] - sums if turned else sums

    mean, name = (1 - lost) * (1 - 0.05 * slips), f"1, {slips:.0%} 0.95, {lost:.0%} of clusters 0"
    return Scores(name + " (turned over)" * turned, 1 - mean if turned else mean, draw)


def _between(mean: float, spread: float) -> Scores:
    weight = mean * (1 - mean) / spread**2 - 1
    return _of_clusters(
        f"in between, mean {mean:g} ± {spread:g}",
        mean,
        lambda rng, shape: rng.beta(mean * weight, (1 - mean) * weight, size=shape),
    )


FIRST = (
    _mostly_right(0.2, 0.05),
    _mostly_right(0.2, 0.02),
    _mostly_right(0.05, 0.01),
    _mostly_right(0.2, 0.02, turned=True),
    *(_yes_no(mean) for mean in (0.002, 0.05, 0.5, 0.95, 0.998)),
    _between(0.5, 0.27),
    _between(0.8, 0.22),
    _between(0.6, 0.15),
    _of_clusters("0, 1 or in between", 0.55, _mixed((0, 0.3), (1, 0.4))),
)
SECOND = (
    _mostly_right(0.6, 0.03),
    _mostly_right(0.4, 0.015, turned=True),
    _yes_no(0.01, 0.1),
    _yes_no(0.85, 0.6),
    _of_clusters("thirds", 0.5, _mixed((0, 0.25), (1 / 3, 0.25), (2 / 3, 0.25), (1, 0.25))),
    _of_clusters("90 % 1, rest uniform", 0.95, _mixed((1, 0.9))),
    _of_clusters("97 % 0, rest uniform", 0.015, _mixed((0, 0.97))),
    _of_clusters("uniform", 0.5, _mixed((0, 0.0))),
    _between(0.3, 0.1),
)


def _losses() -> Iterator[Scores]:
    """Yield differences of two runs with a mean of -0.02, the margin of the rule."""
    yield _of_clusters("2 % of clusters lose 1", -0.02, _mixed((-1, 0.02), (0, 0.98)))
    yield _of_clusters("4 % of clusters lose 0.5", -0.02, _mixed((-0.5, 0.04), (0, 0.96)))
    yield _of_clusters("20 % of clusters lose 0.1", -0.02, _mixed((-0.1, 0.2), (0, 0.8)))
    yield _of_clusters("5 % lose 1, 3 % gain 1", -0.02, _mixed((-1, 0.05), (1, 0.03), (0, 0.92)))

    def rerun(rng: np.random.Generator, counts: Floats, runs: int) -> Floats:
        ease = rng.beta(1.4, 14 / 15, size=(len(counts), runs))
        cases = counts.astype(int)[:, None]
        return np.asarray(
            rng.binomial(cases, ease * (1 - 0.02 / 0.6)) - rng.binomial(cases, ease), np.float64
        )

    yield Scores("independent runs, mean 0.6 and 0.58", -0.02, rerun)


def _stable() -> Iterator[Scores]:
    """Yield differences of two runs with a mean of 0."""
    yield _of_clusters("no case changes", 0, _mixed((0, 1)))
    yield _of_clusters("1 % lose 1, 1 % gain 1", 0, _mixed((-1, 0.01), (1, 0.01), (0, 0.98)))
    yield _of_clusters("5 % lose 1, 5 % gain 1", 0, _mixed((-1, 0.05), (1, 0.05), (0, 0.9)))


def _bca(sums: Floats, counts: Floats) -> Ends:
    """Return expanded BCa intervals of whole clusters; Clopper and Pearson's where all scores are equal."""
    totals, column = Resampler(5_000).totals, counts[:, None]
    mean = sums.sum(axis=0) / counts.sum()
    left_out = (sums.sum(axis=0) - sums) / (counts.sum() - column)
    low, high = expanded_bca(mean, totals(sums) / totals(column), left_out, len(counts))
    flat, share = np.ptp(sums / column, axis=0) <= _ROUNDING, ((1 - LEVEL) / 2) ** (1 / len(counts))
    return np.where(flat, mean * share, low), np.where(flat, 1 - share * (1 - mean), high)


def _likelihood(sums: Floats, counts: Floats) -> Ends:
    """Return empirical-likelihood intervals with one unseen cluster at the extreme (Owen 2001)."""
    from scipy.stats import chi2

    limit, mean = chi2.ppf(LEVEL, 1), sums.sum(axis=0) / counts.sum()

    def end(extreme: float) -> Floats:
        out, inside = np.full_like(mean, extreme), mean
        for _ in range(40):
            middle = (out + inside) / 2
            s = np.vstack([counts.mean() * (extreme - middle), sums - counts[:, None] * middle])
            low, high = s.min(axis=0), s.max(axis=0)
            both = (low < 0) & (high > 0)
            t = np.zeros(len(mean))
            t[both] = saddlepoint(s[:, both], low[both], high[both])
            held = both & (2 * np.log1p(-t * s).sum(axis=0) <= limit)
            out, inside = np.where(held, out, middle), np.where(held, middle, inside)
        return np.asarray(inside)

    return end(0), end(1)


def _betting(sums: Floats, counts: Floats) -> Ends:
    """Return hedged-capital intervals with plug-in bets (Waudby-Smith & Ramdas 2024), clusters in order."""
    m, column, typical = len(counts), counts[:, None], counts.mean()
    means = (typical / 2 + np.cumsum(sums, axis=0)) / (typical + np.cumsum(counts)[:, None])
    seen = np.cumsum((sums - column * means) ** 2, axis=0) + typical**2 / 4
    variance = np.vstack([np.full(sums.shape[1], typical**2 / 4), seen[:-1] / np.arange(2, m + 1)[:, None]])
    bets = np.sqrt(2 * np.log(2 / (1 - LEVEL)) / (m * variance))
    grid = np.linspace(0, 1, 402)[1:-1]
    low, high = np.ones(sums.shape[1]), np.zeros(sums.shape[1])
    for mean in grid:
        gains = sums - column * mean
        up, down = 0.5 / (mean * counts.max()), 0.5 / ((1 - mean) * counts.max())
        above = np.log1p(np.minimum(bets, up) * gains).cumsum(axis=0).max(axis=0)
        below = np.log1p(-np.minimum(bets, down) * gains).cumsum(axis=0).max(axis=0)
        held = np.maximum(above, below) < np.log(2 / (1 - LEVEL))
        low, high = np.where(held, np.minimum(low, mean), low), np.where(held, np.maximum(high, mean), high)
    return low - grid[0], high + grid[0]


METHODS: dict[str, Callable[[Floats, Floats], Ends]] = {
    "bootstrap": _bca,
    "in use": lambda sums, counts: BoundedMeans(sums, counts, 0, 1).ends(),
    "likelihood": _likelihood,
    "betting": _betting,
}


def _shipped() -> Sizes:
    """Return the numbers of questions of the clusters of the shipped questions."""
    sizes = list(Counter(clusters_of(load_questions().questions).values()).values())
    return lambda rng, clusters: rng.choice(sizes, size=clusters).astype(np.float64)


def _long_tailed(rng: np.random.Generator, clusters: int) -> Floats:
    return np.minimum(np.ceil(rng.lognormal(0.7, 1.0, size=clusters)), 40)


def _single(_: np.random.Generator, clusters: int) -> Floats:
    return np.ones(clusters)


def _grid(
    clusters: Sequence[int], sizes: Sizes, scores: Sequence[Scores], methods: Sequence[str], runs: int
) -> Iterator[str]:
    """Yield a line for each cell: the share of intervals that hold the mean, and the mean width."""
    for count in clusters:
        for each in scores:
            rng = np.random.default_rng([count, *each.name.encode()])
            counts = sizes(rng, count)
            sums, cells = each.draw(rng, counts, runs), []
            for name in methods:
                low, high = METHODS[name](sums, counts)
                held = np.mean((low <= each.mean + _ROUNDING) & (each.mean - _ROUNDING <= high))
                cells.append(f"{held:.1%}, {np.mean(high - low):.4f}")
            yield f"| {count:,} | {each.name} | {' | '.join(cells)} |"


def _rule(clusters: Sequence[int], sizes: Sizes, differences: Sequence[Scores], runs: int) -> Iterator[str]:
    """Yield a line for each kind of difference: how often ``no-regression`` with a margin of 0.02 holds."""
    for each in differences:
        cells = []
        for count in clusters:
            rng = np.random.default_rng([count, *each.name.encode()])
            counts = sizes(rng, count)
            low, _ = BoundedMeans(each.draw(rng, counts, runs), counts, -1, 1).ends()
            cells.append(f"{np.mean(low > -0.02):.1%}")
        yield f"| {each.name} | {' | '.join(cells)} |"


@click.command("intervals")
@click.option("--runs", default=1_000, show_default=True, help="simulated runs a line")
@click.option("--method", "methods", multiple=True, type=click.Choice(list(METHODS)), help="default: all")
def intervals_command(runs: int, methods: tuple[str, ...]) -> None:
    """Measure the coverage and width of intervals, and the errors of the rule no-regression."""
    chosen, shipped = methods or tuple(METHODS), _shipped()
    head = f"| clusters | scores | {' | '.join(chosen)} |\n|{'---|' * (2 + len(chosen))}"
    for title, counts, sizes, scores in (
        ("First grid, sizes of the shipped clusters", (20, 60, 300, 1_200), shipped, FIRST),
        ("Second grid, one case a cluster", (25, 40, 150, 700), _single, SECOND),
        ("Second grid, 1 to 40 cases a cluster", (25, 40, 150, 700), _long_tailed, SECOND),
    ):
        click.echo(f"{title}\n\n{head}")
        for line in _grid(counts, sizes, scores, chosen, runs):
            click.echo(line)
        click.echo()
    for title, differences, sizes_of in (
        ("no-regression holds although the loss is the margin", tuple(_losses()), (20, 60, 150, 300, 1_200)),
        ("no-regression holds where nothing is lost", tuple(_stable()), (60, 300, 1_200)),
    ):
        columns = " | ".join(f"{count:,}" for count in sizes_of)
        click.echo(f"{title}\n\n| differences | {columns} |\n|{'---|' * (1 + len(sizes_of))}")
        for line in _rule(sizes_of, shipped, differences, runs):
            click.echo(line)
        click.echo()
