"""What a gate found."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.comparison import Compared, compare_sides, still_said
from retrocypher.plugins.analysis.gate_rules import AtLeast, NoRegression, Rule
from retrocypher.plugins.analysis.paired_scores import Change
from retrocypher.plugins.analysis.score_table import ScoreTable, slice_means
from retrocypher.plugins.analysis.scores import JUDGED, Side
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.paired import Held, PairedComparison, no_regression

if TYPE_CHECKING:
    from retrocypher.plugins.judge.stored_calibration import Filed


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


def unpaired(only_baseline: int, only_run: int) -> str:
    """Say how a run differs from its baseline in what is asked; empty where all cases are pairs.

    Args:
        only_baseline: How many cases only the baseline has.
        only_run: How many cases only the run has.
    """
    parts = []
    if only_baseline:
        cases, has = counted(only_baseline, "case"), _has(only_baseline)
        parts.append(f"{cases} of the baseline {has} no partner in this run")
    if only_run:
        parts.append(f"{counted(only_run, 'case')} of this run {_has(only_run)} no partner in the baseline")
    return " and ".join(parts)


def _has(count: int) -> str:
    return "has" if count == 1 else "have"


TIE = 1e-9
"""A mean this near to its threshold is at it: sums of floats end in digits that mean nothing."""

REMEDY = "Run as the baseline was, or save a new one with `retrocypher baseline save RUN NAME --replace`."
COMMON = "With --gate-partial what they have in common is judged."
CHANGES = 10
_WORST = (Found.FAILS, Found.REGRESSED, Found.INCONCLUSIVE, Found.HOLDS)
_AS = {
    Held.HOLDS: Found.HOLDS,
    Held.REGRESSED: Found.REGRESSED,
    Held.INCONCLUSIVE: Found.INCONCLUSIVE,
}


def judge_rule(
    rule: Rule, run: Side, baseline: Side | None, *, allow_inconclusive: bool, partial: bool
) -> RuleFinding:
    """Return what becomes of a rule.

    Args:
        rule: The rule.
        run: The scores of the run.
        baseline: Those it is measured against; needed by rules against regressions.
        allow_inconclusive: Whether what cannot be told holds.
        partial: Whether what run and baseline have in common is enough; else a case without a partner fails.
    """
    if isinstance(rule, AtLeast):
        slices = tuple(_at_least(rule, run.table()))
        found = _worst(slices)
        return RuleFinding(rule, found, found is Found.HOLDS, slices)
    try:
        if baseline is None:
            raise InputError("there is no baseline to compare with")
        by = (rule.by,) if rule.by else ()
        compared = compare_sides(baseline, run, rule.metric, by, remedy=REMEDY)
    except InputError as error:
        return RuleFinding(rule, Found.FAILS, holds=False, reason=str(error))
    if not partial and (other := _unpaired(compared)):
        return RuleFinding(rule, Found.FAILS, holds=False, reason=f"{other}. {REMEDY} {COMMON}")
    slices = tuple(_against(rule, run, compared))
    found = _worst(slices)
    holds = found is Found.HOLDS or (found is Found.INCONCLUSIVE and allow_inconclusive)
    # Of changes of one size, losses first: they are what the rule is about.
    changes = sorted(
        compared.comparison.changes, key=lambda each: (-abs(each.b - each.a), each.b > each.a, each.case)
    )
    return RuleFinding(
        rule,
        found,
        holds,
        slices,
        changes=tuple(changes[:CHANGES]),
        changed=len(changes),
        notes=tuple(_notes(compared, slices)),
    )


def _at_least(rule: AtLeast, table: ScoreTable) -> Iterator[SliceFinding]:
    told = list(slice_means(table, rule.by, (rule.metric,)))
    if not told:
        yield SliceFinding({}, Found.FAILS, None, "there is no case")
    for each in told:
        if each.mean.value is None:
            yield SliceFinding(
                each.slice, Found.FAILS, None, f"{rule.metric} is defined for none of its cases"
            )
        else:
            holds = each.mean.value >= rule.least - TIE
            yield SliceFinding(each.slice, Found.HOLDS if holds else Found.FAILS, each.mean)


def _against(rule: NoRegression, run: Side, compared: Compared) -> Iterator[SliceFinding]:
    comparison = compared.comparison
    # Only what pairs share can be sliced by: in all else the two differ.
    if other := [name for name in rule.by if name not in (*_OF_QUESTIONS, *comparison.paired_on)]:
        reason = f"the run and its baseline have no {other[0]} in common, so there are no slices by it"
        yield SliceFinding({}, Found.FAILS, None, reason)
        return
    for pairs in comparison.slices if rule.by else (comparison.overall,):
        found = _AS[no_regression(pairs.difference, rule.margin)]
        reason = "" if pairs.difference.has_interval else "too few molecules for an interval"
        yield SliceFinding(pairs.slice, found, pairs.difference, reason, pairs)
    compared_slices = [each.slice for each in comparison.slices]
    for labels, _ in run.table().slices(rule.by) if rule.by else ():
        if labels not in compared_slices:
            yield SliceFinding(
                labels, Found.FAILS, None, "no case of it has a partner with a score in the baseline"
            )


_OF_QUESTIONS = ("setting", "task", "steps")


def _notes(compared: Compared, slices: Iterable[SliceFinding]) -> Iterator[str]:
    told = compared.comparison
    if still := still_said(each.pairs for each in slices if each.pairs is not None):
        yield still
    if other := _unpaired(compared):
        yield other
    if told.unscored:
        has = "has" if len(told.unscored) == 1 else "have"
        yield f"{counted(len(told.unscored), 'pair')} {has} no {told.metric} on one side"
    if compared.a.part:
        yield f"the baseline is {compared.a.part}"


def _unpaired(compared: Compared) -> str:
    return unpaired(len(compared.comparison.only_a), len(compared.comparison.only_b))


def _worst(slices: tuple[SliceFinding, ...]) -> Found:
    return min((each.found for each in slices), key=_WORST.index, default=Found.FAILS)


JUDGE_KAPPA = 0.6
"""The least that the lower end of kappa's interval may be; 0.61 begins *substantial* (Landis & Koch 1977)."""

