"""The runs of a folder, to print."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

from rich import box
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from plugins.runs._entry import RunEntry
from plugins.terminal import one_line, usd

_STYLES = {"complete": "green", "unreadable": "red", "running": "cyan"}
_COMMIT = 8


def runs_table(entries: Iterable[RunEntry], folder: Path) -> Table:
    """Return a table with two lines a run: its figures, and what was run.

    Args:
        entries: The runs in the order to be shown.
        folder: The folder that their names are told from.
    """
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("run", overflow="fold")
    for heading in ("cases", "F1"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("state", no_wrap=True)
    table.add_column("cost", justify="right", no_wrap=True)
    for entry in entries:
        table.add_row(
            _named(entry, folder),
            _cases(entry),
            "n/a" if entry.mean_f1 is None else f"{entry.mean_f1:.3f}",
            Text(entry.state, _STYLES.get(entry.state, "yellow")),
            "" if entry.cost is None else usd(entry.cost),
        )
    return table


def _named(entry: RunEntry, folder: Path) -> Group:
    path = entry.path
    name = path.relative_to(folder) if path.is_relative_to(folder) and path != folder else path
    return Group(Text(one_line(str(name))), Padding(Text(one_line(_what(entry)), "dim"), (0, 0, 0, 2)))


def _what(entry: RunEntry) -> str:
    if entry.reason is not None:
        return entry.reason
    commit = f"{entry.commit[:_COMMIT]}{'+' if entry.changed else ''}" if entry.commit else ""
    run = (", ".join(names) for names in (entry.models, entry.prompts, entry.shots, entry.loops))
    return "; ".join(filter(None, (_when(entry.started), *run, commit)))


def _when(started: str | None) -> str:
    if started is None:
        return ""
    return f"{datetime.fromisoformat(started).astimezone():%Y-%m-%d %H:%M}"


def _cases(entry: RunEntry) -> str:
    if entry.done is None:
        return ""
    return (
        f"{entry.done:,}" if entry.planned in (None, entry.done) else f"{entry.done:,} of {entry.planned:,}"
    )
