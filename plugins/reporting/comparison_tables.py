"""Comparisons of runs as text for a terminal."""

from collections.abc import Callable, Iterator, Sequence

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from retrocypher.plugins.analysis.comparison import ComparedRun, RunComparison, unseen_note
from retrocypher.plugins.analysis.scores import slice_name
from retrocypher.plugins.formatting.text import counted, one_line
from retrocypher.plugins.reporting.gate_text import change_line
from retrocypher.plugins.reporting.numbers import interval
from retrocypher.plugins.statistics.paired import PairedComparison

_NAMED = 5
_CHANGES = 10


def render_comparison(compared: RunComparison) -> Group:
    """Return the conditions of a comparison, two tables with a line for each slice, and remarks."""
    lines = [Text(line, style="bold red") for line in _against(compared)]
    rows = [*compared.slices, compared.overall]
    parts: list[RenderableType] = [*map(Text, _head(compared)), *lines, ""]
    parts += [_differences(rows, compared.metric), "", _tests(rows), "", *map(Text, _below(compared))]
    return Group(*parts)


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


def _below(compared: RunComparison) -> Iterator[str]:
    margin = compared.overall.margin
    yield (
        f"verdicts: improved or regressed if the interval is completely above or below 0, unchanged within "
        f"±{margin:g}"
    )
    if compared.power:
        shares = ", ".join(f"{each.difference:g} in {each.found:.0%}" for each in compared.power)
        yield f"a true difference shows in this share of comparisons like this one: {shares}"
    else:
        yield "the pairs have no spread, so the power of this comparison is unknown"
    if note := unseen_note([compared.overall, *compared.slices]):
        yield note
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


def _cases(what: str, names: Sequence[str]) -> Iterator[str]:
    if names:
        more = len(names) - _NAMED
        also = f" and {more:,} more" if more > 0 else ""
        yield f"{what}: {len(names):,} ({', '.join(map(one_line, names[:_NAMED]))}{also})"
