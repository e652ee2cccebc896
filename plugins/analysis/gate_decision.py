"""Whether a run meets the rules of a gate, and whether its judge can be trusted."""

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from msgspec import UNSET, Struct, UnsetType, ValidationError, convert

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.comparison import Change, RunComparison, compare_runs
from retrocypher.plugins.analysis.gate_rules import NO_REGRESSION, NonInferiority, Rule, Threshold
from retrocypher.plugins.analysis.run_scores import RunScores
from retrocypher.plugins.analysis.scores import JUDGED, LEAK, Label, ScoreTable
from retrocypher.plugins.analysis.variation import slice_figures
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.manifest import JudgeEntry
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.means import TIE, certain_share
from retrocypher.plugins.statistics.paired import PairedComparison, non_inferiority

if TYPE_CHECKING:
    from retrocypher.plugins.judge.stored_calibration import StoredCalibration


INCOMPLETE = 16


class RuleStatus(StrEnum):
    """Outcome of a rule, or of one slice of it."""

    HOLDS = "holds"
    FAILS = "fails"
    REGRESSED = "regressed"
    INCONCLUSIVE = "inconclusive"


class GateVerdict(StrEnum):
    """Outcome of a gate; it refuses runs that it cannot judge."""

    HOLDS = "holds"
    FAILS = "fails"
    REFUSED = "refused"


class SliceResult(Struct, frozen=True):
    """Outcome of one slice of a rule."""

    slice: dict[str, Label]
    """What its cases have in common; empty for all cases."""
    verdict: RuleStatus
    reason: str = ""
    """Why it fails, if the reason is not its number; otherwise empty."""
    estimate: Estimate | None = None
    """The mean, or the difference from the baseline; None without a case."""
    pairs: PairedComparison | UnsetType = UNSET
    """The comparison, for a non-inferiority rule."""


class RuleResult(Struct, frozen=True, kw_only=True):
    """Outcome of a rule."""

    rule: str
    """The rule as a user writes it."""
    kind: Literal["at-least", "at-most", "no-regression"]
    """A threshold, or non-inferiority to the baseline."""
    metric: str
    by: tuple[str, ...]
    """What it is sliced by; empty for all cases together."""
    least: float | UnsetType = UNSET
    most: float | UnsetType = UNSET
    margin: float | UnsetType = UNSET
    verdict: RuleStatus
    """The worst outcome of its slices."""
    holds: bool
    """Whether the rule holds; an inconclusive one may be allowed."""
    reason: str = ""
    """Why nothing could be compared; otherwise empty."""
    slices: tuple[SliceResult, ...] = ()
    changed: int = 0
    """Number of pairs that changed."""
    changes: tuple[Change, ...] = ()
    """The pairs that changed most."""
    notes: tuple[str, ...] = ()


