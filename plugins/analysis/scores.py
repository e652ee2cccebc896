"""Scores of cases in columns, and statistics of their slices."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from retrocypher.plugins.formatting.text import one_line
from retrocypher.plugins.runs.record import (
    KEY_METRICS,
    RETRIEVAL_METRICS,
    SCORE_METRICS,
    SCORED_KEYS,
    LeakKind,
    Record,
    Variant,
)
from retrocypher.plugins.statistics.correlation import pearson, spearman
from retrocypher.plugins.statistics.intervals import NO_ESTIMATE, Estimate, Floats
from retrocypher.plugins.statistics.means import BoxStats, box_stats, means_of

CASE_LABELS = ("setting", "task", "steps", "phrasing", "repeat", "prompt", "shot", "loop", "model")
"""What a case is asked under, in addition to its question."""

LEAK = "leak"
"""Whether the exemplar gives the answer away: a label of cases, and the share of those in which it does."""

DIMENSIONS = (*CASE_LABELS, LEAK)
"""What cases can be sliced by."""

SHARES = ("passed", "status.ok")
"""Shares of cases, 1 or 0 for each case. Comparisons and gates use them like scores."""

COMPARABLE_METRICS = (*SCORE_METRICS, *SHARES, *KEY_METRICS)
"""All that a comparison or a gate can be about."""

JUDGED: dict[str, Variant] = {"judge": "with_reference", "judge.without_reference": "without_reference"}
"""Scores of a judge by name, with their variants. Gate rules can be about them, comparisons cannot."""

METRIC_NAMES = (*SCORE_METRICS, *SHARES, *(f"{metric}[KEY]" for metric in RETRIEVAL_METRICS))
"""The names of `COMPARABLE_METRICS` in messages, without each key."""


def unknown_key(name: str) -> str:
    """Return what is wrong with a name such as ``f1[agent]`` that is not among `KEY_METRICS`."""
    # Imported late: only a wrong name needs it.
    import difflib

    metric, _, key = name.removesuffix("]").partition("[")
    if metric not in RETRIEVAL_METRICS:
        return f"{one_line(name)}: only precision, recall and f1 are computed by key"
    near = difflib.get_close_matches(key.lower(), SCORED_KEYS, n=1, cutoff=0.5)
    meant = f"did you mean {near[0]}? Otherwise " if near else ""
    return f"no key is called {one_line(key)}; {meant}choose from {', '.join(SCORED_KEYS)}"


LEAK_KINDS = ("as_is", "one_edit")
"""The labels of cases whose exemplar gives the answer away."""

Label = str | int
Places = npt.NDArray[np.intp]


class CaseScores(Struct, frozen=True, kw_only=True):
    """The scores of a case, with what it can be sliced by, for comparisons, baselines and gates."""

    question_id: str
    setting: str
    task: str
    steps: int
    phrasing: int
    repeat: int = 1
    prompt: str
    shot: str
    loop: str
    model: str
    leak: LeakKind = "unknown"
    scores: dict[str, float | None] | None
    """By `COMPARABLE_METRICS`, `LEAK` if known, and for a judged run by `JUDGED`; None if an infrastructure
    error prevented scores."""

    @property
    def text_id(self) -> str:
        """The question id, with the number of the paraphrase unless it is the first."""
        return self.question_id if self.phrasing == 1 else f"{self.question_id}-w{self.phrasing}"


def case_scores(record: Record) -> CaseScores:
    """Return the scores of a record, with what the case can be sliced by."""
    scores: dict[str, float | None] | None = None
    if record.scores is not None and record.was_run:
        scores = {name: record.scores.value(name) for name in (*SCORE_METRICS, *KEY_METRICS)}
        ran = record.execution is not None and record.execution.status == "ok"
        scores |= {"passed": float(record.passed), "status.ok": float(ran)}
        if (kind := record.leak_kind) != "unknown":
            scores[LEAK] = float(kind in LEAK_KINDS)
        if record.judge is not None:
            judgements = record.judge.judgements
            scores |= {
                name: judgements[of].score if of in judgements else None for name, of in JUDGED.items()
            }
    return labelled(record, scores)


def case_digest(case_id: str, case: CaseScores) -> str:
    """Return a hash over what a gate reads of a case; a score that is not known is left out."""
    known = sorted((name, float(score)) for name, score in (case.scores or {}).items() if score is not None)
    read = (case_id, case.setting, case.task, case.steps, case.scores is not None, known)
    return hashlib.sha256(json.dumps(read).encode()).hexdigest()


def labelled(record: Record, scores: dict[str, float | None] | None) -> CaseScores:
    """Return scores of a record with what the case can be sliced by."""
    labels = {name: getattr(record, name) for name in CASE_LABELS}
    return CaseScores(question_id=record.question_id, scores=scores, leak=record.leak_kind, **labels)


class ScoreTable:
    """The scores of some cases, with what they can be sliced by.

    Args:
        clusters: By question id, the cluster of the question, as `clusters_of` gives it; a question that is
            not in it is a cluster of its own.

    Attributes:
        clusters: The clusters of the cases by number, in the order of their first questions.
    """

    def __init__(
        self,
        cases: Iterable[CaseScores | Record],
        clusters: Mapping[str, str],
        metrics: Sequence[str] = SCORE_METRICS,
    ) -> None:
        self.questions: list[str] = []
        self._names: list[str] = []
        labels: dict[str, list[Label]] = {name: [] for name in DIMENSIONS}
        scores: dict[str, list[float | None]] = {name: [] for name in metrics}
        for each in cases:
            case = each if isinstance(each, CaseScores) else case_scores(each)
            self.questions.append(case.question_id)
            self._names.append(clusters.get(case.question_id, case.question_id))
            for name, column in labels.items():
                column.append(getattr(case, name))
            known = case.scores or {}
            for metric, values in scores.items():
                values.append(known.get(metric))
        self._labels = labels
        self._scores = {name: np.asarray(values, dtype=np.float64) for name, values in scores.items()}
        self.clusters = _numbered(self.questions, self._names)

    @property
    def cluster_names(self) -> dict[str, str]:
        """The cluster of each question, by question id."""
        return dict(zip(self.questions, self._names, strict=True))

    def select(self, places: Iterable[int], metrics: Sequence[str]) -> "ScoreTable":
        """Return some of the cases as a table of their own."""
        cases = (
            CaseScores(
                question_id=self.questions[place],
                scores={name: float(self._scores[name][place]) for name in metrics},
                **{name: column[place] for name, column in self._labels.items()},  # type: ignore[arg-type]
            )
            for place in places
        )
        return ScoreTable(cases, self.cluster_names, metrics)

    def __len__(self) -> int:
        return len(self.questions)

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the scores."""
        return tuple(self._scores)

    def scores(self, metric: str) -> Floats:
        """Return one score of each case, NaN where it is not defined."""
        return self._scores[metric]

    def labels(self, dimension: str) -> Sequence[Label]:
        """Return the label of each case in one of `DIMENSIONS`."""
        return self._labels[dimension]

    def slices(self, by: Sequence[str]) -> Iterator[tuple[dict[str, Label], Places]]:
        """Yield each combination of labels that occurs, with the places of its cases.

        Combinations are ordered by label, numbers in labels by size (P9 before P10). Without a name in ``by``
        all cases are one slice.
        """
        groups: dict[tuple[Label, ...], list[int]] = {}
        columns = [self._labels[name] for name in by]
        for place in range(len(self)):
            groups.setdefault(tuple(column[place] for column in columns), []).append(place)
        for key in sorted(groups, key=lambda key: [natural_order(label) for label in key]):
            yield dict(zip(by, key, strict=True)), np.asarray(groups[key], dtype=np.intp)


