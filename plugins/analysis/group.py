"""Counts and means of one group of cases, as `summary.json` holds them."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from msgspec import UNSET, Struct

from retrocypher.kg.labels import LABELS, name_of
from retrocypher.plugins.runs.record import JUDGE_STAGE, METRICS, VARIANTS, AnswerJudge, JsonValue, Record
from retrocypher.plugins.scoring.labels import is_perfect
from retrocypher.plugins.scoring.variations import VARIATIONS, variations


@dataclass(slots=True)
class RunningMean:
    """The mean of the values added so far, independent of their order."""

    count: int = 0
    """Number of values."""
    _values: dict[float, int] = field(default_factory=dict, repr=False)

    def add(self, value: float) -> None:
        """Add a value; it must be finite."""
        self.count += 1
        self._values[value] = self._values.get(value, 0) + 1

    @property
    def mean(self) -> float | None:
        """The mean, None before the first value."""
        if not self.count:
            return None
        # An exact sum, because workers deliver records in any order.
        return math.fsum(value * times for value, times in self._values.items()) / self.count


class Pooled(Struct, frozen=True):
    """The mean over the cases of several groups."""

    mean: float
    count: int
    """Number of cases, at least 1."""


def pooled(parts: Iterable[tuple[float | None, int]]) -> Pooled | None:
    """Return the mean over all cases of some groups, given mean and size of each; None without a case."""
    known = [(mean, count) for mean, count in parts if mean is not None and count]
    count = sum(count for _, count in known)
    return Pooled(sum(mean * count for mean, count in known) / count, count) if count else None


@dataclass(slots=True)
class _Variant:
    weighted: int = 0
    no_score: Counter[str] = field(default_factory=Counter)
    mean: RunningMean = field(default_factory=RunningMean)


@dataclass(slots=True)
class Judgements:
    """Scores of a judge, with and without the reference; cases without a score are counted by the reason."""

    cases: int = 0
    faults: int = 0
    by_variant: dict[str, _Variant] = field(default_factory=lambda: {name: _Variant() for name in VARIANTS})

    def add(self, record: Record) -> None:
        """Add the judgements of a record, if it was judged."""
        error = record.infrastructure_error
        self.faults += error is not None and error.stage == JUDGE_STAGE
        if record.judge is None:
            return
        self.cases += 1
        for name, judgement in record.judge.judgements.items():
            variant = self.by_variant[name]
            if judgement.score is None:
                variant.no_score[(judgement.error or {}).get("kind", "unknown")] += 1
            else:
                variant.mean.add(judgement.score)
                variant.weighted += judgement.weighted

    def to_json(self) -> dict[str, JsonValue]:
        """Return counts and means.

        For each variant, ``scored`` is the number of judgements with a score, ``mean`` their mean,
        ``weighted`` how many of them are means over log-probabilities, and ``no_score`` counts the others by
        kind. ``faults`` counts cases whose judge could not be asked.
        """
        return {
            "cases": self.cases,
            "faults": self.faults,
            **{
                name: {
                    "scored": variant.mean.count,
                    "mean": variant.mean.mean,
                    "weighted": variant.weighted,
                    "no_score": dict(sorted(variant.no_score.items())),
                }
                for name, variant in self.by_variant.items()
            },
        }


MEASURED = ("faithfulness", "answer_relevancy")
"""What a judge measures of written answers, in the order of reports."""

_STATES = ("written", "insufficient", "empty")


@dataclass(slots=True)
class Answers:
    """Cases with a written answer; they are in no mean of scores."""

    cases: int = 0
    failed: int = 0
    states: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    support: RunningMean = field(default_factory=RunningMean)
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
        if verification := record.verification:
            self.verdicts[verification.verdict] += 1
            if verification.support is not None:
                self.support.add(verification.support)
            if verification.judge is not UNSET:
                self._add_measured(verification.judge)

    def _add_measured(self, judge: AnswerJudge) -> None:
        for name in MEASURED:
            measured = getattr(judge, name)
            if measured is UNSET:
                continue
            mean = self.measured.setdefault(name, RunningMean())
            if measured.score is None:
                self.unmeasured[f"{name}: {measured.error['kind']}"] += 1
            else:
                mean.add(measured.score)

    def to_json(self) -> dict[str, JsonValue]:
        """Return the counts, and the mean share of supported claims over the answers with claims.

        ``claiming`` is the number of those answers; ``failed`` counts cases where a model or the graph could
        not be asked for the text, its claims or their verdicts.
        """
        return {
            "cases": self.cases,
            **{name: self.states[name] for name in _STATES},
            "failed": self.failed,
            "verdicts": dict(sorted(self.verdicts.items())),
            "support": self.support.mean,
            "claiming": self.support.count,
            **({"judge": self._judge()} if self.measured else {}),
        }

    def _judge(self) -> dict[str, JsonValue]:
        means = {
            name: {"mean": mean.mean, "count": mean.count} for name, mean in sorted(self.measured.items())
        }
        return {**means, "without_score": dict(sorted(self.unmeasured.items()))}


_METRICS = ("f1", "precision", "recall")


@dataclass(slots=True)
class Fallbacks:
    """Cases with a fallback, and the scores of its rows, which are in no other mean."""

    cases: int = 0
    with_rows: int = 0
    passed: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    means: dict[str, RunningMean] = field(default_factory=lambda: {name: RunningMean() for name in _METRICS})

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

    def to_json(self) -> dict[str, JsonValue]:
        """Return counts, reasons and the means over the rows of fallbacks alone."""
        return {
            "cases": self.cases,
            "with_rows": self.with_rows,
            "passed": self.passed,
            "reasons": dict(sorted(self.reasons.items())),
            "means": {name: mean.mean for name, mean in self.means.items()},
        }


def perfect_variations(record: Record) -> list[str] | None:
    """Return how the query of a perfect case differs from the reference; None for any other case."""
    cypher, reference = record.cypher, record.reference_cypher
    if record.scores is None or not is_perfect(record.scores) or cypher is None:
        return None
    return [] if cypher == reference else variations(cypher, reference)


@dataclass(slots=True)
class LabelCounts:
    """Counts of error labels."""

    cases: int = 0
    """Cases with labels."""
    passed: int = 0
    """Cases with labels that passed: their values are right, but not row by row."""
    primary: Counter[str] = field(default_factory=Counter)
    """Cases by their first label, with its detail."""
    any: Counter[str] = field(default_factory=Counter)
    """Cases by label, without details; a case counts once for each of its labels."""

    def add(self, record: Record) -> None:
        """Add the labels of a record."""
        if record.errors:
            self.cases += 1
            self.passed += record.passed
            self.primary[record.errors[0]] += 1
            self.any.update({name_of(label) for label in record.errors})

    def to_json(self) -> dict[str, JsonValue]:
        """Return the counts, labels in the order of ``labels.yaml``."""
        return {
            "cases": self.cases,
            "passed": self.passed,
            "primary": _in_order(self.primary),
            "any": _in_order(self.any),
        }


@dataclass(slots=True)
class VariationCounts:
    """Counts of neutral variations among perfect cases."""

    perfect: int = 0
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, found: Iterable[str] | None) -> None:
        """Add what `perfect_variations` returned."""
        if found is not None:
            self.perfect += 1
            self.counts.update(found)

    def to_json(self) -> dict[str, int]:
        """Return the number of perfect cases, and of those that differ in each way."""
        return {"perfect": self.perfect, **{name: self.counts[name] for name in VARIATIONS}}


def _in_order(counter: Counter[str]) -> dict[str, int]:
    place = {name: number for number, name in enumerate(LABELS)}
    ordered = sorted(counter, key=lambda label: (place.get(name_of(label), len(place)), label))
    return {label: counter[label] for label in ordered}


@dataclass(slots=True)
class Group:
    """Counts and means of some cases. Those that were not run are counted, but in no mean."""

    passed: int = 0
    failed: int = 0
    infrastructure_errors: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    labels: LabelCounts = field(default_factory=LabelCounts)
    variations: VariationCounts = field(default_factory=VariationCounts)
    fallbacks: Fallbacks = field(default_factory=Fallbacks)
    answers: Answers = field(default_factory=Answers)
    judgements: Judgements = field(default_factory=Judgements)
    means: dict[str, RunningMean] = field(default_factory=lambda: {name: RunningMean() for name in METRICS})

    def add(self, record: Record, variations: Sequence[str] | None) -> None:
        """Add a record, with what `perfect_variations` returned for it."""
        error = record.infrastructure_error
        if error is not None and not record.was_run:
            self.infrastructure_errors[error.stage] += 1
            return
        self.judgements.add(record)
        if record.passed:
            self.passed += 1
        else:
            self.failed += 1
        self.statuses[str(record.execution and record.execution.status)] += 1
        self.labels.add(record)
        self.variations.add(variations)
        self.fallbacks.add(record)
        self.answers.add(record)
        if record.scores is not None:
            for name, mean in self.means.items():
                value = record.scores.value(name)
                if value is not None:
                    mean.add(value)

    @property
    def errors(self) -> int:
        """Number of cases that were not run because of an infrastructure error."""
        return self.infrastructure_errors.total()

    @property
    def errors_by_stage(self) -> Counter[str]:
        """Number of infrastructure errors by stage; cases with an error of the judge have scores."""
        judge = Counter({JUDGE_STAGE: self.judgements.faults} if self.judgements.faults else {})
        return self.infrastructure_errors + judge

    def to_json(self) -> dict[str, JsonValue]:
        """Return counts and means; ``defined`` has the size of means over fewer than all scored cases."""
        scored = self.passed + self.failed
        return {
            "cases": scored + self.errors,
            "scored": scored,
            "passed": self.passed,
            "failed": self.failed,
            "infrastructure_errors": self.errors,
            "statuses": dict(sorted(self.statuses.items())),
            "errors": self.labels.to_json(),
            "variations": self.variations.to_json(),
            **({"fallback": self.fallbacks.to_json()} if self.fallbacks.cases else {}),
            **({"answers": self.answers.to_json()} if self.answers.cases else {}),
            **({"judge": self.judgements.to_json()} if self.judgements.cases else {}),
            "means": {name: mean.mean for name, mean in self.means.items()},
            "defined": {name: mean.count for name, mean in self.means.items() if mean.count != scored},
        }
