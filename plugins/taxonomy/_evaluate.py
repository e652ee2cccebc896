"""How well labels find planted errors."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kg.labels import LABELS, detail_of, name_of


@dataclass(slots=True)
class Evaluation:
    """Planted errors beside the labels that were given.

    Attributes:
        confusion: Cases by planted and primary label, without details.
        right: Cases whose primary label is the planted one; where that has a detail, with the same.
        named: Cases whose primary label is the planted one, details aside.
        found: Cases whose labels hold the planted one, details aside.
        misses: Cases that are not right, by operator, planted label and given labels.
    """

    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    right: int = 0
    named: int = 0
    found: int = 0
    misses: Counter[tuple[str, str, tuple[str, ...]]] = field(default_factory=Counter)

    def add(self, operator: str, planted: str, given: list[str]) -> None:
        """Count one case in.

        Args:
            operator: What planted the error.
            planted: Its label.
            given: The labels that `labels_of` returned, one at least.
        """
        primary, name = given[0], name_of(planted)
        is_right = primary == planted if detail_of(planted) else name_of(primary) == name
        self.confusion[name, name_of(primary)] += 1
        self.right += is_right
        self.named += name_of(primary) == name
        self.found += name in map(name_of, given)
        if not is_right:
            self.misses[operator, planted, tuple(given)] += 1

    @property
    def cases(self) -> int:
        """How many cases were counted."""
        return self.confusion.total()

    def share(self, count: int) -> float:
        """Return a count as a share of all cases, in [0, 1]; 0 where there are none."""
        return count / self.cases if self.cases else 0.0

    @property
    def primary_share(self) -> float:
        """The share of cases whose planted error is the primary label, in [0, 1]."""
        return self.share(self.right)

    @property
    def other_share(self) -> float:
        """The share of cases whose primary label is ``other``, in [0, 1]."""
        return self.share(self.given("other"))

    def planted(self, label: str) -> int:
        """How many cases a label was planted in."""
        return sum(count for (planted, _), count in self.confusion.items() if planted == label)

    def given(self, label: str) -> int:
        """How many cases a label was given to first."""
        return sum(count for (_, given), count in self.confusion.items() if given == label)

    def to_json(self) -> dict[str, Any]:
        """Return all counts as one JSON object, the most frequent misses first."""
        confusion, misses = self.confusion.most_common(), self.misses.most_common()
        return {
            "cases": self.cases,
            "right": self.right,
            "named": self.named,
            "found": self.found,
            "other": self.given("other"),
            "confusion": [
                {"planted": planted, "primary": given, "cases": count}
                for (planted, given), count in confusion
            ],
            "misses": [
                {"operator": operator, "planted": planted, "given": list(given), "cases": count}
                for (operator, planted, given), count in misses
            ],
        }

    def labels(self) -> list[str]:
        """Return the labels that occur, in the order of ``labels.yaml``."""
        seen = {label for pair in self.confusion for label in pair}
        return [label for label in LABELS if label in seen]


def evaluate(cases: Iterable[tuple[str, str, list[str]]]) -> Evaluation:
    """Return how well labels find planted errors.

    Args:
        cases: Operator, planted label and given labels of each case.
    """
    evaluation = Evaluation()
    for operator, planted, given in cases:
        evaluation.add(operator, planted, given)
    return evaluation
