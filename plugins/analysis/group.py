"""Counts and means of one group of cases."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from retrocypher.kg.labels.error_labels import LABELS, name_of
from retrocypher.plugins.judge.criteria import judgements_of
from retrocypher.plugins.judge.judgement import VARIANTS
from retrocypher.plugins.runs.record import JUDGE_STAGE, METRICS, answer_fault, is_of_answer, was_run
from retrocypher.plugins.scoring.labels import is_perfect
from retrocypher.plugins.scoring.variations import VARIATIONS, variations


@dataclass(slots=True)
class RunningMean:
    """The mean of what was added so far, whatever the order it came in.

    Attributes:
        count: How many values were added.
    """

    count: int = 0
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
        # An exact sum: workers deliver records in any order, and the mean must not show it.
        return math.fsum(value * times for value, times in self._values.items()) / self.count


@dataclass(frozen=True, slots=True)
class Pooled:
    """The mean over the cases of several groups.

    Attributes:
        mean: The mean.
        count: How many cases it is of, at least 1.
    """

    mean: float
    count: int


def pooled(parts: Iterable[tuple[float | None, int]]) -> Pooled | None:
    """Return the mean over all cases of some groups; None where there is no case.

    Args:
        parts: Mean and number of cases of each group; the mean of none is not read.
    """
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

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record in, where it was judged."""
        error = record.get("infrastructure_error") or {}
        self.faults += error.get("stage") == JUDGE_STAGE
        self.cases += record.get("judge") is not None
        for variant, judgement in judgements_of(record):
            told = self.by_variant[variant]
            if judgement.score is None:
                told.no_score[(judgement.error or {}).get("kind", "unknown")] += 1
            else:
                told.mean.add(judgement.score)
                told.weighted += judgement.weighted

    def to_json(self) -> dict[str, Any]:
        """Return counts and means.

        Of each variant ``scored`` is how many judgements have a score, ``mean`` their mean, ``weighted`` how
        many of them are means over log-probabilities, and ``no_score`` the others by kind. ``faults`` counts
        cases whose judge could not be asked.
        """
        return {
            "cases": self.cases,
            "faults": self.faults,
            **{
                variant: {
                    "scored": told.mean.count,
                    "mean": told.mean.mean,
                    "weighted": told.weighted,
                    "no_score": dict(sorted(told.no_score.items())),
                }
                for variant, told in self.by_variant.items()
            },
        }


MEASURED = ("faithfulness", "answer_relevancy")
"""What a judge measures of written answers, in the order it is told."""

_STATES = ("written", "insufficient", "empty")


@dataclass(slots=True)
class Answers:
    """Cases that an answer was to be written for; no mean of scores knows of them."""

    cases: int = 0
    failed: int = 0
    states: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    support: RunningMean = field(default_factory=RunningMean)
    measured: dict[str, RunningMean] = field(default_factory=dict)
    unmeasured: Counter[str] = field(default_factory=Counter)

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record in, where an answer was to be written."""
        turn = next((turn for turn in record.get("rounds") or () if is_of_answer(turn["role"])), None)
        if turn is None:
            return
        self.cases += 1
        self.failed += answer_fault(record) is not None
        if turn["verdict"] in _STATES:
            self.states[turn["verdict"]] += 1
        # Records of the first versions have no such field.
        verification = record.get("verification")
        if verification is not None:
            self.verdicts[str(verification["verdict"])] += 1
            if verification["support"] is not None:
                self.support.add(verification["support"])
            self._add_measured(verification.get("judge") or {})

    def _add_measured(self, judge: Mapping[str, Any]) -> None:
        for name, told in judge.items():
            if name == "model":
                continue
            mean = self.measured.setdefault(name, RunningMean())
            if told["score"] is None:
                self.unmeasured[f"{name}: {told['error']['kind']}"] += 1
            else:
                mean.add(told["score"])

    def to_json(self) -> dict[str, Any]:
        """Return the counts, and the mean share of supported claims over the answers that claim anything.

        ``claiming`` says how many those are; ``failed`` are the cases where a model or the graph could not be
        asked, for the text, its claims or their verdicts.
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

    def _judge(self) -> dict[str, Any]:
        means = {
            name: {"mean": mean.mean, "count": mean.count} for name, mean in sorted(self.measured.items())
        }
        return {**means, "without_score": dict(sorted(self.unmeasured.items()))}


_METRICS = ("f1", "precision", "recall")


