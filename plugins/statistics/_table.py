"""Scores of a run's cases in columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from plugins.scoring import METRICS
from plugins.statistics._resampling import Floats

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
