"""A comparison as a person reads it."""

from collections.abc import Callable, Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from plugins.comparison._compared import Compared
from plugins.comparison._side import Side
from plugins.comparison._slice_name import slice_name
from plugins.comparison._still import still_said
from plugins.statistics import Change, Estimate, PairedComparison
from plugins.terminal import counted, one_line

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
