"""A gate: rules for a run, and the baseline they compare it with."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.baselines import find_scores
from retrocypher.plugins.analysis.comparison import require_common
from retrocypher.plugins.analysis.gate_decision import (
    INCOMPLETE,
    GateResult,
    GateVerdict,
    distrust,
    judge_rule,
    judge_rules,
    missing_aside,
    missing_judgements,
    unjudged,
)
from retrocypher.plugins.analysis.gate_rules import (
    NO_REGRESSION,
    NonInferiority,
    Rule,
    Threshold,
    parse_rule,
)
from retrocypher.plugins.analysis.run_scores import RunScores
from retrocypher.plugins.runs.manifest import JudgeEntry
from retrocypher.plugins.runs.record import JUDGE_KAPPA

if TYPE_CHECKING:
    from retrocypher.plugins.judge.stored_calibration import StoredCalibration


class Gate(Struct, frozen=True):
    """Rules that a run must meet."""

    rules: tuple[Rule, ...]
    baseline: RunScores | None
    """What the run is compared with; None if no rule needs it."""
    allow_inconclusive: bool
    partial: bool
    """Whether a run may be judged that lacks planned cases, or cases of its baseline."""
    unused_baseline: str = ""
    """A baseline that is configured although no rule needs one; empty if there is none."""
    calibrations: "tuple[StoredCalibration, ...]" = ()
    """Stored calibrations of judges; read only if a rule is about a judge's score."""
    judge_kappa: float = JUDGE_KAPPA
    """Minimum lower confidence bound of the judge's kappa."""

    @property
    def comparisons(self) -> tuple[NonInferiority, ...]:
        """The rules that compare a run with the baseline."""
        return tuple(rule for rule in self.rules if isinstance(rule, NonInferiority))

    def __str__(self) -> str:
        against = f" (against {self.baseline.name})" if self.baseline else ""
        return "; ".join(map(str, self.rules)) + against

    @property
    def needs_judge(self) -> bool:
        """Whether a rule is about the score of a judge."""
        return bool(judge_rules(self.rules))

    def distrusts(self, judge: JudgeEntry | None) -> str:
        """Return why a rule cannot use the score of this judge; empty if all can, or none does."""
        return distrust(self.rules, judge, self.calibrations, self.judge_kappa)

    def judge(self, run: RunScores) -> GateResult:
        """Return the outcome of the rules; an incomplete run is refused, and a partial one unless allowed.

        A run is incomplete if it lacks what a rule is about: scores of execution for every rule, and
        judgements for one about a judge. Anything else it lacks is noted. A part of the planned cases is
        judged if the baseline has all of them.

        Raises InputError if the files of the run do not agree.
        """
        name = self.baseline.name if self.baseline else ""
        if lacks := run.incomplete or missing_judgements(self.rules, run):
            return GateResult(GateVerdict.REFUSED, f"the run is incomplete: {lacks}", INCOMPLETE, name)
        if run.disagreement:
            raise InputError(run.disagreement)
        covered = bool(run.part) and not run.cut and self.covers(run)
        if run.part and not (self.partial or covered):
            return _refused(f"the run is partial: {run.part}; {self._why_not(run)}", name)
        if reason := self.distrusts(run.manifest.judge):
            return _refused(reason, name)
        if (without := unjudged(self.rules, run)) and not self.partial:
            return _refused(f"{without}; --gate-partial judges the others anyway", name)
        allowed = {"allow_inconclusive": self.allow_inconclusive, "partial": self.partial or covered}
        results = tuple(judge_rule(rule, run, self.baseline, **allowed) for rule in self.rules)
        holds = all(each.holds for each in results)
        verdict = GateVerdict.HOLDS if holds else GateVerdict.FAILS
        return GateResult(verdict, "", int(not holds), name, results, tuple(self._notes(run)))

    def covers(self, part: RunScores) -> bool:
        """Return whether the baseline has every case of a part of a run; False without a baseline."""
        if self.baseline is None:
            return False
        try:
            _, only_part = require_common(
                self.baseline.table(), part.table(), (self.baseline.name, part.name)
            )
        except InputError:
            return False
        return not only_part

    def _why_not(self, run: RunScores) -> str:
        judges = "--gate-partial judges it anyway"
        if run.cut or self.baseline is None:
            return judges
        return f"{self.baseline.name} lacks some of its cases, and {judges}"

    def _notes(self, run: RunScores) -> Iterator[str]:
        for lacking in (run.part, unjudged(self.rules, run)):
            if lacking:
                yield f"judged on a partial run: {lacking}"
        if lacking := missing_aside(self.rules, run):
            yield lacking
        if self.unused_baseline:
            yield f"baseline {self.unused_baseline} is not used: there is no {NO_REGRESSION} rule"
        pooled = [rule for rule in self.rules if isinstance(rule, Threshold) and "model" not in rule.by]
        if len(run.models) > 1 and pooled:
            yield f"{pooled[0]} takes {len(run.models)} models together; by model separates them"


def _refused(reason: str, baseline: str) -> GateResult:
    return GateResult(GateVerdict.REFUSED, reason, baseline=baseline)


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
    """Read rules and the baseline they need; see `Gate` for the other options.

    Raises InputError if a rule cannot be read, the baseline that it needs is not named, incomplete or
    unreadable, no rule needs the named baseline, or a calibration that a rule needs cannot be read.

    Args:
        root: The project's folder, with ``reports/baselines`` and ``reports/calibrations``.
        standing: Whether the baseline is configured for all runs, so that these rules need not use it.
    """
    parsed = tuple(dict.fromkeys(parse_rule(text) for text in rules))
    against, unused = None, ""
    if baseline is None or any(isinstance(rule, NonInferiority) for rule in parsed):
        against = _baseline(parsed, baseline, root)
    elif standing:
        unused = baseline
    else:
        raise unused_baseline(baseline, "; ".join(map(str, parsed)))
    return Gate(
        parsed,
        against,
        allow_inconclusive,
        partial,
        unused,
        calibrations=_calibrations(parsed, root),
        judge_kappa=judge_kappa,
    )


def _calibrations(rules: Iterable[Rule], root: Path) -> "tuple[StoredCalibration, ...]":
    if not judge_rules(rules):
        return ()
    # Imported late: a gate without a judge starts sooner.
    from retrocypher.plugins.judge.stored_calibration import load_calibrations

    return tuple(load_calibrations(root))


def unused_baseline(baseline: str, rules: str) -> InputError:
    """Return the error for a baseline that no rule uses; ``rules`` is empty if there is none."""
    why = f"{rules} needs none" if rules else "there is no rule"
    return InputError(
        f"--baseline {baseline}: nothing would be compared with it, because {why}; add a rule such as "
        f'"{NO_REGRESSION} f1 margin=0.02", or leave out --baseline'
    )


def _baseline(rules: Iterable[Rule], baseline: str | None, root: Path) -> RunScores | None:
    needing = next((rule for rule in rules if isinstance(rule, NonInferiority)), None)
    if needing is None:
        return None
    if baseline is None:
        raise InputError(f"the rule {needing} needs a baseline; name one with --baseline NAME, or its folder")
    try:
        scores = find_scores(baseline, root)
    except InputError as error:
        raise InputError(f"--baseline {error}") from error
    if scores.incomplete:
        raise InputError(f"--baseline {baseline}: an incomplete run ({scores.incomplete}) is no baseline")
    if scores.disagreement:
        raise InputError(f"--baseline {scores.disagreement}")
    return replace(scores, name=f"baseline {baseline}")
