"""What a validator found, to print."""

from rich.console import Group
from rich.table import Table

from kg.labels import LABELS
from plugins.bank._validator import RIGHT, ValidatorFigures
from plugins.terminal import counted_table


def validator_table(figures: ValidatorFigures, *, misses: int = 15) -> Group:
    """Return errors found by label, false alarms by kind of right query, and the most frequent misses.

    Args:
        figures: What was counted.
        misses: How many operators to list at most, of those missed and of those blamed.
    """
    lines = [
        f"{count:5,}  {operator}: nothing found" for operator, count in figures.missed.most_common(misses)
    ]
    lines += [
        f"{count:5,}  {operator}: blamed for {label}"
        for (operator, label), count in figures.blamed.most_common(misses)
    ]
    speed = f"{figures.median_ms:.2f} ms of CPU a query (median)"
    listed = ["", "Most frequent misses and false alarms:", *lines] if lines else []
    return Group(_errors(figures), "", _alarms(figures), "", speed, *listed)


def _errors(figures: ValidatorFigures) -> Table:
    table = counted_table("errors", "label", "planted", "found", "share", "named first", "share")
    rows = [label for label in LABELS if figures.errors[label]]
    for label in rows:
        planted, found, named = figures.errors[label], figures.found[label], figures.named[label]
        table.add_row(
            label,
            f"{planted:,}",
            f"{found:,}",
            _percent(found, planted),
            f"{named:,}",
            _percent(named, planted),
        )
    planted, found, named = figures.errors.total(), figures.found.total(), figures.named.total()
    table.add_section()
    table.add_row(
        "all", f"{planted:,}", f"{found:,}", _percent(found, planted), f"{named:,}", _percent(named, planted)
    )
    return table


def _alarms(figures: ValidatorFigures) -> Table:
    table = counted_table("right queries", "kind", "judged", "false alarms", "share")
    for kind in RIGHT:
        table.add_row(
            kind,
            f"{figures.right[kind]:,}",
            f"{figures.alarms[kind]:,}",
            _percent(figures.alarms[kind], figures.right[kind]),
        )
    right, alarms = figures.right.total(), figures.alarms.total()
    table.add_section()
    table.add_row("all", f"{right:,}", f"{alarms:,}", _percent(alarms, right))
    return table


def _percent(count: int, of: int) -> str:
    return f"{100 * count / of:.2f} %" if of else ""
