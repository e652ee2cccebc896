"""A gate: rules, and what a run is measured against."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from kg.errors import InputError
from plugins.baselines import find_side
from plugins.comparison import Side
from plugins.gate._judge import judge_rule
from plugins.gate._parse import parse_rule
from plugins.gate._result import GateResult, GateVerdict
from plugins.gate._rules import NO_REGRESSION, AtLeast, NoRegression, Rule


@dataclass(frozen=True, slots=True)
class Gate:
    """Rules that a run is to meet.

    Attributes:
        rules: The rules, at least one.
        baseline: What the run is measured against; None where no rule asks for one.
        allow_inconclusive: Whether a rule against regressions holds where nothing can be told.
        partial: Whether a part of the planned cases may be judged, and what run and baseline have in common.
        idle: The baseline that is named although no rule needs one; empty where there is none.
    """

    rules: tuple[Rule, ...]
    baseline: Side | None
    allow_inconclusive: bool
    partial: bool
    idle: str = ""

    @property
    def compared_metrics(self) -> tuple[str, ...]:
        """The scores that are compared with the baseline."""
        return tuple(dict.fromkeys(rule.metric for rule in self.rules if isinstance(rule, NoRegression)))

    def __str__(self) -> str:
        against = f" (against {self.baseline.name})" if self.baseline else ""
        return "; ".join(map(str, self.rules)) + against

    def judge(self, run: Side) -> GateResult:
        """Return what becomes of the rules; refuses an incomplete run, and a part of one unless allowed.

        Args:
            run: The scores of the run.
        """
        name = self.baseline.name if self.baseline else ""
        if run.incomplete:
            reason = f"the run is incomplete: {run.incomplete}"
            return GateResult(GateVerdict.REFUSED, reason, incomplete=True, baseline=name)
        if run.part and not self.partial:
            reason = f"the run is not whole: {run.part}; --gate-partial judges it all the same"
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
) -> Gate:
    """Read rules and the baseline they need.

    Args:
        rules: As a user writes them, at least one.
        baseline: Name or folder of the baseline.
        root: The project's folder, which ``reports/baselines`` is below.
        allow_inconclusive: As in `Gate`.
        partial: As in `Gate`.
        standing: Whether the baseline is a standing setting, not named for these rules: then it may be idle.

    Raises:
        InputError: If a rule cannot be read, the baseline it needs is not named, incomplete or unreadable, or
            no rule needs the one that is named.
    """
    read = tuple(dict.fromkeys(parse_rule(text) for text in rules))
    if baseline is not None and not any(isinstance(rule, NoRegression) for rule in read):
        if not standing:
            raise idle_baseline(baseline, "; ".join(map(str, read)))
        return Gate(read, None, allow_inconclusive, partial, idle=baseline)
    return Gate(read, _baseline(read, baseline, root), allow_inconclusive, partial)


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
