"""How sure the gold of questions is, and what that means for the mean of a run."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from retrocypher.kg.errors import InputError
from retrocypher.kg.evidence.evidence import Fact, facts_of
from retrocypher.kg.evidence.lookup import (
    GoldConfidence,
    GraphEvidence,
    evidence_of,
    gold_confidence,
    gold_without,
    related,
)
from retrocypher.kg.graph.reaction import Reaction
from retrocypher.kg.questions.question import Question, task_place
from retrocypher.plugins.analysis.report_runs import ReportRun
from retrocypher.plugins.analysis.scores import Means, Places
from retrocypher.plugins.analysis.summary import Series
from retrocypher.plugins.runs.files import QUESTIONS
from retrocypher.plugins.runs.record import Record
from retrocypher.plugins.scoring.score import f1_of
from retrocypher.plugins.scoring.single_step import values_by_key
from retrocypher.plugins.statistics.intervals import LEVEL, Estimate, Floats

SURE = 0.7
"""The confidence from which a fact counts as supported (GraphBuilder-RAG, graph verification)."""

DRAWS = 200
_SEED = 0


def gold_confidences(questions: Iterable[Question], graph: GraphEvidence) -> dict[str, GoldConfidence]:
    """Return how sure the gold of questions is, by id; a question without gold in the graph has none."""
    found = ((each.id, gold_confidence(graph, each)) for each in questions)
    return {name: confidence for name, confidence in found if confidence is not None}


def sure_questions(
    questions: Mapping[str, Question], fingerprint: str | None, least: float
) -> frozenset[str]:
    """Return the ids of the questions whose gold rests on no fact of less confidence.

    Raises:
        InputError: The questions are about another graph than the default one.
    """
    if (graph := evidence_of(fingerprint)) is None:
        raise InputError(
            "no confidence is known for the gold of these questions: only the default graph has evidence. "
            f"Leave out [confidence>={least:g}]"
        )
    known = gold_confidences(questions.values(), graph)
    return frozenset(name for name, each in known.items() if each.least >= least)


class TaskConfidence(Struct, frozen=True):
    """How sure the gold of the questions of a task is; numbers from 0 to 1."""

    task: str
    questions: int
    least: float
    """Mean confidence of the least confident fact of each."""
    whole: float
    """Mean probability that the whole gold is right."""
    sure: int
    """Questions of which no fact is less confident than the threshold."""


def by_task(
    questions: Iterable[Question], confidences: Mapping[str, GoldConfidence], threshold: float = SURE
) -> list[TaskConfidence]:
    """Return how sure gold is by task, and for all questions together, which come last."""
    groups: dict[str, list[GoldConfidence]] = defaultdict(list)
    for each in questions:
        if each.id in confidences:
            groups[each.task].append(confidences[each.id])
    rows = [_task(task, groups[task], threshold) for task in sorted(groups, key=task_place)]
    together = [each for found in groups.values() for each in found]
    return [*rows, _task("all", together, threshold)] if together else []


def _task(task: str, found: Sequence[GoldConfidence], threshold: float) -> TaskConfidence:
    least, whole = (
        sum(values) / len(found) for values in zip(*((e.least, e.whole) for e in found), strict=True)
    )
    return TaskConfidence(task, len(found), least, whole, sum(each.least >= threshold for each in found))


class SureMeans(Struct, frozen=True):
    """Mean F1 of a model and loop by how sure gold is."""

    model: str
    loop: str
    all: Estimate
    sure: Estimate
    """Over the questions with sure gold."""
    unsure: Estimate
    """Over the others."""
    noise: tuple[float, float] | None
    """Interval of the mean over graphs drawn from the confidences; None if it was not computed."""


class GoldNumbers(Struct, frozen=True):
    """How sure the gold of a run is."""

    tasks: list[TaskConfidence]
    means: list[SureMeans]


def gold_numbers(run: ReportRun, with_noise: bool) -> GoldNumbers | None:
    """Return how sure the gold of a run is; None for another graph than the default one.

    Raise InputError if label noise is asked for there.
    """
    entry, asked = run.log.manifest.graph, {*run.table.questions}
    graph = evidence_of(entry.fingerprint if entry else None)
    if graph is None or not (run.log.path / QUESTIONS).is_file():
        if with_noise:
            needed = "a run on the default graph" if graph is None else f"the run's file {QUESTIONS}"
            raise InputError(f"{run.log}: --label-noise needs {needed}; leave it out")
        return None
    questions = {name: each for name, each in run.log.questions.items() if name in asked}
    if not (known := gold_confidences(questions.values(), graph)):
        return None
    noise = label_noise(run.log.records(), questions, graph) if with_noise else {}
    return GoldNumbers(by_task(questions.values(), known), list(_means(run, known, noise)))


def _means(
    run: ReportRun, confidences: Mapping[str, GoldConfidence], noise: Mapping[Series, tuple[float, float]]
) -> Iterator[SureMeans]:
    places = [place for place, name in enumerate(run.table.questions) if name in confidences]
    sure = [place for place in places if confidences[run.table.questions[place]].least >= SURE]
    unsure = sorted({*places} - {*sure})
    parts = [Means(run.table.select(each, ("f1",)), ("f1",)) for each in (places, sure, unsure)]
    for model, loop in run.series:
        means = [each.of(model=model, loop=loop)["f1"] for each in parts]
        yield SureMeans(model, loop, means[0], means[1], means[2], noise.get((model, loop)))


def label_noise(
    records: Iterable[Record], questions: Mapping[str, Question], graph: GraphEvidence
) -> dict[Series, tuple[float, float]]:
    """Return the interval that doubt about gold gives the mean F1 of each model and loop.

    The graph is drawn `DRAWS` times: each fact is kept with the probability of its confidence, independently.
    Gold is computed anew on each draw, and the stored rows are scored against it; a question without gold
    there does not count in that draw. A fact that the graph lacks is in no draw. The ends are quantiles of
    the means, at the level of other intervals.
    """
    chances = np.fromiter(graph.confidences.values(), dtype=np.float32)
    uniform = np.random.default_rng(_SEED).random((len(chances), DRAWS), dtype=np.float32)
    right = dict(zip(graph.confidences, uniform < chances[:, None], strict=True))
    drawn_gold = cache(lambda name: _drawn_gold(questions[name], related(graph, questions[name]), right))
    sums: dict[Series, Floats] = defaultdict(lambda: np.zeros(DRAWS))
    counts: dict[Series, Floats] = defaultdict(lambda: np.zeros(DRAWS))
    for record in records:
        question = questions.get(record.question_id)
        if question is None or record.execution is None or record.scores is None:
            continue
        distinct, places = drawn_gold(question.id)
        if not distinct:
            continue
        returned = values_by_key(question, record.execution)
        scores = np.array([f1_of(returned, each) if each.gold else np.nan for each in distinct])
        series, in_draws = (record.model, record.loop), scores[places]
        sums[series] += np.nan_to_num(in_draws)
        counts[series] += ~np.isnan(in_draws)
    tail = (1 - LEVEL) / 2
    intervals = {}
    for series, total in sums.items():
        asked = counts[series] > 0
        if asked.any():
            low, high = np.quantile(total[asked] / counts[series][asked], (tail, 1 - tail))
            intervals[series] = float(low), float(high)
    return intervals


def _drawn_gold(
    question: Question, reactions: Sequence[Reaction], right: Mapping[Fact, NDArray[np.bool_]]
) -> tuple[list[Question], Places]:
    """Return a question with each distinct gold that it has in draws, and for each draw which of these it is.

    Args:
        reactions: Those on which its gold depends; without one, nothing is returned.
        right: Whether each fact is right in each draw.
    """
    facts = [fact for each in reactions for fact in facts_of(each)]
    if not facts:
        return [], np.empty(0, dtype=np.intp)
    patterns, places = np.unique([right[fact] for fact in facts], axis=1, return_inverse=True)
    questions = []
    for pattern in patterns.T:
        kept = {fact for fact, is_right in zip(facts, pattern, strict=True) if is_right}
        questions.append(replace(question, gold=gold_without(question, reactions, kept.__contains__)))
    return questions, np.ravel(places)