class GateResult(Struct, frozen=True):
    """Outcome of a gate."""

    verdict: GateVerdict
    """The outcome; it holds if all rules do."""
    reason: str = ""
    """Why the run is refused; otherwise empty."""
    exit_status: int = 1
    """0 if the gate holds, 16 for an incomplete run, otherwise 1."""
    baseline: str = ""
    """Name of the baseline; empty without one."""
    rules: tuple[RuleResult, ...] = ()
    """The outcome of each rule; none for a run that is refused."""
    notes: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Whether the run passes."""
        return self.verdict is GateVerdict.HOLDS

    @property
    def incomplete(self) -> bool:
        """Whether the run is refused because it is incomplete."""
        return self.exit_status == INCOMPLETE


def stored_gate(run: RunLog) -> GateResult | None:
    """Return the result of the gate of a run; None if it had none, or another version stored other fields."""
    stored = run.summary.gate
    if stored is UNSET:
        return None
    try:
        return convert(stored, GateResult)
    except ValidationError:
        return None


def unpaired(only_baseline: int, only_run: int) -> str:
    """Return in words how many cases only the baseline and only the run have; empty if all are pairs."""
    parts = []
    if only_baseline:
        parts.append(
            f"{counted(only_baseline, 'case')} of the baseline {_has(only_baseline)} no partner in this run"
        )
    if only_run:
        parts.append(f"{counted(only_run, 'case')} of this run {_has(only_run)} no partner in the baseline")
    return " and ".join(parts)


def _has(count: int) -> str:
    return "has" if count == 1 else "have"


REMEDY = (
    "Run under the conditions of the baseline, or save a new one with "
    "`retrocypher baseline save RUN NAME --replace`."
)
COMMON = "With --gate-partial the common cases are judged."
CHANGES = 10
_WORST = (RuleStatus.FAILS, RuleStatus.REGRESSED, RuleStatus.INCONCLUSIVE, RuleStatus.HOLDS)


def judge_rule(
    rule: Rule, run: RunScores, baseline: RunScores | None, *, allow_inconclusive: bool, partial: bool
) -> RuleResult:
    """Return the outcome of a rule; unless ``partial``, a case without a partner in the baseline fails it."""
    if isinstance(rule, Threshold):
        try:
            slices = tuple(_threshold_slices(rule, run.where(rule.leak, _sure(rule, run)).table()))
        except InputError as error:
            return _result(rule, RuleStatus.FAILS, False, reason=str(error))
        status = _worst(slices)
        return _result(rule, status, status is RuleStatus.HOLDS, slices=slices)
    try:
        if baseline is None:
            raise InputError("there is no baseline to compare with")
        sure = _sure(rule, run)
        run, baseline = run.where(rule.leak, sure), baseline.where(rule.leak, sure)
        by = (rule.by,) if rule.by else ()
        compared = compare_runs(baseline, run, rule.metric, by, remedy=REMEDY)
    except InputError as error:
        return _result(rule, RuleStatus.FAILS, False, reason=str(error))
    if not partial and (other := _unpaired(compared)):
        return _result(rule, RuleStatus.FAILS, False, reason=f"{other}. {REMEDY} {COMMON}")
    slices = tuple(_compared_slices(rule, run, compared))
    status = _worst(slices)
    # Among changes of one size losses come first, because the rule is about them.
    changes = sorted(compared.changes, key=lambda each: (-abs(each.b - each.a), each.b > each.a, each.case))
    return _result(
        rule,
        status,
        status is RuleStatus.HOLDS or (status is RuleStatus.INCONCLUSIVE and allow_inconclusive),
        slices=slices,
        changes=tuple(changes[:CHANGES]),
        changed=len(changes),
        notes=tuple(_notes(compared)),
    )


def _sure(rule: Rule, run: RunScores) -> frozenset[str] | None:
    """Return the ids of the questions that a rule is about; None if it is about all."""
    if not rule.confidence:
        return None
    # Imported late: only such a rule needs the evidence and the graph.
    from retrocypher.plugins.analysis.gold_confidence import sure_questions

    return sure_questions(run.questions, run.conditions.fixed["graph fingerprint"], rule.confidence)


def _result(rule: Rule, verdict: RuleStatus, holds: bool, **more: Any) -> RuleResult:
    kind: Any
    if isinstance(rule, NonInferiority):
        kind = {"kind": NO_REGRESSION, "margin": rule.margin}
    elif rule.is_most:
        kind = {"kind": "at-most", "most": rule.limit}
    else:
        kind = {"kind": "at-least", "least": rule.limit}
    return RuleResult(
        rule=str(rule), metric=rule.metric, by=rule.by, verdict=verdict, holds=holds, **kind, **more
    )


def _threshold_slices(rule: Threshold, table: ScoreTable) -> Iterator[SliceResult]:
    means = list(slice_figures(table, rule.by, rule.metric))
    if not means:
        yield SliceResult({}, RuleStatus.FAILS, "there is no case")
    for each in means:
        if each.mean.value is None:
            yield SliceResult(each.slice, RuleStatus.FAILS, f"{rule.metric} is defined for none of its cases")
        else:
            # The last digits of sums of floats are noise.
            value, limit = each.mean.value, rule.limit
            holds = value <= limit + TIE if rule.is_most else value >= limit - TIE
            yield SliceResult(each.slice, RuleStatus.HOLDS if holds else RuleStatus.FAILS, "", each.mean)


def _compared_slices(rule: NonInferiority, run: RunScores, compared: RunComparison) -> Iterator[SliceResult]:
    # Slices need a label that both cases of a pair have.
    if other := [name for name in rule.by if name not in (*_OF_QUESTIONS, LEAK, *compared.paired_on)]:
        reason = f"the run and its baseline have no {other[0]} in common, so there are no slices by it"
        yield SliceResult({}, RuleStatus.FAILS, reason)
        return
    for pairs in compared.slices if rule.by else (compared.overall,):
        status = RuleStatus(non_inferiority(pairs, rule.margin))
        yield SliceResult(pairs.slice, status, _too_few(pairs, rule.margin), pairs.difference, pairs)
    compared_slices = [each.slice for each in compared.slices]
    for labels, _ in run.table().slices(rule.by) if rule.by else ():
        if labels not in compared_slices:
            reason = "no case of it has a partner with a score in the baseline"
            yield SliceResult(labels, RuleStatus.FAILS, reason)


_OF_QUESTIONS = ("setting", "task", "steps")


def _too_few(found: PairedComparison, margin: float) -> str:
    """Return why equal runs could not show a margin with so few clusters; empty if they could."""
    if not found.difference.has_interval:
        return "too few clusters of questions for an interval"
    smallest = 1 - certain_share(found.effective_clusters)
    if not 0 < margin <= smallest:
        return ""
    clusters = f"{found.effective_clusters:,.0f} (effective) clusters of questions"
    return f"{clusters} can show no margin below {smallest:.2g}"


def _notes(compared: RunComparison) -> Iterator[str]:
    if other := _unpaired(compared):
        yield other
    if count := len(compared.unscored):
        yield f"{counted(count, 'pair')} {_has(count)} no {compared.metric} on one side"
    if compared.a.part:
        yield f"the baseline is {compared.a.part}"


def _unpaired(compared: RunComparison) -> str:
    return unpaired(len(compared.only_a), len(compared.only_b))


def _worst(slices: tuple[SliceResult, ...]) -> RuleStatus:
    return min((each.verdict for each in slices), key=_WORST.index, default=RuleStatus.FAILS)


MOST_UNJUDGED = 0.05
"""The largest share of queries of a calibration that may lack a score."""

_CALIBRATE = "`retrocypher judge --calibrate --judge MODEL`"


def judge_rules(rules: Iterable[Rule]) -> list[Threshold]:
    """Return the rules about a judge's score."""
    return [rule for rule in rules if isinstance(rule, Threshold) and rule.metric in JUDGED]


