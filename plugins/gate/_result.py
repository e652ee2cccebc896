"""What a gate found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from plugins.gate._rules import AtLeast, NoRegression, Rule
from plugins.statistics import Change, Estimate, PairedComparison

INCOMPLETE = 16


class Found(StrEnum):
    """What became of a rule, or of a slice of it."""

    HOLDS = "holds"
    FAILS = "fails"
    REGRESSED = "regressed"
    INCONCLUSIVE = "inconclusive"


class GateVerdict(StrEnum):
    """What became of a gate: refused where the run is none that a gate can judge."""

    HOLDS = "holds"
    FAILS = "fails"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class SliceFinding:
    """What became of one slice of a rule.

    Attributes:
        slice: What its cases share; empty for all.
        found: The verdict.
        estimate: The mean, or the difference from the baseline, with its interval; None without a case.
        reason: Why it fails other than by its number; else empty.
        pairs: The comparison, for a rule against regressions.
    """

    slice: Mapping[str, str | int]
    found: Found
    estimate: Estimate | None
    reason: str = ""
    pairs: PairedComparison | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        told: dict[str, Any] = {
            "slice": dict(self.slice),
            "verdict": self.found.value,
            "reason": self.reason,
            "estimate": None if self.estimate is None else self.estimate.to_json(),
        }
        return told if self.pairs is None else {**told, "pairs": self.pairs.to_json()}


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """What became of a rule.

    Attributes:
        rule: The rule.
        found: The worst of its slices.
        holds: Whether it holds, an inconclusive one being allowed or not.
        slices: What became of its slices.
        reason: Why nothing could be compared; else empty.
        changes: The pairs that changed most.
        changed: How many pairs changed.
        notes: What else there is to know.
    """

    rule: Rule
    found: Found
    holds: bool
    slices: tuple[SliceFinding, ...] = ()
    reason: str = ""
    changes: tuple[Change, ...] = ()
    changed: int = 0
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        rule = self.rule
        asked = {"least": rule.least} if isinstance(rule, AtLeast) else {"margin": rule.margin}
        return {
            "rule": str(rule),
            "kind": "no-regression" if isinstance(rule, NoRegression) else "at-least",
            "metric": rule.metric,
            "by": list(rule.by),
            **asked,
            "verdict": self.found.value,
            "holds": self.holds,
            "reason": self.reason,
            "slices": [each.to_json() for each in self.slices],
            "changed": self.changed,
            "changes": [
                {"case": each.case, "question_id": each.question, "a": each.a, "b": each.b}
                for each in self.changes
            ],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class GateResult:
    """What became of a gate.

    Attributes:
        verdict: Holds where all rules do.
        reason: Why the run is refused; else empty.
        incomplete: Whether that is because it is incomplete.
        rules: What became of each rule; none of a run that is refused.
        baseline: Name of the baseline; empty without one.
        notes: What else there is to know.
    """

    verdict: GateVerdict
    reason: str = ""
    incomplete: bool = False
    rules: tuple[RuleFinding, ...] = ()
    baseline: str = ""
    notes: tuple[str, ...] = field(default=())

    @property
    def holds(self) -> bool:
        """Whether the run may pass."""
        return self.verdict is GateVerdict.HOLDS

    @property
    def exit_status(self) -> int:
        """The exit status it calls for: 0 where it holds, 16 of an incomplete run, else 1."""
        return INCOMPLETE if self.incomplete else int(not self.holds)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as one JSON object."""
        return {
            "verdict": self.verdict.value,
            "reason": self.reason,
            "exit_status": self.exit_status,
            "baseline": self.baseline,
            "rules": [each.to_json() for each in self.rules],
            "notes": list(self.notes),
        }
