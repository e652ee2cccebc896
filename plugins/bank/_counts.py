"""What a bank holds, in numbers."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from rich.table import Table

from kg.questions import TASKS
from plugins.bank._entry import BankEntry
from prompts.models.mutations import OPERATORS

_COMPOSITIONS = "(compositions)"


def counts_table(entries: Iterable[BankEntry], manifest: Mapping[str, Any]) -> Table:
    """Return the table of entries by operator and task, with kinds, labels and what was dropped.

    Args:
        entries: Entries of both parts.
        manifest: The bank's manifest.
    """
    by_operator: dict[str, Counter[str]] = {}
    labels: dict[str, set[str]] = {}
    for entry in entries:
        name = _name(entry.operator)
        by_operator.setdefault(name, Counter())[entry.task] += 1
        labels.setdefault(name, set()).add(entry.label or "")
    table = Table(title="The bank of known errors")
    for heading in ("kind", "operator", "label"):
        table.add_column(heading)
    for heading in (*TASKS, "all", "dropped"):
        table.add_column(heading, justify="right")
    held_out = set(manifest["held_out_operators"])
    for name in [*(name for name in OPERATORS if name in by_operator), _COMPOSITIONS]:
        counts = by_operator.get(name, Counter())
        dropped = manifest["dropped"].get("composition" if name == _COMPOSITIONS else name, {})
        table.add_row(
            OPERATORS[name].kind if name in OPERATORS else "neutral",
            f"{name} (held out)" if name in held_out else name,
            _label(labels.get(name, set())),
            *(str(counts[task] or "") for task in TASKS),
            f"{counts.total():,}",
            ", ".join(f"{count} {reason}" for reason, count in dropped.items()),
        )
    return table


def totals(entries: Iterable[BankEntry]) -> str:
    """Return how many entries there are of each kind, and how many are held out."""
    kinds, held_out = Counter[str](), 0
    operators: dict[str, set[str]] = {}
    for entry in entries:
        kinds[entry.kind] += 1
        held_out += entry.held_out
        operators.setdefault(entry.kind, set()).add(_name(entry.operator))
    parts = [f"{count:,} {kind} ({len(operators[kind])} operators)" for kind, count in kinds.items()]
    return f"{kinds.total():,} entries: {', '.join(parts)}; {held_out:,} of them held out"


def _name(operator: str) -> str:
    return _COMPOSITIONS if "+" in operator else operator


def _label(labels: Iterable[str]) -> str:
    names = {label.partition(":")[0] for label in labels}
    details = sorted(detail for label in labels if (detail := label.partition(":")[2]))
    return ", ".join(sorted(names)) + (f": {', '.join(details)}" if details else "")