def natural_order(label: Label) -> tuple[str, int, str]:
    """Return a sort key of labels that puts P10 after P9."""
    text = str(label)
    stem = text.rstrip("0123456789")
    return stem, int(text[len(stem) :] or 0), text


def _numbered(questions: Sequence[str], clusters: Sequence[str]) -> Places:
    """Return the number of each cluster, in the order of their first questions by id.

    The order is by question, because a run has the name of a cluster and a baseline its hash: resamples are
    drawn by number, and both must give the same intervals.
    """
    first: dict[str, str] = {}
    for question, cluster in zip(questions, clusters, strict=True):
        first[cluster] = min(question, first.get(cluster, question))
    number = {cluster: place for place, cluster in enumerate(sorted(first, key=first.__getitem__))}
    return np.asarray([number[cluster] for cluster in clusters], dtype=np.intp)


TEXT_METRICS = ("bleu", "meteor", "rouge_l")


class SliceMean(Struct, frozen=True):
    """The mean of one score over one slice; its value is None where no case has the score."""

    slice: dict[str, Label]
    metric: str
    mean: Estimate


class SliceBox(Struct, frozen=True):
    """The box plot of one score over one slice."""

    slice: dict[str, Label]
    metric: str
    box: BoxStats


class MetricValidity(Struct, frozen=True):
    """How well one score predicts another over one slice."""

    slice: dict[str, Label]
    metric: str
    against: str
    pearson: Estimate
    spearman: Estimate


