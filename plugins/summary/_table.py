"""The closing table."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from plugins.summary._lines import lines_below
from plugins.summary._pooled import pooled

_TIMES = "\N{MULTIPLICATION SIGN}"
_COUNTS = ("cases", "passed", "failed", "infrastructure_errors")
_SCORES = ("precision", "recall", "f1")


def render_table(
    summary: Mapping[str, Any],
    notes: Mapping[str, str] | None = None,
    models: Sequence[str] = (),
    loops: Sequence[str] = (),
) -> Group:
    """Return the closing table: by task, prompt and shot, one table a model (and loop), with counts.

    Below each table stand the primary labels of its failed cases, what fallbacks brought, and a mean for each
    wording where there are several.

    Args:
        summary: What `summarise` returns, or a ``summary.json`` read back.
        notes: By label of a model, what is to be said beside it, such as that its run was interrupted.
        models: Labels of models in the order in which their tables are to come; others come after these.
        loops: Names of loops in the order in which a model's tables are to come.
    """
    notes = notes or {}
    tables: list[RenderableType] = []
    ordered = in_order(summary["cells"], models, loops)
    for (model, loop), cells in groupby(ordered, key=lambda cell: (cell["model"], cell["loop"])):
        title = model if loop == "none" else f"{model}, loop {loop}"
        title += f" ({notes[model]})" if notes.get(model) else ""
        rows = list(cells)
        wordings = [each for each in summary["wordings"] if (each["model"], each["loop"]) == (model, loop)]
        tables += [_model_table(title, rows), *map(Text, lines_below(rows, wordings)), ""]
    return Group(*tables[:-1])


def in_order(
    entries: Sequence[Mapping[str, Any]], models: Sequence[str], loops: Sequence[str]
) -> list[Mapping[str, Any]]:
    """Return entries by ``model`` and ``loop`` in the orders given, those not named last; else as they come.

    Args:
        entries: Entries with ``model`` and ``loop``.
        models: Labels of models.
        loops: Names of loops.
    """
    return sorted(entries, key=lambda entry: (_place(entry["model"], models), _place(entry["loop"], loops)))


def _place(name: str, order: Sequence[str]) -> tuple[int, str]:
    return (order.index(name) if name in order else len(order), name)


def _model_table(title: str, cells: list[Mapping[str, Any]]) -> Table:
    table = Table(
        title=escape(title),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=0,
    )
    # Closer than in the cells: the table is to fit 80 columns.
    table.add_column(f"prompt{_TIMES}shot", no_wrap=True)
    table.add_column("task", no_wrap=True)
    for name in ("cases", "P", "R", "F1", "passed", "failed", "not run"):
        table.add_column(name, justify="right", no_wrap=True)
    for (prompt, shot), group in groupby(cells, key=lambda cell: (cell["prompt"], cell["shot"])):
        rows = list(group)
        for number, cell in enumerate(rows):
            table.add_row(
                "" if number else escape(f"{prompt} {_TIMES} {shot}"), cell["task"], *_numbers(cell)
            )
        table.add_row("", "all", *_numbers(_together(rows)), style="bold", end_section=True)
    return table


def _numbers(cell: Mapping[str, Any]) -> list[str]:
    scores = ["n/a" if cell["means"][name] is None else f"{cell['means'][name]:.3f}" for name in _SCORES]
    cases, *rest = (f"{cell[name]:,}" for name in _COUNTS)
    return [cases, *scores, *rest]


def _together(cells: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Take the tasks of one prompt and shot together; every case weighs the same."""
    means: dict[str, float | None] = {}
    for name in _SCORES:
        scored = pooled((cell["means"][name], cell["scored"]) for cell in cells)
        means[name] = scored.mean if scored else None
    return {**{name: sum(cell[name] for cell in cells) for name in _COUNTS}, "means": means}
