"""Counts of what was wrong, and of how perfect queries differ from the reference."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kg.labels import LABELS, name_of
from plugins.taxonomy import VARIATIONS, is_perfect, variations


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
