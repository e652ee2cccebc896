"""A comparison as a person reads it."""

from collections.abc import Callable, Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from retrocypher.plugins.analysis.comparison import Compared, still_said
from retrocypher.plugins.analysis.gate_decision import Found, GateResult, RuleFinding, SliceFinding
from retrocypher.plugins.analysis.gate_rules import AtLeast
from retrocypher.plugins.analysis.paired_scores import Change
from retrocypher.plugins.analysis.scores import Side, slice_name
from retrocypher.plugins.formatting.text import counted, one_line
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.paired import PairedComparison

_NAMED = 5
_CHANGES = 10
_DIGITS, _MOST_DIGITS = 3, 10


def render_comparison(compared: Compared) -> Group:
    """Return what is compared, two tables with a line for each slice, and what there is to know besides.

    Args:
        compared: The comparison.
    """
    lines = [Text(line, style="bold red") for line in _against(compared)]
    told = compared.comparison
    rows = [*told.slices, told.overall]
    parts: list[RenderableType] = [*map(Text, _head(compared)), *lines, ""]
    parts += [_differences(rows, told.metric), "", _tests(rows), "", *map(Text, _below(compared))]
    return Group(*parts)


def change_line(change: Change) -> str:
    """Return a pair that differs in one line: its case, and both scores so that they differ."""
    told = ((f"{change.a:.{digits}f}", f"{change.b:.{digits}f}") for digits in range(_DIGITS, _MOST_DIGITS))
    before, now = next((pair for pair in told if pair[0] != pair[1]), (repr(change.a), repr(change.b)))
    return f"{one_line(change.case)}: {before} before, {now} now"


def interval(estimate: Estimate, sign: str = "") -> str:
    """Return the ends of an interval; ``none`` where there is none."""
    if estimate.low is None or estimate.high is None:
        return "none"
    return f"{estimate.low:{sign}.3f}, {estimate.high:{sign}.3f}"


def _head(compared: Compared) -> Iterator[str]:
    for letter, side in (("A", compared.a), ("B", compared.b)):
        yield f"{letter}: {one_line(side.name)} ({', '.join(_of(side))})"
    versions = [name for name in compared.varied if name.startswith("version of ")]
    for name, (before, after) in compared.varied.items():
        if name not in versions:
            yield f"{name}: {one_line(before or 'none')} in A, {one_line(after or 'none')} in B"
    if versions:
        yield f"other versions of {', '.join(name.removeprefix('version of ') for name in versions)}"


def _of(side: Side) -> Iterator[str]:
    yield counted(len(side.records), "case")
    yield from (f"INCOMPLETE: {side.incomplete}",) if side.incomplete else ()
    yield from (side.part,) if side.part else ()


def _against(compared: Compared) -> Iterator[str]:
    if not compared.against:
        return
    yield "NOT MEASURED ALIKE, compared on what is common all the same. A and B differ in:"
    yield from (f"  {one_line(str(each))}" for each in compared.against)


def _differences(rows: Sequence[PairedComparison], metric: str) -> Table:
    table = _table(("slice", "pairs", "A", "B", "B - A", "95 % interval", "verdict"), metric)
    _fill(
        table,
        rows,
        lambda each: (
            f"{each.difference.n:,}",
            f"{each.mean_a:.3f}",
            f"{each.mean_b:.3f}",
            f"{each.difference.value:+.3f}",
            interval(each.difference, "+"),
            each.verdict.value,
        ),
    )
    return table


def _tests(rows: Sequence[PairedComparison]) -> Table:
    table = _table(("slice", "won", "lost", "tied", "p", "p, Holm", "detectable"), "")
    _fill(
        table,
        rows,
        lambda each: (
            f"{each.wins:,}",
            f"{each.losses:,}",
            f"{each.ties:,}",
            f"{each.p_value:.4f}",
            "" if each.p_holm is None else f"{each.p_holm:.4f}",
            "n/a" if each.detectable is None else f"{each.detectable:.3f}",
        ),
    )
    return table


def _table(headings: Sequence[str], title: str) -> Table:
    table = Table(
        title=title or None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    first, *rest = headings
    table.add_column(first, overflow="fold")
    for heading in rest:
        table.add_column(heading, justify="left" if heading == "verdict" else "right", no_wrap=True)
    return table


def _fill(
    table: Table, rows: Sequence[PairedComparison], cells: Callable[[PairedComparison], Sequence[str]]
) -> None:
    for each in rows:
        style = None if each.slice else "bold"
        table.add_row(Text(slice_name(each.slice)), *cells(each), style=style)


def _below(compared: Compared) -> Iterator[str]:
    told = compared.comparison
    margin = told.overall.margin
    yield (
        f"verdicts: improved or regressed where the interval is all above or below 0, unchanged within "
        f"±{margin:g}"
    )
    if compared.power:
        shares = ", ".join(f"{size:g} in {share:.0%}" for size, share in compared.power)
        yield f"a true difference shows in this share of comparisons like this one: {shares}"
    else:
        yield "the pairs tell no spread, so what they could have shown is not known"
    if still := still_said([told.overall, *told.slices]):
        yield still
    yield from _cases("only in A", told.only_a)
    yield from _cases("only in B", told.only_b)
    yield from _cases("without a score in one of them", told.unscored)
    yield from _cases("left out, since A and B do not ask or answer them alike", compared.left_out)
    for letter, side in (("A", compared.a), ("B", compared.b)):
        if side.errors:
            yield f"infrastructure errors in {letter}: {side.errors:,}, never a score"
    if told.changes:
        more = len(told.changes) - _CHANGES
        also = f", {more:,} more with --json" if more > 0 else ""
        yield f"changed most (of {len(told.changes):,}{also}):"
        yield from (f"  {change_line(change)}" for change in told.changes[:_CHANGES])


def _cases(what: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        more = len(names) - _NAMED
        also = f" and {more:,} more" if more > 0 else ""
        yield f"{what}: {len(names):,} ({', '.join(map(one_line, names[:_NAMED]))}{also})"


_MANY = 12
_GATE_CHANGES = 5
_GATE_DIGITS = range(3, 10)


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
            yield from (f"      {change_line(change)}" for change in each.changes[:_GATE_CHANGES])
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
    digits = next((n for n in _GATE_DIGITS if round(value, n) != rule_number or value == rule_number), 3)
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
