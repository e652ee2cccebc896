"""Counts and means of one group of cases."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from plugins.records import JUDGE_STAGE, was_run
from plugins.scoring import METRICS
from plugins.summary._answers import Answers
from plugins.summary._fallbacks import Fallbacks
from plugins.summary._judgements import Judgements
from plugins.summary._labels import LabelCounts, VariationCounts
from plugins.summary._running import RunningMean


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
