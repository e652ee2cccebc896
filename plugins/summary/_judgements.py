"""What a judge made of a group of cases, counted apart from what execution says."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from plugins.judge import VARIANTS, judgements_of
from plugins.records import JUDGE_STAGE
from plugins.summary._running import RunningMean


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
