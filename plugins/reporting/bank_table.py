"""What a bank holds, in numbers; tables that fit 80 columns."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from rich import box
from rich.console import Group
from rich.table import Table

from retrocypher.kg.labels.error_labels import name_of
from retrocypher.kg.mutations.registry import OPERATORS
from retrocypher.kg.questions.question import TASKS
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.judge.bank_candidates import BankEntry

_COMPOSITIONS = "(compositions)"
_HELD_OUT, _REASON = 5, 7
"""Widths of columns whose heading is broken between its words."""


def counts_table(entries: Iterable[BankEntry], manifest: Mapping[str, Any]) -> Group:
    """Return how many entries each operator has, how many of them are held out, and what was dropped.

    Args:
        entries: Entries of both parts.
        manifest: The bank's manifest.
    """
    counts, held_out = Counter[str](), Counter[str]()
    labels: dict[str, str] = {}
    for entry in entries:
        name = _name(entry.operator)
        counts[name] += 1
        held_out[name] += entry.held_out
        labels[name] = name_of(entry.label or "")
    table = _table("The bank of known errors", "operator", "kind", "label")
    for heading, width in (("entries", None), ("held out", _HELD_OUT), ("dropped", None)):
        table.add_column(heading, justify="right", width=width)
    for name in _rows(counts):
        dropped = _dropped(manifest, name)
        kind = OPERATORS[name].kind if name in OPERATORS else "neutral"
        numbers = (counts[name], held_out[name], sum(dropped.values()))
        table.add_row(name, kind, labels[name], *(f"{number:,}" if number else "" for number in numbers))
    return Group(table, *_notes(manifest))


def counts_json(entries: Iterable[BankEntry], manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the tables show as one JSON object.

    Args:
        entries: Entries of both parts.
        manifest: The bank's manifest.
    """
    kinds, held_out = Counter[str](), Counter[str]()
    by_task: dict[str, Counter[str]] = {}
    for entry in entries:
        name = _name(entry.operator)
        kinds[entry.kind] += 1
        held_out[name] += entry.held_out
        by_task.setdefault(name, Counter())[entry.task] += 1
    dropped = {name: _dropped(manifest, name) for name in (*OPERATORS, _COMPOSITIONS)}
    return {
        "entries": kinds.total(),
        "by_kind": dict(kinds),
        "held_out": held_out.total(),
        "held_out_operators": list(manifest["held_out_operators"]),
        "operators": {
            name: {
                "entries": by_task.get(name, Counter()).total(),
                "held_out": held_out[name],
                "by_task": dict(by_task.get(name, Counter())),
                "dropped": dict(dropped[name]),
            }
            for name in (*OPERATORS, _COMPOSITIONS)
            if name in by_task or dropped[name]
        },
    }


def tasks_table(entries: Iterable[BankEntry]) -> Group:
    """Return how many entries each operator has of each task."""
    counts: dict[str, Counter[str]] = {}
    for entry in entries:
        counts.setdefault(_name(entry.operator), Counter())[entry.task] += 1
    table = _table("Entries by task", "operator")
    for heading in (*map(str, range(1, len(TASKS) + 1)), "all"):
        table.add_column(heading, justify="right")
    for name in _rows(counts):
        numbers = (*(counts[name][task] for task in TASKS), counts[name].total())
        table.add_row(name, *(f"{number:,}" if number else "" for number in numbers))
    return Group(table, "", ", ".join(f"{number}={task}" for number, task in enumerate(TASKS, 1)), "")


def dropped_table(manifest: Mapping[str, Any]) -> Table:
    """Return how many mutants of each operator were dropped, and why."""
    reasons = _reasons(manifest)
    table = _table("Dropped, by reason", "operator")
    for reason in reasons:
        table.add_column(reason, justify="right", width=_REASON)
    for name in _rows({name: 0 for name in (*OPERATORS, _COMPOSITIONS) if _dropped(manifest, name)}):
        dropped = _dropped(manifest, name)
        table.add_row(name, *(f"{dropped[reason]:,}" if reason in dropped else "" for reason in reasons))
    return table


def totals(entries: Iterable[BankEntry]) -> str:
    """Return how many entries there are of each kind, and how many are held out."""
    kinds, held_out = Counter[str](), 0
    operators: dict[str, set[str]] = {}
    for entry in entries:
        kinds[entry.kind] += 1
        held_out += entry.held_out
        operators.setdefault(entry.kind, set()).add(_name(entry.operator))
    parts = [
        f"{count:,} {kind} ({counted(len(operators[kind]), 'operator')})" for kind, count in kinds.items()
    ]
    return f"{kinds.total():,} entries: {', '.join(parts)}; {held_out:,} of them held out"


def _table(title: str, *headings: str) -> Table:
    table = Table(title=title, box=box.SIMPLE_HEAD, show_edge=False, padding=0)
    for heading in headings:
        table.add_column(heading, no_wrap=True)
    return table


def _rows(names: Mapping[str, Any]) -> list[str]:
    return [name for name in (*OPERATORS, _COMPOSITIONS) if name in names]


def _notes(manifest: Mapping[str, Any]) -> list[str]:
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in _reasons(manifest).items())
    aside = ", ".join(manifest["held_out_operators"])
    notes = [f"Dropped: {reasons}." if reasons else "", f"Held out as operators: {aside}." if aside else ""]
    return ["", *filter(None, notes)]


def _reasons(manifest: Mapping[str, Any]) -> Counter[str]:
    every = Counter[str]()
    for counts in manifest["dropped"].values():
        every.update(counts)
    return every


def _dropped(manifest: Mapping[str, Any], name: str) -> Mapping[str, int]:
    found: Mapping[str, int] = manifest["dropped"].get("composition" if name == _COMPOSITIONS else name, {})
    return found


def _name(operator: str) -> str:
    return _COMPOSITIONS if "+" in operator else operator
