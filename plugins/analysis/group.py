"""Counts and means of one group of cases, for `summary.json`."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import reduce
from typing import Any, TypeVar

from msgspec import UNSET

from retrocypher.kg.labels.error_labels import LABELS, name_of
from retrocypher.plugins.runs.record import (
    JUDGE_STAGE,
    MORE_METRICS,
    RETRIEVAL_METRICS,
    SCORE_METRICS,
    SCORED_KEYS,
    VARIANTS,
    Record,
    Scores,
)
from retrocypher.plugins.runs.summary import (
    VARIATIONS,
    AbstentionSummary,
    AnswerMeasurements,
    AnswerSummary,
    CitationSummary,
    ErrorSummary,
    FallbackSummary,
    GroupSummary,
    JudgeSummary,
    KeyMeans,
    MeasuredMean,
    VariantSummary,
)
from retrocypher.plugins.runs.written_answer import ANSWER_METRICS

_STATES = ("written", "insufficient", "empty")
_OF_FALLBACKS = ("f1", "precision", "recall")
_PLACES = {name: place for place, name in enumerate(LABELS)}
_Counted = TypeVar("_Counted")


def by_name(counter: Counter[str]) -> dict[str, int]:
    """Return counts in the order of their names."""
    return dict(sorted(counter.items()))


def by_label(counter: Counter[str]) -> dict[str, int]:
    """Return counts of error labels in the order of ``labels.yaml``."""
    ordered = sorted(counter, key=lambda label: (_PLACES.get(name_of(label), len(_PLACES)), label))
    return {label: counter[label] for label in ordered}


def _added(one: Any, other: Any) -> Any:
    if isinstance(one, dict) and not isinstance(one, Counter):
        both = {name: _added(one[name], other[name]) for name in one.keys() & other.keys()}
        return {**one, **other, **both}
    if is_dataclass(one) and not isinstance(one, type):
        return type(one)(
            *(_added(getattr(one, each.name), getattr(other, each.name)) for each in fields(one))
        )
    return one + other


def together(counted: Iterable[_Counted]) -> _Counted:
    """Return the counts and means over all cases of several groups; there must be at least one group."""
    return reduce(_added, counted)


@dataclass(slots=True)
class RunningMean:
    """The mean of the values added so far, independent of their order."""

    _values: Counter[float] = field(default_factory=Counter, repr=False)

    def add(self, value: float) -> None:
        """Add a value; it must be finite."""
        self._values[value] += 1

    @property
    def count(self) -> int:
        """Number of values."""
        return self._values.total()

    @property
    def mean(self) -> float | None:
        """The mean, None before the first value."""
        if not self._values:
            return None
        # An exact sum, because workers deliver records in any order.
        return math.fsum(value * times for value, times in self._values.items()) / self.count


def _means(names: Iterable[str]) -> dict[str, RunningMean]:
    return {name: RunningMean() for name in names}


@dataclass(slots=True)
class VariantScores:
    """Scores of a judge in one variant; cases without a score are counted by the reason."""

    weighted: int = 0
    no_score: Counter[str] = field(default_factory=Counter)
    mean: RunningMean = field(default_factory=RunningMean)


@dataclass(slots=True)
class Judgements:
    """Scores of a judge, with and without the reference."""

    cases: int = 0
    faults: int = 0
    variants: dict[str, VariantScores] = field(
        default_factory=lambda: {name: VariantScores() for name in VARIANTS}
    )

    def add(self, record: Record) -> None:
        """Add the judgements of a record, if it was judged."""
        error = record.infrastructure_error
        self.faults += error is not None and error.stage == JUDGE_STAGE
        if record.judge is None:
            return
        self.cases += 1
        for name, judgement in record.judge.judgements.items():
            variant = self.variants[name]
            if judgement.score is not None:
                variant.mean.add(judgement.score)
                variant.weighted += judgement.weighted
            elif judgement.error is not None:
                variant.no_score[judgement.error.kind] += 1

    def summary(self) -> JudgeSummary:
        """Return counts and means."""
        variants = {
            name: VariantSummary(each.mean.count, each.mean.mean, each.weighted, by_name(each.no_score))
            for name, each in self.variants.items()
        }
        return JudgeSummary(self.cases, self.faults, **variants)


@dataclass(slots=True)
class Answers:
    """Cases with a written answer; they are in no mean of scores."""

    cases: int = 0
    failed: int = 0
    states: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    support: RunningMean = field(default_factory=RunningMean)
    claims: Counter[str] = field(default_factory=Counter)
    """Claims of the answers: ``made``, ``not_held`` by the graph, ``traceable`` and ``traced``."""
    citations: Counter[str] = field(default_factory=Counter)
    """By the fields of `CitationSummary`."""
    measured: dict[str, RunningMean] = field(default_factory=dict)
    unmeasured: Counter[str] = field(default_factory=Counter)

    def add(self, record: Record) -> None:
        """Add a record, if an answer was requested."""
        turn = next((turn for turn in record.rounds if turn.of_answer), None)
        if turn is None:
            return
        self.cases += 1
        self.failed += record.answer_fault is not None
        if turn.verdict in _STATES:
            self.states[turn.verdict] += 1
        for claim in record.claims or ():
            if claim.origin != "question":
                self.claims["made"] += 1
                self.claims["not_held"] += claim.verdict in ("CONTRADICTED", "UNSUPPORTED")
                self.claims["traceable"] += claim.traced is not UNSET
                self.claims["traced"] += bool(claim.traced)
        if record.citations is not UNSET:
            self.citations.update(answers=1, wrong=len(record.citations.wrong))
            for name in ("sentences", "cited", "citations"):
                self.citations[name] += getattr(record.citations, name)
        if verification := record.verification:
            self.verdicts[verification.verdict] += 1
            if verification.support is not None:
                self.support.add(verification.support)
            for name in ANSWER_METRICS if verification.judge else ():
                if (measurement := getattr(verification.judge, name)) is UNSET:
                    continue
                mean = self.measured.setdefault(name, RunningMean())
                if measurement.score is None:
                    self.unmeasured[f"{name}: {measurement.error.kind}"] += 1
                else:
                    mean.add(measurement.score)

    @property
    def hallucination_rate(self) -> float | None:
        """Share of the claims that the graph does not hold; None without a claim."""
        return self.claims["not_held"] / made if (made := self.claims["made"]) else None

    @property
    def provenance_completeness(self) -> float | None:
        """Share of claims that procedure texts state; None where the graph's evidence was not at hand."""
        return self.claims["traced"] / of if (of := self.claims["traceable"]) else None

    def mean(self, name: str) -> float | None:
        """Return the mean of one of `ANSWER_METRICS`; None without a score."""
        return self.measured[name].mean if name in self.measured else None

    def summary(self) -> AnswerSummary:
        """Return counts, and means over the answers with claims and those measured."""
        means = {name: MeasuredMean(each.mean, each.count) for name, each in self.measured.items()}
        return AnswerSummary(
            cases=self.cases,
            **{name: self.states[name] for name in _STATES},
            failed=self.failed,
            verdicts=by_name(self.verdicts),
            support=self.support.mean,
            claiming=self.support.count,
            claims=self.claims["made"],
            hallucination_rate=self.hallucination_rate,
            traceable=self.claims["traceable"],
            provenance_completeness=self.provenance_completeness,
            citations=CitationSummary(**self.citations) if self.citations else UNSET,
            judge=AnswerMeasurements(**means, without_score=by_name(self.unmeasured)) if means else UNSET,
        )