def distrust(
    rules: Iterable[Rule], judge: JudgeEntry | None, calibrations: Sequence["StoredCalibration"], least: float
) -> str:
    """Return why the judge of a rule cannot be trusted; empty if all can. Calibrations come newest first."""
    for rule in judge_rules(rules):
        if judge is None:
            return (
                f"the rule {rule} needs a judge, and the run has none; give it one with --judge MODEL, or "
                "afterwards with `retrocypher judge RUN --judge MODEL`"
            )
        if reason := _distrust(JUDGED[rule.metric], judge, calibrations, least):
            return f"the rule {rule} needs a judge with a good calibration: {reason}"
    return ""


def unjudged(rules: Iterable[Rule], run: RunScores) -> str:
    """Return in words how many scored cases have no score of the judge; empty if all have one."""
    for rule in judge_rules(rules):
        scored = [each.scores for each in run.cases if each.scores is not None]
        without = sum(scores.get(rule.metric) is None for scores in scored)
        if without:
            return f"{without:,} of {len(scored):,} cases have no score for {rule.metric}"
    return ""


def _distrust(
    variant: str, judge: JudgeEntry, calibrations: Sequence["StoredCalibration"], least: float
) -> str:
    # Imported late: a gate without a judge starts sooner.
    from retrocypher.plugins.judge.stored_calibration import newest_of, of_model

    found = newest_of(calibrations, judge, variant)
    if found is None:
        name = f"the judge {judge.model.label}"
        if of_model(calibrations, judge):
            return (
                f"the calibrations of {name} have other criteria, rows or variants than the run; "
                f"calibrate it again with {_CALIBRATE}"
            )
        return f"{name} has no stored calibration; make one with {_CALIBRATE}"
    measured, name = found.calibration.variants[variant], f"its calibration {found.name}"
    if not measured.queries:
        return (
            f"{name} was made by an earlier version and lacks the scores of its queries, so its kappa cannot "
            f"be checked; make it again with {_CALIBRATE} (completions in the cache cost nothing)"
        )
    kappa = measured.kappa
    if measured.unjudged_share > MOST_UNJUDGED:
        return (
            f"{name} has no score for {100 * measured.unjudged_share:.1f} % of its queries, and at most "
            f"{100 * MOST_UNJUDGED:g} % are allowed; use a judge that keeps to the form of its completion"
        )
    required = f"--gate-judge-kappa requires {least:g}"
    if kappa.low is None or kappa.value is None:
        if kappa.value is not None and kappa.value < least:
            return f"{name} has a kappa of {kappa.value:.3f}, without an interval, and {required}"
        return f"{name} has no interval of kappa; take a larger sample with --per-error"
    if not kappa.low >= least:
        return (
            f"{name} has a kappa of {kappa.value:.3f}, at least {kappa.low:.3f} (95 % interval), "
            f"and {required}"
        )
    return ""


def missing_judgements(rules: Sequence[Rule], run: RunScores) -> str:
    """Return in words which judgements a rule needs and the run lacks; empty if none."""
    about, missing = judge_rules(rules), run.missing_judgements
    return f"{missing:,} whose judge could not be asked, for {about[0]}" if about and missing else ""


def missing_aside(rules: Sequence[Rule], run: RunScores) -> str:
    """Return in words what the run lacks that no rule needs; empty if nothing."""
    judgements = 0 if judge_rules(rules) else run.missing_judgements
    lacking = [f"{counted(judgements, 'case')} without a judgement"] if judgements else []
    if run.missing_answers:
        lacking.append(f"{counted(run.missing_answers, 'case')} without a whole answer")
    return f"judged although incomplete in what no rule is about: {', '.join(lacking)}" if lacking else ""
