"""Means, boxes and correlations of each slice of a table of scores."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from plugins.statistics._box import BoxStats, box_stats
from plugins.statistics._correlation import pearson, spearman
from plugins.statistics._estimate import Estimate
from plugins.statistics._means import means_of
from plugins.statistics._resampling import Resampler
from plugins.statistics._table import Label, Places, ScoreTable

PANEL = ("task", "prompt", "shot")
"""What a box of the paper's figures A5 to A8 is for."""

TEXT_METRICS = ("bleu", "meteor", "rouge_l")


@dataclass(frozen=True, slots=True)
class SliceMean:
    """The mean of one score over one slice; where none of its cases has it, the value is None."""

    slice: dict[str, Label]
    metric: str
    mean: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return {"slice": dict(self.slice), "metric": self.metric, "mean": self.mean.to_json()}


@dataclass(frozen=True, slots=True)
class SliceBox:
    """The box of one score over one slice."""

    slice: dict[str, Label]
    metric: str
    box: BoxStats

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return {"slice": dict(self.slice), "metric": self.metric, "box": self.box.to_json()}


@dataclass(frozen=True, slots=True)
class MetricValidity:
    """How well one score tells another, over one slice."""

    slice: dict[str, Label]
    metric: str
    against: str
    pearson: Estimate
    spearman: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return {
            "slice": dict(self.slice),
            "metric": self.metric,
            "against": self.against,
            "pearson": self.pearson.to_json(),
            "spearman": self.spearman.to_json(),
        }


def slice_means(
    table: ScoreTable,
    by: Sequence[str] = (),
    metrics: Sequence[str] = ("f1",),
    resampler: Resampler | None = None,
) -> Iterator[SliceMean]:
    """Yield the mean of each score over each slice, with its interval.

    Args:
        table: The scores.
        by: What to slice by (names of `DIMENSIONS`); nothing for all cases together.
        metrics: Names of scores from 0 to 1.
        resampler: Draws the resamples; one with the default seed where there is none.
    """
    resampler = resampler or Resampler()
    for labels, places in table.slices(by):
        found: dict[str, Estimate] = {}
        for told, names in _scored_alike(table, places, metrics):
            scores = np.column_stack([table.scores(name)[told] for name in names])
            found |= zip(names, means_of(scores, table.clusters[told], resampler), strict=True)
        yield from (SliceMean(labels, metric, found[metric]) for metric in metrics)


def slice_boxes(
    table: ScoreTable, by: Sequence[str] = PANEL, metrics: Sequence[str] = ("f1",)
) -> Iterator[SliceBox]:
    """Yield the box of each score over each slice that has it.

    Args:
        table: The scores.
        by: What to slice by; as the paper does where nothing is said.
        metrics: Names of scores.
    """
    for labels, places in table.slices(by):
        for metric in metrics:
            scores = table.scores(metric)[places]
            told = scores[~np.isnan(scores)]
            if len(told):
                yield SliceBox(labels, metric, box_stats(told))


def metric_validity(
    table: ScoreTable,
    by: Sequence[str] = (),
    metrics: Sequence[str] = TEXT_METRICS,
    against: str = "f1",
) -> Iterator[MetricValidity]:
    """Yield the correlations of each score with another one, over each slice.

    Args:
        table: The scores.
        by: What to slice by; nothing for all cases together.
        metrics: Names of scores.
        against: The name of the other one.
    """
    for labels, places in table.slices(by):
        for metric in metrics:
            first, second = table.scores(metric)[places], table.scores(against)[places]
            told = ~np.isnan(first) & ~np.isnan(second)
            x, y, clusters = first[told], second[told], table.clusters[places][told]
            yield MetricValidity(labels, metric, against, pearson(x, y, clusters), spearman(x, y, clusters))


def _scored_alike(
    table: ScoreTable, places: Places, metrics: Sequence[str]
) -> Iterator[tuple[Places, list[str]]]:
    """Yield scores that the same cases have, and these cases: one resampling serves them all."""
    alike: dict[bytes, tuple[Places, list[str]]] = {}
    for metric in metrics:
        told = places[~np.isnan(table.scores(metric)[places])]
        alike.setdefault(told.tobytes(), (told, []))[1].append(metric)
    yield from alike.values()
