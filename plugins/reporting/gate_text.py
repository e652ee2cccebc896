"""Results of gates as lines of text. Without Rich, so that `retrocypher gate` starts fast."""

from collections.abc import Iterator

from msgspec import UNSET

from retrocypher.plugins.analysis.gate_decision import GateResult, RuleResult, RuleStatus, SliceResult
from retrocypher.plugins.analysis.paired_scores import Change
from retrocypher.plugins.analysis.scores import slice_name
from retrocypher.plugins.formatting.text import counted, one_line
from retrocypher.plugins.statistics.intervals import Estimate

_DIGITS, _MOST_DIGITS = 3, 10
_MANY = 12
_GATE_CHANGES = 5
_GATE_DIGITS = range(3, 10)


def gate_lines(result: GateResult) -> Iterator[str]:
    """Yield the verdict of a gate, each rule with number and interval, and the largest changes."""
    if result.reason:
        yield f"gate: {result.verdict.upper()}: {one_line(result.reason)}"
        return
    missed = sum(not each.holds for each in result.rules)
    of = counted(len(result.rules), "rule")
    yield f"gate: {result.verdict.upper()} ({f'{missed:,} of {of} not met' if missed else of})"
    shown: set[str] = set()
    for each in result.rules:
        yield from _rule(each, result.baseline)
        if each.changes and each.metric not in shown:
            shown.add(each.metric)
            yield f"    changed most, of {each.changed:,}:"
            yield from (f"      {change_line(change)}" for change in each.changes[:_GATE_CHANGES])
    yield from (f"  note: {one_line(note)}" for note in result.notes)


def rule_line(result: RuleResult) -> str:
    """Return a rule and its outcome on one line."""
    return f"{result.verdict.value}: {result.rule}{_outcome(result)}"


def estimate_text(estimate: Estimate, rule_number: float, sign: str = "") -> str:
    """Return a number with its interval, with enough digits to tell it from the number of the rule.

    Args:
        rule_number: The threshold or margin of the rule.
    """
    if estimate.value is None:
        return "n/a"
    value = estimate.value
    digits = next((n for n in _GATE_DIGITS if round(value, n) != rule_number or value == rule_number), 3)
    ends = (
        "no interval"
        if estimate.low is None or estimate.high is None
        else f"{estimate.low:{sign}.{digits}f} to {estimate.high:{sign}.{digits}f}"
    )
    return f"{value:{sign}.{digits}f} [{ends}]"


def _rule(result: RuleResult, baseline: str) -> Iterator[str]:
    met = ""
    if result.verdict is RuleStatus.INCONCLUSIVE:
        met = ", which is allowed" if result.holds else ", which does not hold"
    against = f" against {one_line(baseline)}" if result.least is UNSET else ""
    yield f"  {result.verdict.value:<12} {result.rule}{against}{_outcome(result)}{met}"
    if result.by and not result.reason:
        shown = result.slices
        if len(shown) > _MANY:
            shown = tuple(each for each in shown if each.verdict is not RuleStatus.HOLDS)
        yield from (
            f"    {each.verdict.value:<12} {slice_name(each.slice)}: {_number(result, each)}"
            for each in shown
        )
    yield from (f"    note: {note}" for note in result.notes)


def _outcome(result: RuleResult) -> str:
    if result.reason:
        return f": {one_line(result.reason)}"
    if result.by:
        missed = sum(each.verdict is not RuleStatus.HOLDS for each in result.slices)
        hold = "holds" if len(result.slices) == 1 else "hold"
        return f": {len(result.slices) - missed:,} of {counted(len(result.slices), 'slice')} {hold}"
    return "".join(f": {_number(result, each)}" for each in result.slices)


def _number(result: RuleResult, each: SliceResult) -> str:
    if each.estimate is None:
        return each.reason
    also = f" ({each.reason})" if each.reason else ""
    if result.least is not UNSET:
        return f"{estimate_text(each.estimate, result.least)} of {counted(each.estimate.n, 'case')}{also}"
    difference = estimate_text(each.estimate, -(result.margin or 0), "+")
    pairs = each.pairs
    counts = "" if pairs is UNSET else f", {pairs.wins:,} won, {pairs.losses:,} lost, {pairs.ties:,} tied"
    return f"{difference} of {counted(each.estimate.n, 'pair')}{counts}{also}"


def change_line(change: Change) -> str:
    """Return a changed pair on one line, with enough digits to tell its scores apart."""
    pairs = ((f"{change.a:.{digits}f}", f"{change.b:.{digits}f}") for digits in range(_DIGITS, _MOST_DIGITS))
    before, now = next((pair for pair in pairs if pair[0] != pair[1]), (repr(change.a), repr(change.b)))
    return f"{one_line(change.case)}: {before} before, {now} now"
