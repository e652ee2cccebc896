"""What a gate found, in lines for a terminal."""

from collections.abc import Iterator

from plugins.comparison import change_line, slice_name
from plugins.gate._result import Found, GateResult, RuleFinding, SliceFinding
from plugins.gate._rules import AtLeast
from plugins.statistics import Estimate
from plugins.terminal import counted, one_line

_MANY = 12
_CHANGES = 5
_DIGITS = range(3, 10)


def gate_lines(result: GateResult) -> Iterator[str]:
    """Yield what became of a gate: its verdict, each rule with number and interval, and what changed most.

    Args:
        result: What the gate found.
    """
    if result.reason:
        yield f"gate: {result.verdict.upper()}: {one_line(result.reason)}"
        return
    missed = sum(not each.holds for each in result.rules)
    of = counted(len(result.rules), "rule")
    yield f"gate: {result.verdict.upper()} ({f'{missed:,} of {of} not met' if missed else of})"
    shown: set[str] = set()
    for each in result.rules:
        yield from _rule(each, result.baseline)
        if each.changes and each.rule.metric not in shown:
            shown.add(each.rule.metric)
            yield f"    changed most, of {each.changed:,}:"
            yield from (f"      {change_line(change)}" for change in each.changes[:_CHANGES])
    yield from (f"  note: {one_line(note)}" for note in result.notes)


def rule_line(finding: RuleFinding) -> str:
    """Return a rule and what became of it, in one line.

    Args:
        finding: What became of it.
    """
    return f"{finding.found.value}: {finding.rule}{_told(finding)}"


def estimate_text(estimate: Estimate, rule_number: float, sign: str = "") -> str:
    """Return a number with its interval, with digits enough to tell it from the number of the rule.

    Args:
        estimate: The number.
        rule_number: What it was held against.
        sign: ``+`` where a plus is to be shown.
    """
    if estimate.value is None:
        return "n/a"
    value = estimate.value
    digits = next((n for n in _DIGITS if round(value, n) != rule_number or value == rule_number), 3)
    ends = (
        "no interval"
        if estimate.low is None or estimate.high is None
        else f"{estimate.low:{sign}.{digits}f} to {estimate.high:{sign}.{digits}f}"
    )
    return f"{value:{sign}.{digits}f} [{ends}]"


def _rule(finding: RuleFinding, baseline: str) -> Iterator[str]:
    met = "" if finding.holds or finding.found is not Found.INCONCLUSIVE else ", which does not hold"
    if finding.found is Found.INCONCLUSIVE and finding.holds:
        met = ", which is allowed"
    against = "" if isinstance(finding.rule, AtLeast) else f" against {one_line(baseline)}"
    yield f"  {finding.found.value:<12} {finding.rule}{against}{_told(finding)}{met}"
    if finding.rule.by and not finding.reason:
        shown = finding.slices
        if len(shown) > _MANY:
            shown = tuple(each for each in shown if each.found is not Found.HOLDS)
        yield from (f"    {each.found.value:<12} {_slice(finding, each)}" for each in shown)
    yield from (f"    note: {note}" for note in finding.notes)


def _told(finding: RuleFinding) -> str:
    if finding.reason:
        return f": {one_line(finding.reason)}"
    if finding.rule.by:
        missed = sum(each.found is not Found.HOLDS for each in finding.slices)
        hold = "holds" if len(finding.slices) == 1 else "hold"
        return f": {len(finding.slices) - missed:,} of {counted(len(finding.slices), 'slice')} {hold}"
    return "".join(f": {_number(finding, each)}" for each in finding.slices)


def _slice(finding: RuleFinding, each: SliceFinding) -> str:
    return f"{slice_name(each.slice)}: {_number(finding, each)}"


def _number(finding: RuleFinding, each: SliceFinding) -> str:
    if each.estimate is None:
        return each.reason
    also = f" ({each.reason})" if each.reason else ""
    rule = finding.rule
    if isinstance(rule, AtLeast):
        return f"{estimate_text(each.estimate, rule.least)} of {counted(each.estimate.n, 'case')}{also}"
    told = estimate_text(each.estimate, -rule.margin, "+")
    pairs = each.pairs
    counts = "" if pairs is None else f", {pairs.wins:,} won, {pairs.losses:,} lost, {pairs.ties:,} tied"
    return f"{told} of {counted(each.estimate.n, 'pair')}{counts}{also}"