@dataclass(slots=True)
class Fallbacks:
    """Cases whose query brought nothing, and what the rows found instead are worth: in no other mean."""

    cases: int = 0
    with_rows: int = 0
    passed: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    means: dict[str, RunningMean] = field(default_factory=lambda: {name: RunningMean() for name in _METRICS})

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a record in, where it has a fallback."""
        fallback = (record.get("execution") or {}).get("fallback")
        if fallback is None:
            return
        self.cases += 1
        self.with_rows += bool(fallback["row_count"])
        self.passed += bool(fallback["passed"])
        self.reasons[str(fallback["reason"])] += 1
        for name, mean in self.means.items():
            mean.add(fallback["scores"][name])

    def to_json(self) -> dict[str, Any]:
        """Return counts, reasons and the means over the rows of fallbacks alone."""
        return {
            "cases": self.cases,
            "with_rows": self.with_rows,
            "passed": self.passed,
            "reasons": dict(sorted(self.reasons.items())),
            "means": {name: mean.mean for name, mean in self.means.items()},
        }


def perfect_variations(record: Mapping[str, Any]) -> list[str] | None:
    """Return how the query of a perfect case differs from the reference; None for any other case.

    Args:
        record: A record as in ``records.jsonl``.
    """
    cypher, reference = record.get("cypher"), record.get("reference_cypher")
    if not record.get("scores") or not is_perfect(record["scores"]) or cypher is None or reference is None:
        return None
    return [] if cypher == reference else variations(cypher, reference)


@dataclass(slots=True)
class LabelCounts:
    """Counts of error labels.

    Attributes:
        cases: Cases with labels.
        passed: Those of them that passed all the same: their values are right, but not row by row.
        primary: Cases by their first label, with its detail.
        any: Cases by label, without details; a case counts once for each label it has.
    """

    cases: int = 0
    passed: int = 0
    primary: Counter[str] = field(default_factory=Counter)
    any: Counter[str] = field(default_factory=Counter)

    def add(self, record: Mapping[str, Any]) -> None:
        """Count the labels of a record in."""
        labels = record.get("errors") or []
        if labels:
            self.cases += 1
            self.passed += bool(record.get("passed"))
            self.primary[labels[0]] += 1
            self.any.update({name_of(label) for label in labels})

    def to_json(self) -> dict[str, Any]:
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
        """Count what `perfect_variations` returned in."""
        if found is not None:
            self.perfect += 1
            self.counts.update(found)

    def to_json(self) -> dict[str, int]:
        """Return how many cases are perfect and how many of them differ in each way."""
        return {"perfect": self.perfect, **{name: self.counts[name] for name in VARIATIONS}}


def _in_order(counter: Counter[str]) -> dict[str, int]:
    place = {name: number for number, name in enumerate(LABELS)}
    ordered = sorted(counter, key=lambda label: (place.get(name_of(label), len(place)), label))
    return {label: counter[label] for label in ordered}


@dataclass(slots=True)
class Group:
    """Cases taken together. Those that were not run are counted and in no mean."""

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

    def add(self, record: Mapping[str, Any], variations: Sequence[str] | None) -> None:
        """Count a record in.

        Args:
            record: A record as in ``records.jsonl``.
            variations: How its query differs from the reference; None where the case is not perfect.
        """
        if not was_run(record):
            self.infrastructure_errors[str(record["infrastructure_error"].get("stage"))] += 1
            return
        self.judgements.add(record)
        if record.get("passed"):
            self.passed += 1
        else:
            self.failed += 1
        self.statuses[str((record.get("execution") or {}).get("status"))] += 1
        self.labels.add(record)
        self.variations.add(variations)
        self.fallbacks.add(record)
        self.answers.add(record)
        scores = record.get("scores") or {}
        for name, mean in self.means.items():
            if scores.get(name) is not None:
                mean.add(scores[name])

    @property
    def errors(self) -> int:
        """How many cases had an infrastructure error."""
        return self.infrastructure_errors.total()

    @property
    def errors_by_stage(self) -> Counter[str]:
        """How many cases had an infrastructure error, by stage; those of the judge have scores."""
        judge = Counter({JUDGE_STAGE: self.judgements.faults} if self.judgements.faults else {})
        return self.infrastructure_errors + judge

    def to_json(self) -> dict[str, Any]:
        """Return counts and means.

        ``defined`` says over how many cases a mean was taken, where that is not all that have scores.
        """
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
