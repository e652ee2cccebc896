"""Whether the score of a judge may be gated on: only where the judge was calibrated, and well enough."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from plugins.comparison import JUDGED, Side
from plugins.gate._rules import AtLeast, Rule

if TYPE_CHECKING:
    from plugins.calibration import Filed

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
    from plugins.calibration import newest_of, of_model

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
