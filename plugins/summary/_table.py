"""The closing table."""

from collections import Counter
from collections.abc import Mapping
from itertools import groupby
from typing import Any

from rich import box
from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table

from kg.labels import name_of

_TIMES = "\N{MULTIPLICATION SIGN}"
_COUNTS = ("cases", "passed", "failed", "infrastructure_errors")
_MOST_LABELS = 4
_SCORES = ("precision", "recall", "f1")


def render_table(summary: Mapping[str, Any], notes: Mapping[str, str] | None = None) -> Group:
    """Return the closing table: by task, prompt and shot, one table a model (and loop), with counts.

    Args:
        summary: What `summarise` returns, or a ``summary.json`` read back.
        notes: By label of a model, what is to be said beside it, such as that its run was interrupted.
    """
    notes = notes or {}
    tables: list[RenderableType] = []
    for (model, loop), cells in groupby(summary["cells"], key=lambda cell: (cell["model"], cell["loop"])):
        title = model if loop == "none" else f"{model}, loop {loop}"
        title += f" ({notes[model]})" if notes.get(model) else ""
        rows = list(cells)
        tables += [_model_table(title, rows), *_errors(rows), ""]
    return Group(*tables[:-1])


def _errors(cells: list[Mapping[str, Any]]) -> list[str]:
    """One line with the most frequent primary labels, details aside; none where nothing was wrong."""
    counts: Counter[str] = Counter()
    for cell in cells:
        for label, count in cell.get("errors", {}).get("primary", {}).items():
            counts[name_of(label)] += count
    shown = [f"{name} {count:,}" for name, count in counts.most_common(_MOST_LABELS)]
    rest = counts.total() - sum(count for _, count in counts.most_common(_MOST_LABELS))
    line = "wrong first of all: " + ", ".join(shown + ([f"{rest:,} more"] if rest else []))
    return [line] if shown else []


def _model_table(title: str, cells: list[Mapping[str, Any]]) -> Table:
    table = Table(
        title=escape(title),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        padding=0,
    )
    table.add_column(f"prompt {_TIMES} shot", no_wrap=True)
    table.add_column("task", no_wrap=True)
    for name in ("cases", "P", "R", "F1", "passed", "failed", "errors"):
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
        known = [(cell["means"][name], cell["scored"]) for cell in cells if cell["means"][name] is not None]
        weight = sum(scored for _, scored in known)
        means[name] = sum(mean * scored for mean, scored in known) / weight if weight else None
    return {**{name: sum(cell[name] for cell in cells) for name in _COUNTS}, "means": means}
