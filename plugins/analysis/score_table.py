"""Scores of a run's cases in columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from retrocypher.plugins.runs.record import METRICS
from retrocypher.plugins.statistics.correlation import pearson, spearman
from retrocypher.plugins.statistics.intervals import Estimate, Floats, Resampler
from retrocypher.plugins.statistics.means import BoxStats, box_stats, means_of

DIMENSIONS = ("setting", "task", "steps", "phrasing", "prompt", "shot", "loop", "model")

Label = str | int
Places = npt.NDArray[np.intp]


class ScoreTable:
    """The scores of some cases, with what they can be sliced by.

    Args:
        records: Records as in ``records.jsonl``.
        targets: By question id, the molecule that the question clusters by (``questions.jsonl``); a question
            that is not in it is a cluster of its own.
        metrics: Names of scores to keep.

    Attributes:
        questions: The question id of each case.
        targets: The target molecule of each case.
        clusters: The same by number, in the order of their first questions.
    """

    def __init__(
        self,
        records: Iterable[Mapping[str, Any]],
        targets: Mapping[str, str],
        metrics: Sequence[str] = METRICS,
    ) -> None:
        self.questions: list[str] = []
        self.targets: list[str] = []
        labels: dict[str, list[Label]] = {name: [] for name in DIMENSIONS}
        scores: dict[str, list[float | None]] = {name: [] for name in metrics}
        for record in records:
            question = str(record["question_id"])
            self.questions.append(question)
            self.targets.append(targets.get(question, question))
            for name, column in labels.items():
                column.append(record[name])
            told = record.get("scores") or {}
            for metric, values in scores.items():
                values.append(told.get(metric))
        self._labels = labels
        self._scores = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
        self.clusters = _numbered(self.questions, self.targets)

    def __len__(self) -> int:
        return len(self.questions)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the scores kept."""
        return tuple(self._scores)

    def scores(self, metric: str) -> Floats:
        """Return one score of each case, NaN where it is not defined or there is none.

        Args:
            metric: A name of `metrics`.
        """
        return self._scores[metric]

    def labels(self, dimension: str) -> Sequence[Label]:
        """Return what each case is in one of `DIMENSIONS`."""
        return self._labels[dimension]

    def slices(self, by: Sequence[str]) -> Iterator[tuple[dict[str, Label], Places]]:
        """Yield each combination of labels that occurs, with the places of its cases.

        Args:
            by: Names of `DIMENSIONS`; none for all cases together.

        Yields:
            In the order of the labels, numbers in them by size: P9 before P10.
        """
        groups: dict[tuple[Label, ...], list[int]] = {}
        columns = [self._labels[name] for name in by]
        for place in range(len(self)):
            groups.setdefault(tuple(column[place] for column in columns), []).append(place)
        for key in sorted(groups, key=lambda key: [_natural(label) for label in key]):
            yield dict(zip(by, key, strict=True)), np.asarray(groups[key], dtype=np.intp)


def _natural(label: Label) -> tuple[str, int, str]:
    text = str(label)
    stem = text.rstrip("0123456789")
    return stem, int(text[len(stem) :] or 0), text


def _numbered(questions: Sequence[str], targets: Sequence[str]) -> Places:
    """Return the number of each target, in the order of their first questions by id.

    By the question, since a run tells the molecule and a baseline a hash of it: resamples draw by number,
    and both are to give the same intervals.
    """
    first: dict[str, str] = {}
    for question, target in zip(questions, targets, strict=True):
        first[target] = min(question, first.get(target, question))
    number = {target: place for place, target in enumerate(sorted(first, key=first.__getitem__))}
    return np.asarray([number[target] for target in targets], dtype=np.intp)


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
