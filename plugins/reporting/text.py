"""Comparisons and results of gates as text. Rich is imported late, so that gates start fast."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import UNSET

from retrocypher.plugins.analysis.comparison import (
    Change,
    ComparedRun,
    RunComparison,
    VariationChange,
)
from retrocypher.plugins.analysis.gate_decision import GateResult, RuleResult, RuleStatus, SliceResult
from retrocypher.plugins.analysis.scores import slice_name
from retrocypher.plugins.analysis.variation import OVER
from retrocypher.plugins.formatting.text import counted, one_line
from retrocypher.plugins.reporting.numbers import interval, three_digits
from retrocypher.plugins.statistics.intervals import Estimate
from retrocypher.plugins.statistics.paired import PairedComparison

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table

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


def _to_rule(estimate: Estimate, rule_number: float, sign: str = "") -> str:
    """Return a number with its interval, with enough digits to differ from the number of the rule."""
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
    against = f" against {one_line(baseline)}" if result.margin is not UNSET else ""
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
    if result.margin is UNSET:
        limit = result.least if result.most is UNSET else result.most
        return f"{_to_rule(each.estimate, limit or 0)} of {counted(each.estimate.n, 'case')}{also}"
    difference = _to_rule(each.estimate, -result.margin, "+")
    pairs = each.pairs
    counts = "" if pairs is UNSET else f", {pairs.wins:,} won, {pairs.losses:,} lost, {pairs.ties:,} tied"
    least = None if pairs is UNSET else pairs.detectable
    detects = "" if least is None else f", detects ±{three_digits(least)}"
    return f"{difference} of {counted(each.estimate.n, 'pair')}{counts}{detects}{also}"


def change_line(change: Change) -> str:
    """Return a changed pair on one line, with enough digits to show that its scores differ."""
    pairs = ((f"{change.a:.{digits}f}", f"{change.b:.{digits}f}") for digits in range(_DIGITS, _MOST_DIGITS))
    before, now = next((pair for pair in pairs if pair[0] != pair[1]), (repr(change.a), repr(change.b)))
    return f"{one_line(change.case)}: {before} before, {now} now"


_NAMED = 5
_CHANGES = 10


def render_comparison(compared: RunComparison) -> "Group":
    """Return the conditions of a comparison, two tables with a line for each slice, and remarks."""
    from rich.console import Group
    from rich.text import Text

    rows = [*compared.slices, compared.overall]
    return Group(
        *map(Text, _head(compared)),
        *(Text(line, style="bold red") for line in _against(compared)),
        "",
        _table(compared.metric, _DIFFERENCES, rows),
        "",
        _table("", _TESTS, rows),
        "",
        *map(Text, _below(compared)),
    )


def _head(compared: RunComparison) -> Iterator[str]:
    for letter, run in (("A", compared.a), ("B", compared.b)):
        yield f"{letter}: {one_line(run.name)} ({', '.join(_of(run))})"
    versions = [name for name in compared.varied if name.startswith("version of ")]
    for name, (before, after) in compared.varied.items():
        if name not in versions:
            yield f"{name}: {one_line(before or 'none')} in A, {one_line(after or 'none')} in B"
    if versions:
        yield f"other versions of {', '.join(name.removeprefix('version of ') for name in versions)}"


def _of(run: ComparedRun) -> Iterator[str]:
    yield counted(run.cases, "case")
    yield from (f"INCOMPLETE: {run.incomplete}",) if run.incomplete else ()
    yield from (run.part,) if run.part else ()


def _against(compared: RunComparison) -> Iterator[str]:
    if not compared.against:
        return
    yield "MEASURED UNDER DIFFERENT CONDITIONS, compared on what is common. A and B differ in:"
    yield from (f"  {one_line(str(each))}" for each in compared.against)


_Columns = Mapping[str, Callable[[PairedComparison], str]]
_DIFFERENCES: _Columns = {
    "pairs": lambda each: f"{each.difference.n:,}",
    "A": lambda each: f"{each.mean_a:.3f}",
    "B": lambda each: f"{each.mean_b:.3f}",
    "B - A": lambda each: f"{each.difference.value:+.3f}",
    "95 % interval": lambda each: interval(each.difference, "+"),
    "verdict": lambda each: each.verdict.value,
}
_TESTS: _Columns = {
    "won": lambda each: f"{each.wins:,}",
    "lost": lambda each: f"{each.losses:,}",
    "tied": lambda each: f"{each.ties:,}",
    "p": lambda each: f"{each.p_value:.4f}",
    "p, Holm": lambda each: "" if each.p_holm is None else f"{each.p_holm:.4f}",
    "detectable": lambda each: three_digits(each.detectable),
}


def _table(title: str, columns: _Columns, rows: Sequence[PairedComparison]) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(title) if title else None,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    table.add_column("slice", overflow="fold")
    for heading in columns:
        table.add_column(heading, justify="left" if heading == "verdict" else "right", no_wrap=True)
    for each in rows:
        cells = (cell(each) for cell in columns.values())
        table.add_row(Text(slice_name(each.slice)), *cells, style=None if each.slice else "bold")
    return table


def _below(compared: RunComparison) -> Iterator[str]:
    margin = compared.overall.margin
    yield (
        f"verdicts: improved or regressed if p, for slices corrected for their number (Holm), is at most "
        f"0.05; unchanged if the interval is within ±{margin:g}"
    )
    if compared.power:
        shares = ", ".join(f"{each.difference:g} in {each.found:.0%}" for each in compared.power)
        yield f"share of such comparisons that would detect a true difference: {shares}"
    else:
        yield "too few clusters of questions for an interval"
    for change in compared.variation:
        yield f"over {OVER[change.over]}s, {_variation(change)}"
    yield from _cases("only in A", compared.only_a)
    yield from _cases("only in B", compared.only_b)
    yield from _cases("without a score in one of them", compared.unscored)
    yield from _cases("left out, because question or gold answer differ between A and B", compared.left_out)
    for letter, run in (("A", compared.a), ("B", compared.b)):
        if run.infrastructure_errors:
            yield f"infrastructure errors in {letter}: {run.infrastructure_errors:,}, without scores"
    if compared.changes:
        more = len(compared.changes) - _CHANGES
        also = f", {more:,} more with --json" if more > 0 else ""
        yield f"changed most (of {len(compared.changes):,}{also}):"
        yield from (f"  {change_line(change)}" for change in compared.changes[:_CHANGES])


def _variation(change: VariationChange) -> str:
    values = f"{change.figure}: {three_digits(change.a)} in A, {three_digits(change.b)} in B"
    if change.pairs is None:
        return values
    difference = change.pairs.difference
    return f"{values}, difference {difference.value:+.3f} [{interval(difference, '+')}]"


def _cases(what: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        more = len(names) - _NAMED
        also = f" and {more:,} more" if more > 0 else ""
        yield f"{what}: {len(names):,} ({', '.join(map(one_line, names[:_NAMED]))}{also})"