MOST_UNJUDGED = 0.05
"""The largest share of queries that a calibration may have no score of."""

_CALIBRATE = "`retrocypher judge --calibrate --judge MODEL`"


def judge_rules(rules: Iterable[Rule]) -> list[AtLeast]:
    """Return the rules that are about a judge's score."""
    return [rule for rule in rules if isinstance(rule, AtLeast) and rule.metric in JUDGED]


def distrust(
    rules: Iterable[Rule], facts: Mapping[str, Any] | None, filed: Sequence["Filed"], least: float
) -> str:
    """Return why a judge's score may not be gated on; empty where it may.

    Args:
        rules: The rules of a gate.
        facts: What the manifest says of the judge; None where there is none.
        filed: The calibrations on file, the newest first.
        least: What the lower end of kappa's interval must be at least.
    """
    for rule in judge_rules(rules):
        if facts is None:
            return (
                f"the rule {rule} needs a judge, and the run has none; give it one with --judge MODEL, or "
                "afterwards with `retrocypher judge RUN --judge MODEL`"
            )
        if reason := _distrust(JUDGED[rule.metric], facts, filed, least):
            return f"the rule {rule} is about a judge that is not known to be right: {reason}"
    return ""


def unjudged(rules: Iterable[Rule], run: Side) -> str:
    """Return how many scored cases have no score of the judge, in words; empty where all have one.

    Args:
        rules: The rules of a gate.
        run: The scores of the run.
    """
    for rule in judge_rules(rules):
        scored = [each["scores"] for each in run.records if each["scores"] is not None]
        without = sum(scores.get(rule.metric) is None for scores in scored)
        if without:
            return f"{without:,} of {len(scored):,} cases have no score for {rule.metric}"
    return ""


def _distrust(variant: str, facts: Mapping[str, Any], filed: Sequence["Filed"], least: float) -> str:
    # Not before a rule needs it: a gate without a judge starts sooner.
    from retrocypher.plugins.judge.stored_calibration import newest_of, of_model

    found = newest_of(filed, facts, variant)
    if found is None:
        judge = f"the judge {facts['model']['label']}"
        if of_model(filed, facts):
            return (
                f"the calibrations of {judge} are of other criteria, rows or variants than those of the "
                f"run; calibrate it anew with {_CALIBRATE}"
            )
        return f"no calibration of {judge} is on file; make one with {_CALIBRATE}"
    kappa, name = found.kappa[variant], f"its calibration {found.name}"
    if found.unjudged[variant] > MOST_UNJUDGED:
        return (
            f"{name} has no score of {100 * found.unjudged[variant]:.1f} % of its queries, and "
            f"{100 * MOST_UNJUDGED:g} % is the most; take a judge that keeps to the form of its answer"
        )
    wanted = f"{least:g} is asked for (--gate-judge-kappa)"
    if kappa.low is None or kappa.value is None:
        if kappa.value is not None and kappa.value < least:
            return f"{name} has a kappa of {kappa.value:.3f}, without an interval, and {wanted}"
        return f"{name} tells no interval of kappa; take a larger sample with --per-error"
    if not kappa.low >= least:
        return (
            f"{name} has a kappa of {kappa.value:.3f}, at least {kappa.low:.3f} (95 % interval), and {wanted}"
        )
    return ""


def unasked(rules: Sequence[Rule], run: Side) -> str:
    """Return which judgements are missing that a rule is about, in words; empty where none.

    Args:
        rules: The rules of a gate.
        run: The scores of the run.
    """
    about = judge_rules(rules)
    return f"{run.unasked:,} whose judge could not be asked, for {about[0]}" if about and run.unasked else ""


def aside(rules: Sequence[Rule], run: Side) -> str:
    """Return what is missing that no rule is about, in words; empty where nothing is.

    Args:
        rules: The rules of a gate.
        run: The scores of the run.
    """
    judgements = 0 if judge_rules(rules) else run.unasked
    lacking = [f"{counted(judgements, 'case')} without a judgement"] if judgements else []
    lacking += [f"{counted(run.unanswered, 'case')} without a whole answer"] if run.unanswered else []
    return f"judged although incomplete, in what no rule is about: {', '.join(lacking)}" if lacking else ""