@dataclass(slots=True)
class Fallbacks:
    """Cases with a fallback, and the scores of its rows, which are in no other mean."""

    cases: int = 0
    with_rows: int = 0
    passed: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    means: dict[str, RunningMean] = field(default_factory=lambda: _means(_OF_FALLBACKS))

    def add(self, record: Record) -> None:
        """Add a record, if it has a fallback."""
        fallback = record.execution.fallback if record.execution else UNSET
        if fallback is UNSET:
            return
        self.cases += 1
        self.with_rows += bool(fallback.row_count)
        self.passed += fallback.passed
        self.reasons[fallback.reason] += 1
        for name, mean in self.means.items():
            mean.add(getattr(fallback.scores, name))

    def summary(self) -> FallbackSummary:
        """Return counts, reasons and the means over the rows of fallbacks alone."""
        means = {name: mean.mean for name, mean in self.means.items()}
        return FallbackSummary(self.cases, self.with_rows, self.passed, by_name(self.reasons), means)


@dataclass(slots=True)
class Abstentions:
    """Cases in which the model said that the graph cannot answer the question, and those where it cannot."""

    abstained: int = 0
    unanswerable: int = 0
    right: int = 0
    """Both."""

    def add(self, record: Record) -> None:
        """Add a record."""
        self.abstained += record.abstained
        self.unanswerable += not record.is_answerable
        self.right += record.abstained and not record.is_answerable

    def summary(self) -> AbstentionSummary:
        """Return counts, precision and recall."""
        return AbstentionSummary(
            self.abstained,
            self.unanswerable,
            self.right,
            self.right / self.abstained if self.abstained else None,
            self.right / self.unanswerable if self.unanswerable else None,
        )


@dataclass(slots=True)
class LabelCounts:
    """Counts of error labels."""

    cases: int = 0
    passed: int = 0
    """Cases with labels that passed: all their values are right, but not each row."""
    primary: Counter[str] = field(default_factory=Counter)
    """Cases by their first label, with its detail."""
    any: Counter[str] = field(default_factory=Counter)
    """Cases by label, without details; a case counts once for each of its labels."""
    categories: Counter[str] = field(default_factory=Counter)
    """Table cases by CypherBench's error category."""

    def add(self, record: Record) -> None:
        """Add the labels of a record."""
        if record.errors:
            self.cases += 1
            self.passed += record.passed
            self.primary[record.errors[0]] += 1
            self.any.update({name_of(label) for label in record.errors})
            if record.error_category is not UNSET:
                self.categories[record.error_category] += 1

    def summary(self) -> ErrorSummary:
        """Return the counts, labels in the order of ``labels.yaml``."""
        categories = by_name(self.categories) if self.categories else UNSET
        return ErrorSummary(self.cases, self.passed, by_label(self.primary), by_label(self.any), categories)


