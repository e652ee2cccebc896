"""A gate: rules, and what a run is measured against."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.baselines import find_side
from retrocypher.plugins.analysis.gate_decision import (
    JUDGE_KAPPA,
    GateResult,
    GateVerdict,
    aside,
    distrust,
    judge_rule,
    judge_rules,
    unasked,
    unjudged,
)
from retrocypher.plugins.analysis.gate_rules import NO_REGRESSION, AtLeast, NoRegression, Rule, parse_rule
from retrocypher.plugins.analysis.scores import Side

if TYPE_CHECKING:
    from retrocypher.plugins.judge.stored_calibration import Filed


@dataclass(frozen=True, slots=True)
class Gate:
    """Rules that a run is to meet.

    Attributes:
        rules: The rules, at least one.
        baseline: What the run is measured against; None where no rule asks for one.
        allow_inconclusive: Whether a rule against regressions holds where nothing can be told.
        partial: Whether a part of the planned cases may be judged, and what run and baseline have in common.
        idle: The baseline that is named although no rule needs one; empty where there is none.
        calibrations: The calibrations of judges on file; read only where a rule is about a judge's score.
        judge_kappa: What the lower end of their kappa must be at least.
    """

    rules: tuple[Rule, ...]
    baseline: Side | None
    allow_inconclusive: bool
    partial: bool
    idle: str = ""
    calibrations: "tuple[Filed, ...]" = ()
    judge_kappa: float = JUDGE_KAPPA

    @property
    def compared_metrics(self) -> tuple[str, ...]:
        """The scores that are compared with the baseline."""
        return tuple(dict.fromkeys(rule.metric for rule in self.rules if isinstance(rule, NoRegression)))

    def __str__(self) -> str:
        against = f" (against {self.baseline.name})" if self.baseline else ""
        return "; ".join(map(str, self.rules)) + against

    @property
    def asks_a_judge(self) -> bool:
        """Whether a rule is about the score of a judge."""
        return bool(judge_rules(self.rules))

    def distrusts(self, judge: Mapping[str, Any] | None) -> str:
        """Return why the rules may not be about the score of a judge; empty where they may, or are not.

        Args:
            judge: What the manifest says of the run's judge; None where it has none.
        """
        return distrust(self.rules, judge, self.calibrations, self.judge_kappa)

    def judge(self, run: Side) -> GateResult:
        """Return what becomes of the rules; refuses an incomplete run, and a part of one unless allowed.

        Incomplete is one that lacks what a rule is about: scores of execution, whatever the rule, and for one
        on a judge its judgements. What else it lacks is noted.

        Args:
            run: The scores of the run.
        """
        name = self.baseline.name if self.baseline else ""
        if lacks := run.incomplete or unasked(self.rules, run):
            reason = f"the run is incomplete: {lacks}"
            return GateResult(GateVerdict.REFUSED, reason, incomplete=True, baseline=name)
        if run.part and not self.partial:
            reason = f"the run is not whole: {run.part}; --gate-partial judges it all the same"
            return GateResult(GateVerdict.REFUSED, reason, baseline=name)
        if reason := self.distrusts(run.manifest.get("judge")):
            return GateResult(GateVerdict.REFUSED, reason, baseline=name)
        if (without := unjudged(self.rules, run)) and not self.partial:
            reason = f"{without}; --gate-partial judges the others all the same"
            return GateResult(GateVerdict.REFUSED, reason, baseline=name)
        rules = tuple(
            judge_rule(
                rule,
                run,
                self.baseline,
                allow_inconclusive=self.allow_inconclusive,
                partial=self.partial,
            )
            for rule in self.rules
        )
        verdict = GateVerdict.HOLDS if all(each.holds for each in rules) else GateVerdict.FAILS
        return GateResult(verdict, rules=rules, baseline=name, notes=tuple(self._notes(run)))

    def _notes(self, run: Side) -> Iterator[str]:
        if run.part:
            yield f"judged although not whole: {run.part}"
        if without := unjudged(self.rules, run):
            yield f"judged although not whole: {without}"
        if lacking := aside(self.rules, run):
            yield lacking
        if self.idle:
            yield f"baseline {self.idle} is not looked at: no rule is a {NO_REGRESSION} one"
        together = [rule for rule in self.rules if isinstance(rule, AtLeast) and "model" not in rule.by]
        if len(run.models) > 1 and together:
            yield f"{together[0]} takes {len(run.models)} models together; by model tells them apart"


def gate_of(
    rules: Sequence[str],
    baseline: str | None,
    root: Path,
    *,
    allow_inconclusive: bool = False,
    partial: bool = False,
    standing: bool = False,
    judge_kappa: float = JUDGE_KAPPA,
) -> Gate:
    """Read rules and the baseline they need.

    Args:
        rules: As a user writes them, at least one.
        baseline: Name or folder of the baseline.
        root: The project's folder, which ``reports/baselines`` and ``reports/calibrations`` are below.
        allow_inconclusive: As in `Gate`.
        partial: As in `Gate`.
        standing: Whether the baseline is a standing setting, not named for these rules: then it may be idle.
        judge_kappa: As in `Gate`.

    Raises:
        InputError: If a rule cannot be read, the baseline it needs is not named, incomplete or unreadable, no
            rule needs the one that is named, or a calibration that a rule needs cannot be read.
    """
    read = tuple(dict.fromkeys(parse_rule(text) for text in rules))
    if baseline is not None and not any(isinstance(rule, NoRegression) for rule in read):
        if not standing:
            raise idle_baseline(baseline, "; ".join(map(str, read)))
        against, idle = None, baseline
    else:
        against, idle = _baseline(read, baseline, root), ""
    return Gate(
        read,
        against,
        allow_inconclusive,
        partial,
        idle,
        calibrations=_calibrations(read, root),
        judge_kappa=judge_kappa,
    )


def _calibrations(rules: Iterable[Rule], root: Path) -> "tuple[Filed, ...]":
    if not judge_rules(rules):
        return ()
    # What it needs takes its time, which a gate without a judge need not.
    from retrocypher.plugins.judge.stored_calibration import filed

    return tuple(filed(root))


def idle_baseline(baseline: str, rules: str) -> InputError:
    """Return the error of a baseline that is named for nothing.

    Args:
        baseline: What the user named.
        rules: The rules there are, in words; empty without any.
    """
    why = f"{rules} needs none" if rules else "there is no rule"
    return InputError(
        f"--baseline {baseline}: nothing would be measured against it, for {why}; add a rule such as "
        f'"{NO_REGRESSION} f1 margin=0.02", or leave out --baseline'
    )


def _baseline(rules: Iterable[Rule], baseline: str | None, root: Path) -> Side | None:
    needing = next((rule for rule in rules if isinstance(rule, NoRegression)), None)
    if needing is None:
        return None
    if baseline is None:
        raise InputError(f"the rule {needing} needs a baseline; name one with --baseline NAME, or its folder")
    side = find_side(baseline, root)
    if side.incomplete:
        raise InputError(f"--baseline {baseline}: an incomplete run ({side.incomplete}) is no baseline")
    return side
