"""How the outcome of a case varies between its repeats, or between the paraphrases of its question.

The figures are pass@k (Chen et al. 2021, arXiv 2107.03374), pass^k (Yao et al. 2024, arXiv 2406.12045), the
share of cases whose outcome changes, and the standard deviation of mean F1. The page *Compare and gate*
defines them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import asdict

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.scores import (
    CASE_LABELS,
    LEAK,
    CaseScores,
    Label,
    Places,
    ScoreTable,
    SliceMean,
    slice_means,
)
from retrocypher.plugins.runs.summary import VariationSummary
from retrocypher.plugins.statistics.intervals import NO_ESTIMATE, Estimate, Floats

Over = Literal["repeat", "phrasing"]
OVER: dict[Over, str] = {"repeat": "repeat", "phrasing": "paraphrase"}
"""What outcomes can vary over, with the name of one of them."""
CHANGES, F1_SD = "changes", "f1_sd"
FIGURES = ("pass@K", "pass^K", CHANGES, F1_SD)
"""The figures in messages; each over repeats, or with ``[phrasing]`` over paraphrases."""
_METRIC = re.compile(r"(pass[@^]([1-9][0-9]{0,3})|changes|f1_sd)(?:\[(repeat|phrasing)\])?")


class VariationMetric(Struct, frozen=True):
    """One of `FIGURES`, as rules and comparisons name it."""

    figure: str
    over: Over
    k: int
    """Repeats that it needs: K, and 2 for the others."""


def variation_metric(name: str) -> VariationMetric | None:
    """Return the figure of a name such as ``pass^3`` or ``changes[phrasing]``; None for any other score."""
    found = _METRIC.fullmatch(name)
    if found is None:
        return None
    over: Over = "phrasing" if found[3] == "phrasing" else "repeat"
    return VariationMetric(found[1], over, int(found[2] or 2))


def less_is_better(metric: str) -> bool:
    """Whether a rule about a score gives the most that it may be."""
    wanted = variation_metric(metric)
    return metric == LEAK or (wanted is not None and wanted.figure in (CHANGES, F1_SD))


def require_count(metric: str, counts: Mapping[Over, int]) -> None:
    """Raise InputError if a score is a figure that needs more repeats or paraphrases than there are."""
    wanted = variation_metric(metric)
    if wanted is not None and counts[wanted.over] < wanted.k:
        asked = "--repeat" if wanted.over == "repeat" else "--phrasing"
        raise InputError(
            f"{metric} needs {wanted.k} {OVER[wanted.over]}s of each case, and the run has "
            f"{counts[wanted.over]}; ask for them with {asked}"
        )


def count_of(table: ScoreTable, over: Over) -> int:
    """Return how many repeats or paraphrases a table has."""
    return len({*table.labels(over)})


@dataclass(frozen=True)
class Groups:
    """The cases of a table without what they vary over."""

    table: ScoreTable
    """One line for each, with ``pass@k`` and ``pass^k`` for each k, and `CHANGES`."""
    f1: Floats
    """F1 of each, of shape (cases, count)."""
    count: int
    """Number of repeats or paraphrases."""
    left_out: int
    """Cases without a score in one of them; they are not in the table."""

    def f1_sd(self, places: Places | None = None) -> Estimate:
        """Return the standard deviation (n - 1) of the mean F1 of each repeat or paraphrase, over some cases.

        It has no interval.
        """
        chosen = np.arange(len(self.table)) if places is None else places
        if self.count < 2 or not len(chosen):
            return NO_ESTIMATE
        clusters = len({*self.table.clusters[chosen].tolist()})
        spread = float(self.f1[chosen].mean(axis=0).std(ddof=1))
        return Estimate(spread, None, None, len(chosen), clusters)


def groups_of(table: ScoreTable, over: Over) -> Groups:
    """Return the cases of a table, each with the outcomes of all its repeats or paraphrases.

    Args:
        table: It must have the scores ``passed`` and ``f1``.
    """
    others = [name for name in CASE_LABELS if name != over]
    columns = [table.labels(name) for name in others]
    count = count_of(table, over)
    members: dict[tuple[Label, ...], list[int]] = {}
    numbers = table.labels(over)
    for place in sorted(range(len(table)), key=numbers.__getitem__):
        key = table.questions[place], *(column[place] for column in columns)
        members.setdefault(key, []).append(place)
    passed, f1 = table.scores("passed"), table.scores("f1")
    # Sorted, so that records in another order give the same digits.
    whole = {
        key: places
        for key, places in sorted(members.items(), key=lambda each: [str(label) for label in each[0]])
        if len(places) == count and not np.isnan(passed[places]).any() and not np.isnan(f1[places]).any()
    }
    cases = [
        CaseScores(
            question_id=str(key[0]),
            scores=_figures(int(passed[places].sum()), count),
            # A paraphrase can have another exemplar; the label is that of the first.
            leak=table.labels(LEAK)[places[0]],  # type: ignore[arg-type]
            **{**dict(zip(others, key[1:], strict=True)), over: 1},  # type: ignore[arg-type]
        )
        for key, places in whole.items()
    ]
    return Groups(
        ScoreTable(cases, table.cluster_names, tuple(_figures(0, count))),
        np.asarray([f1[places] for places in whole.values()]).reshape(-1, count),
        count,
        len(members) - len(whole),
    )


def _figures(passed: int, of: int) -> dict[str, float | None]:
    """Return the figures of a case of which some outcomes passed.

    pass@k is the probability that at least one of k outcomes drawn without replacement passed, and pass^k the
    probability that all of them did.
    """
    at = {f"pass@{k}": 1 - comb(of - passed, k) / comb(of, k) for k in range(1, of + 1)}
    all_of = {f"pass^{k}": comb(passed, k) / comb(of, k) for k in range(1, of + 1)}
    return {**at, **all_of, CHANGES: float(0 < passed < of)}


def table_of(table: ScoreTable, metric: str) -> tuple[ScoreTable, str]:
    """Return the table that has a score, and its name there: this table, or that of its `groups_of`.

    Raises InputError as `require_count` does.
    """
    wanted = variation_metric(metric)
    return (table, metric) if wanted is None else (_groups(table, metric, wanted).table, wanted.figure)


def slice_figures(table: ScoreTable, by: Sequence[str], metric: str) -> Iterator[SliceMean]:
    """Yield a score over each slice, as `slice_means` does, or one of `FIGURES`; raises as `table_of`."""
    wanted = variation_metric(metric)
    if wanted is None:
        yield from slice_means(table, by, (metric,))
        return
    groups = _groups(table, metric, wanted)
    if wanted.figure == F1_SD:
        for labels, places in groups.table.slices(by):
            yield SliceMean(labels, metric, groups.f1_sd(places))
        return
    for each in slice_means(groups.table, by, (wanted.figure,)):
        yield SliceMean(each.slice, metric, each.mean)


def _groups(table: ScoreTable, metric: str, wanted: VariationMetric) -> Groups:
    require_count(metric, {wanted.over: count_of(table, wanted.over)})
    return groups_of(table, wanted.over)


class Variation(Struct, frozen=True, kw_only=True):
    """How the outcomes of a model and loop vary."""

    over: Over
    model: str
    loop: str
    count: int
    """Number of repeats or paraphrases of each case."""
    cases: int
    """Cases with a score in all of them."""
    left_out: int
    """Cases without one; they are in none of the figures."""
    pass_at: tuple[Estimate, ...]
    """pass@k for k from 1 to `count`."""
    pass_all: tuple[Estimate, ...]
    """pass^k for the same k."""
    changes: Estimate
    f1_sd: Estimate

    def summary(self) -> VariationSummary:
        """Return the same for ``summary.json``."""
        return VariationSummary(
            **asdict(self)
            | {
                "pass_at": [each.value for each in self.pass_at],
                "pass_all": [each.value for each in self.pass_all],
                "changes": self.changes.value,
                "f1_sd": self.f1_sd.value,
            }
        )


def variations(table: ScoreTable) -> list[Variation]:
    """Return how the outcomes of each model and loop vary over repeats, and over paraphrases."""
    found = []
    for over in OVER:
        if count_of(table, over) < 2:
            continue
        for labels, places in table.slices(("model", "loop")):
            groups = groups_of(table.select(places, ("passed", "f1")), over)
            names = groups.table.metrics
            means = {each.metric: each.mean for each in slice_means(groups.table, (), names)}
            found.append(
                Variation(
                    over=over,
                    model=str(labels["model"]),
                    loop=str(labels["loop"]),
                    count=groups.count,
                    cases=len(groups.table),
                    left_out=groups.left_out,
                    pass_at=tuple(means.get(f"pass@{k + 1}", NO_ESTIMATE) for k in range(groups.count)),
                    pass_all=tuple(means.get(f"pass^{k + 1}", NO_ESTIMATE) for k in range(groups.count)),
                    changes=means.get(CHANGES, NO_ESTIMATE),
                    f1_sd=groups.f1_sd(),
                )
            )
    return found
