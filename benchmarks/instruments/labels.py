"""How often the primary error label of a planted error is the planted one."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
from rich.console import Console, Group
from rich.table import Table

from retrocypher.benchmarks.instruments.options import held_out_option, misses_option
from retrocypher.kg.labels.error_labels import LABELS, detail_of, name_of
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.cli.bank import bank_option, folder_of, part_of
from retrocypher.plugins.cli.console import json_option, print_json, table_console
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.judge.bank import load_bank
from retrocypher.plugins.judge.bank_candidates import BankEntry
from retrocypher.plugins.reporting.run_tables import counted_table
from retrocypher.plugins.scoring.labels import labels_of


@dataclass(slots=True)
class LabelCounts:
    """Planted errors and the labels that were given to them.

    Attributes:
        confusion: Cases by planted and primary label, without details.
        right: Cases whose primary label is the planted one, with the same detail where one was planted.
        named: Cases whose primary label is the planted one, details aside.
        found: Cases whose labels include the planted one, details aside.
        misses: Cases that are not right, by operator, planted label and given labels.
    """

    confusion: Counter[tuple[str, str]] = field(default_factory=Counter)
    right: int = 0
    named: int = 0
    found: int = 0
    misses: Counter[tuple[str, str, tuple[str, ...]]] = field(default_factory=Counter)

    def add(self, operator: str, planted: str, given: list[str]) -> None:
        """Count a case.

        Args:
            operator: The operator that planted the error.
            planted: The label of that error.
            given: The labels of the case, at least one.
        """
        primary, name = given[0], name_of(planted)
        is_right = primary == planted if detail_of(planted) else name_of(primary) == name
        self.confusion[name, name_of(primary)] += 1
        self.right += is_right
        self.named += name_of(primary) == name
        self.found += name in map(name_of, given)
        if not is_right:
            self.misses[operator, planted, tuple(given)] += 1

    @property
    def cases(self) -> int:
        """The number of cases."""
        return self.confusion.total()

    def planted(self, label: str) -> int:
        """Return the number of cases in which a label was planted."""
        return sum(count for (planted, _), count in self.confusion.items() if planted == label)

    def primary(self, label: str) -> int:
        """Return the number of cases whose primary label is this one."""
        return sum(count for (_, given), count in self.confusion.items() if given == label)

    def labels(self) -> list[str]:
        """Return the labels that occur, in the order of ``labels.yaml``."""
        seen = {label for pair in self.confusion for label in pair}
        return [label for label in LABELS if label in seen]

    def to_json(self) -> dict[str, Any]:
        """Return all counts as one JSON object, the most frequent misses first."""
        return {
            "cases": self.cases,
            "right": self.right,
            "named": self.named,
            "found": self.found,
            "other": self.primary("other"),
            "confusion": [
                {"planted": planted, "primary": given, "cases": count}
                for (planted, given), count in self.confusion.most_common()
            ],
            "misses": [
                {"operator": operator, "planted": planted, "given": list(given), "cases": count}
                for (operator, planted, given), count in self.misses.most_common()
            ],
        }


def label_bank(entries: Iterable[BankEntry]) -> LabelCounts:
    """Label the errors among the entries of a bank of the shipped questions, and count the labels."""
    questions = {question.id: question for question in load_questions().questions}
    schema = default_schema()
    counts = LabelCounts()
    for entry in entries:
        if entry.kind == "error" and entry.label is not None:
            question = questions[entry.question_id]
            labels = labels_of(question, entry.cypher, entry.execution, entry.scores, schema)
            counts.add(entry.operator, entry.label, labels)
    return counts


@click.command("labels")
@bank_option
@held_out_option
@misses_option
@json_option
def labels_command(bank: Path | None, held_out: bool, misses: int, as_json: bool) -> None:
    """Label the planted errors of a bank and count how often the primary label is the planted one."""
    folder, part = folder_of(bank), part_of(held_out)
    entries = load_bank(part, folder)
    start = time.perf_counter()
    counts = label_bank(entries)
    ms = 1000 * (time.perf_counter() - start) / max(1, counts.cases)
    if as_json:
        print_json({"bank": str(folder), "part": part, **counts.to_json(), "ms_a_case": round(ms, 3)})
        return
    console = table_console()
    console.print(
        f"{part.replace('_', '-')} part of {folder}, {counted(counts.cases, 'planted error')}\n",
        markup=False,
    )
    console.print(label_tables(counts, misses=misses, width=console.width))
    console.print(f"{ms:.2f} ms a case")


def label_tables(counts: LabelCounts, *, misses: int = 15, width: int = 80) -> Group:
    """Return the shares, a table by label, the confusions and the most frequent misses.

    The confusions are a matrix where that is narrow enough, otherwise a list.

    Args:
        counts: The counts.
        misses: How many kinds of miss to list at most.
        width: Characters in a line.
    """
    matrix = _matrix(counts)
    fits = Console(width=10 * width).measure(matrix).maximum <= width
    confusions = [matrix] if fits else _confusions(counts)
    return Group(_shares(counts), "", _by_label(counts), "", *confusions, "", *_misses(counts, misses))


def _shares(counts: LabelCounts) -> str:
    return "\n".join(
        f"{name:<44}{100 * count / max(1, counts.cases):6.2f} % of {counts.cases:,}"
        for name, count in (
            ("planted error is the primary label", counts.right),
            ("planted error is primary, details aside", counts.named),
            ("planted error is among the labels", counts.found),
            ("primary label is other", counts.primary("other")),
        )
    )


def _by_label(counts: LabelCounts) -> Table:
    table = counted_table("primary label by planted label", "label", "planted", "right", "share")
    for label in counts.labels():
        planted, right = counts.planted(label), counts.confusion[label, label]
        share = f"{100 * right / planted:.1f} %" if planted else ""
        table.add_row(label, f"{planted:,}", f"{right:,}", share)
    return table


def _matrix(counts: LabelCounts) -> Table:
    labels = counts.labels()
    numbers = [str(number) for number in range(1, len(labels) + 1)]
    table = counted_table("planted (rows) and primary (columns)", "label", "", *numbers)
    for number, planted in zip(numbers, labels, strict=True):
        cells = [counts.confusion[planted, given] for given in labels]
        table.add_row(planted, number, *(str(count or "") for count in cells))
    return table


def _confusions(counts: LabelCounts) -> list[str]:
    lines = [
        f"{planted} -> {given}: {count:,}"
        for (planted, given), count in counts.confusion.most_common()
        if planted != given
    ]
    return ["Planted -> primary, where they differ:", *(lines or ["none"])]


def _misses(counts: LabelCounts, most: int) -> list[str]:
    lines = [
        f"{count:5}  {operator}: {planted} was labelled {', '.join(given)}"
        for (operator, planted, given), count in counts.misses.most_common(most)
    ]
    return ["Most frequent misses:", *lines] if lines else []
