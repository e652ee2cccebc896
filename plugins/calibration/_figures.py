"""The figures of a calibration."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plugins.statistics import Estimate


@dataclass(frozen=True, slots=True)
class Rate:
    """How often a judge is mistaken about one kind of query.

    Attributes:
        rate: The share of the judged queries.
        score: Their mean score.
    """

    rate: Estimate
    score: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return {"rate": self.rate.to_json(), "score": self.score.to_json()}


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """How a score moves when a right query is written in another way.

    Attributes:
        change: Mean score of the variants less that of their references, -1 to 1.
        size: Mean distance of the two scores, 0 to 1.
        turned: The share of variants that are accepted where their reference is not, or the reverse.
    """

    change: Estimate
    size: Estimate
    turned: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return {name: getattr(self, name).to_json() for name in ("change", "size", "turned")}


@dataclass(frozen=True, slots=True)
class TestRetest:
    """How much a judge differs from itself, over queries that it scored each time.

    Attributes:
        repeats: How often each was judged.
        spread: The mean standard deviation of the scores of a query (n - 1).
        largest: The largest distance of two scores of one query; None without a query.
        turned: The share of queries that were not always accepted, nor always rejected.
    """

    repeats: int
    spread: Estimate
    largest: float | None
    turned: Estimate

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        told = {"spread": self.spread.to_json(), "turned": self.turned.to_json()}
        return {"repeats": self.repeats, "largest": self.largest, **told}


@dataclass(frozen=True, slots=True)
class Measured:
    """A judge against what is known.

    Attributes:
        judged: How many queries have a score.
        unjudged: How many have none, by the kind of error.
        false_accept_rate: The share of errors that the judge takes for right.
        false_reject_rate: The share of right queries that it takes for wrong.
        by_error: The first, for each label of errors.
        by_right: The second, for references and each group of neutral variants.
        kappa: Cohen's kappa of *score at least 0.5* with *right*.
        auroc: How likely a right query has a higher score than a wrong one.
        sensitivity: By group of neutral operators, how the score moves.
        test_retest: How much the judge differs from itself.
    """

    judged: int
    unjudged: Mapping[str, int]
    false_accept_rate: Estimate
    false_reject_rate: Estimate
    by_error: Mapping[str, Rate]
    by_right: Mapping[str, Rate]
    kappa: Estimate
    auroc: Estimate
    sensitivity: Mapping[str, Sensitivity]
    test_retest: TestRetest

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        numbers = ("false_accept_rate", "false_reject_rate", "kappa", "auroc", "test_retest")
        groups = ("by_error", "by_right", "sensitivity")
        return {
            "judged": self.judged,
            "unjudged": dict(self.unjudged),
            **{name: getattr(self, name).to_json() for name in numbers},
            **{
                name: {group: each.to_json() for group, each in getattr(self, name).items()}
                for name in groups
            },
        }