def slice_means(
    table: ScoreTable,
    by: Sequence[str] = (),
    metrics: Sequence[str] = ("f1",),
) -> Iterator[SliceMean]:
    """Yield the mean of each score, from 0 to 1, over each slice."""
    for labels, places in table.slices(by):
        found: dict[str, Estimate] = {}
        for scored, names in _scored_alike(table, places, metrics):
            scores = np.column_stack([table.scores(name)[scored] for name in names])
            found |= zip(names, means_of(scores, table.clusters[scored]), strict=True)
        yield from (SliceMean(labels, metric, found[metric]) for metric in metrics)


class LeakMeans(Struct, frozen=True):
    """Scored cases whose exemplar gives the answer away, and the mean without them."""

    as_is: int
    """Cases that the exemplar answers as it is."""
    one_edit: int
    """Cases that it answers with one edit, but not as it is."""
    without: Estimate
    """The mean over the cases that it does not answer."""

    @property
    def cases(self) -> int:
        """Both together."""
        return self.as_is + self.one_edit


class Means:
    """The means of scores over slices, each slicing computed once."""

    def __init__(self, table: ScoreTable, metrics: Sequence[str] = RETRIEVAL_METRICS) -> None:
        self._table = table
        self._metrics = metrics
        self._found: dict[tuple[str, ...], dict[tuple[Label, ...], dict[str, Estimate]]] = {}

    def of(self, **labels: str) -> dict[str, Estimate]:
        """Return the mean of each score over the cases with some labels, by dimension."""
        by = tuple(labels)
        if by not in self._found:
            means: dict[tuple[Label, ...], dict[str, Estimate]] = {}
            for each in slice_means(self._table, by, self._metrics):
                means.setdefault(tuple(each.slice[name] for name in by), {})[each.metric] = each.mean
            self._found[by] = means
        return self._found[by].get(tuple(labels.values()), dict.fromkeys(self._metrics, NO_ESTIMATE))

    def leaks(self, metric: str, **labels: str) -> LeakMeans | None:
        """Return what exemplars give away of the cases with some labels; None if nothing."""
        as_is, one_edit, none = (self.of(**labels, leak=kind)[metric] for kind in (*LEAK_KINDS, "none"))
        found = LeakMeans(as_is.n, one_edit.n, none)
        return found if found.cases else None


def slice_boxes(table: ScoreTable, by: Sequence[str], metrics: Sequence[str] = ("f1",)) -> Iterator[SliceBox]:
    """Yield the box plot of each score over each slice that has it."""
    for labels, places in table.slices(by):
        for metric in metrics:
            scores = table.scores(metric)[places]
            defined = scores[~np.isnan(scores)]
            if len(defined):
                yield SliceBox(labels, metric, box_stats(defined))


def metric_validity(
    table: ScoreTable,
    by: Sequence[str] = (),
    metrics: Sequence[str] = TEXT_METRICS,
    against: str = "f1",
) -> Iterator[MetricValidity]:
    """Yield the correlations of each score with the score ``against`` over each slice."""
    for labels, places in table.slices(by):
        for metric in metrics:
            first, second = table.scores(metric)[places], table.scores(against)[places]
            both = ~np.isnan(first) & ~np.isnan(second)
            x, y, clusters = first[both], second[both], table.clusters[places][both]
            yield MetricValidity(labels, metric, against, pearson(x, y, clusters), spearman(x, y, clusters))


def _scored_alike(
    table: ScoreTable, places: Places, metrics: Sequence[str]
) -> Iterator[tuple[Places, list[str]]]:
    """Yield groups of scores that the same cases have, with these cases: one computation serves a group."""
    alike: dict[bytes, tuple[Places, list[str]]] = {}
    for metric in metrics:
        scored = places[~np.isnan(table.scores(metric)[places])]
        alike.setdefault(scored.tobytes(), (scored, []))[1].append(metric)
    yield from alike.values()


def slice_name(labels: Mapping[str, str | int]) -> str:
    """Return the name of a slice, such as ``best_yield`` or ``steps 3``; ``all`` for all cases."""
    named = (f"{name} {label}" if isinstance(label, int) else label for name, label in labels.items())
    return one_line(", ".join(named)) or "all"