@dataclass(slots=True)
class Group:
    """Counts and means of some cases. Those that were not run are counted, but in no mean."""

    passed: int = 0
    failed: int = 0
    infrastructure_errors: Counter[str] = field(default_factory=Counter)
    """Cases that were not run, by stage."""
    statuses: Counter[str] = field(default_factory=Counter)
    labels: LabelCounts = field(default_factory=LabelCounts)
    perfect: int = 0
    variations: Counter[str] = field(default_factory=Counter)
    """How the queries of perfect cases differ from the reference."""
    fallbacks: Fallbacks = field(default_factory=Fallbacks)
    answers: Answers = field(default_factory=Answers)
    judgements: Judgements = field(default_factory=Judgements)
    abstentions: Abstentions = field(default_factory=Abstentions)
    means: dict[str, RunningMean] = field(default_factory=lambda: _means(SCORE_METRICS))
    by_key: dict[str, dict[str, RunningMean]] = field(default_factory=dict)
    """Means of `RETRIEVAL_METRICS` of each key, over the cases in which they are defined."""

    def add(self, record: Record, variations: Sequence[str] | None) -> None:
        """Add a record, with what `retrocypher.plugins.scoring.variations.of_perfect` returned for it."""
        if (fault := record.fault) is not None:
            self.infrastructure_errors[fault.stage] += 1
            return
        self.judgements.add(record)
        if record.passed:
            self.passed += 1
        else:
            self.failed += 1
        self.statuses[str(record.execution and record.execution.status)] += 1
        self.perfect += variations is not None
        self.variations.update(variations or ())
        for part in (self.labels, self.fallbacks, self.answers, self.abstentions):
            part.add(record)
        if record.scores is not None:
            self._add_scores(record.scores)

    def _add_scores(self, scores: Scores) -> None:
        for name, mean in self.means.items():
            if (value := scores.value(name)) is not None:
                mean.add(value)
        for key, score in (scores.per_key or {}).items():
            if score.f1 is None:
                continue
            if key not in self.by_key:
                self.by_key[key] = _means(RETRIEVAL_METRICS)
            for name, mean in self.by_key[key].items():
                mean.add(getattr(score, name))

    @property
    def scored(self) -> int:
        """Number of cases with scores."""
        return self.passed + self.failed

    @property
    def errors(self) -> int:
        """Number of cases that were not run because of an infrastructure error."""
        return self.infrastructure_errors.total()

    @property
    def cases(self) -> int:
        """Number of cases."""
        return self.scored + self.errors

    @property
    def errors_by_stage(self) -> Counter[str]:
        """Number of infrastructure errors by stage; cases with an error of the judge have scores."""
        judge = Counter({JUDGE_STAGE: self.judgements.faults} if self.judgements.faults else {})
        return self.infrastructure_errors + judge

    @property
    def ran(self) -> float | None:
        """Share of the scored cases whose query ran; None without a case."""
        return self.statuses["ok"] / self.scored if self.scored else None

    @property
    def keys(self) -> dict[str, dict[str, RunningMean]]:
        """`by_key` in the order of `SCORED_KEYS`."""
        return {key: self.by_key[key] for key in SCORED_KEYS if key in self.by_key}

    def summary(self) -> GroupSummary:
        """Return counts and means; ``defined`` has the size of means over fewer than all scored cases."""
        means = {name: mean for name, mean in self.means.items() if mean.count or name not in MORE_METRICS}
        return GroupSummary(
            cases=self.cases,
            scored=self.scored,
            passed=self.passed,
            failed=self.failed,
            infrastructure_errors=self.errors,
            statuses=by_name(self.statuses),
            errors=self.labels.summary(),
            variations={"perfect": self.perfect, **{name: self.variations[name] for name in VARIATIONS}},
            fallback=self.fallbacks.summary() if self.fallbacks.cases else UNSET,
            answers=self.answers.summary() if self.answers.cases else UNSET,
            judge=self.judgements.summary() if self.judgements.cases else UNSET,
            abstention=self.abstentions.summary()
            if self.abstentions.unanswerable or self.abstentions.abstained
            else UNSET,
            means={name: mean.mean for name, mean in means.items()},
            per_key={
                key: KeyMeans(**{name: mean.mean for name, mean in means.items()}, cases=means["f1"].count)
                for key, means in self.keys.items()
            },
            defined={name: mean.count for name, mean in means.items() if mean.count != self.scored},
        )
