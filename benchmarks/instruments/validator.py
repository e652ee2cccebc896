"""How well the schema validator separates the errors of a bank from right queries."""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any, Protocol

import click
from rich.console import Group
from rich.table import Table

from retrocypher.benchmarks.instruments.options import held_out_option, misses_option
from retrocypher.kg.labels.error_labels import LABELS, name_of
from retrocypher.kg.questions.question import (
    PARAPHRASE_COUNT,
    Question,
    paraphrase,
    parse_paraphrases,
)
from retrocypher.kg.questions.reading import load_questions
from retrocypher.kg.semantics.schema import default_schema
from retrocypher.plugins.cli.bank import bank_option, folder_of, part_of, seed_option
from retrocypher.plugins.cli.console import json_option, print_json, table_console
from retrocypher.plugins.judge.bank import load_bank
from retrocypher.plugins.judge.bank_candidates import BankEntry
from retrocypher.plugins.reporting.run_tables import counted_table
from retrocypher.plugins.validation.validator import SchemaValidator
from retrocypher.prompts.validation.finding import Validation

_REFERENCE = "reference"
_NEUTRAL = "neutral"
_COMPOSITION = "composition"
_RIGHT = (_REFERENCE, _NEUTRAL, _COMPOSITION)


class Validator(Protocol):
    """Checks a query by its text and that of the question."""

    def validate(self, query: str, question: str) -> Validation:
        """Return the verdict."""


@dataclass(slots=True)
class ValidatorCounts:
    """What a validator found in queries whose faults are known.

    Attributes:
        errors: Planted errors by label, details aside.
        found: Planted errors with any finding, by planted label.
        named: Planted errors whose first finding has the planted label, by that label.
        right: Right queries by kind: references, neutral variants, compositions of several.
        alarms: Right queries with any finding, by kind.
        missed: Planted errors without a finding, by operator.
        blamed: False alarms, by operator and label of the first finding.
        milliseconds: CPU time of each verdict.
    """

    errors: Counter[str] = field(default_factory=Counter)
    found: Counter[str] = field(default_factory=Counter)
    named: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    alarms: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    blamed: Counter[tuple[str, str]] = field(default_factory=Counter)
    milliseconds: list[float] = field(default_factory=list)

    @property
    def median_ms(self) -> float:
        """The median CPU time of a verdict in milliseconds; 0 where there was none."""
        return median(self.milliseconds) if self.milliseconds else 0.0

    def add(self, validator: Validator, entry: BankEntry, question: str) -> None:
        """Validate an entry and count the result; matters of style are left out."""
        if entry.kind == "style":
            return
        labels = self._findings(validator, entry.cypher, question)
        if entry.kind == "error" and entry.label is not None:
            label = name_of(entry.label)
            self.errors[label] += 1
            self.found[label] += bool(labels)
            self.named[label] += labels[:1] == [label]
            if not labels:
                self.missed[entry.operator] += 1
        else:
            self._add_right(_COMPOSITION if "+" in entry.operator else _NEUTRAL, entry.operator, labels)

    def add_reference(self, validator: Validator, question: Question) -> None:
        """Validate the reference query of a question and count the result."""
        labels = self._findings(validator, question.reference_cypher, question.text)
        self._add_right(_REFERENCE, _REFERENCE, labels)

    def _add_right(self, kind: str, operator: str, labels: Sequence[str]) -> None:
        self.right[kind] += 1
        self.alarms[kind] += bool(labels)
        if labels:
            self.blamed[operator, labels[0]] += 1

    def _findings(self, validator: Validator, query: str, question: str) -> list[str]:
        begun = time.process_time()
        findings = validator.validate(query, question).findings
        self.milliseconds.append(1000 * (time.process_time() - begun))
        return [name_of(finding.label) for finding in findings]

    def to_json(self) -> dict[str, Any]:
        """Return the counts as one JSON object, the most frequent misses and false alarms first."""
        return {
            "errors": {
                label: {"planted": count, "found": self.found[label], "named_first": self.named[label]}
                for label, count in self.errors.items()
            },
            "right_queries": {
                kind: {"judged": self.right[kind], "false_alarms": self.alarms[kind]} for kind in _RIGHT
            },
            "missed": [
                {"operator": operator, "queries": count} for operator, count in self.missed.most_common()
            ],
            "blamed": [
                {"operator": operator, "label": label, "queries": count}
                for (operator, label), count in self.blamed.most_common()
            ],
            "median_ms": round(self.median_ms, 3),
        }


def validate_bank(
    validator: Validator,
    entries: Iterable[BankEntry],
    questions: Sequence[Question],
    phrasings: Iterable[int],
) -> ValidatorCounts:
    """Validate the entries of a bank and the reference queries of all questions, and count the findings.

    Args:
        validator: Receives the query and the text of the question, nothing else.
        entries: Entries of a bank; those of style are left out.
        questions: The questions of the bank.
        phrasings: Numbers of the paraphrases in which each question is asked.
    """
    counts = ValidatorCounts()
    by_id = {question.id: question for question in questions}
    entries = tuple(entries)
    for number in phrasings:
        for entry in entries:
            counts.add(validator, entry, paraphrase(by_id[entry.question_id], number).text)
        for question in questions:
            counts.add_reference(validator, paraphrase(question, number))
    return counts


@click.command("validator")
@seed_option
@bank_option
@held_out_option
@click.option(
    "--phrasing",
    "phrasings",
    metavar="NUMBERS",
    multiple=True,
    default=("1",),
    help=f"Paraphrases in which questions are asked: 1 to {PARAPHRASE_COUNT}, separated by commas, or all; "
    "may be repeated.  [default: 1]",
)
@misses_option
@json_option
def validator_command(
    seed: int, bank: Path | None, held_out: bool, phrasings: tuple[str, ...], misses: int, as_json: bool
) -> None:
    """Validate the queries of a bank and all reference queries, and count errors found and false alarms.

    The validator sees query, question and schema, but no task, reference or result.
    """
    paraphrases = parse_paraphrases(phrasings)
    folder, part = folder_of(bank, seed), part_of(held_out)
    entries, questions = load_bank(part, folder), load_questions().questions
    validator = SchemaValidator(default_schema(), "benchmark")
    counts = validate_bank(validator, entries, questions, paraphrases)
    if as_json:
        sizes = {"phrasings": list(paraphrases), "references": len(questions)}
        found = {"bank": str(folder), "part": part, "entries": len(entries), **sizes, **counts.to_json()}
        print_json(found)
        return
    console = table_console()
    asked = f"paraphrase{'s' * (len(paraphrases) > 1)} {', '.join(map(str, paraphrases))}"
    console.print(
        f"{part.replace('_', '-')} part of {folder}, {len(entries):,} entries, and {len(questions):,} "
        f"reference queries; questions in {asked}; matters of style are left out\n",
        markup=False,
    )
    console.print(validator_tables(counts, misses=misses))


def validator_tables(counts: ValidatorCounts, *, misses: int = 15) -> Group:
    """Return errors found by label, false alarms by kind of right query, and the most frequent misses.

    Args:
        counts: The counts.
        misses: How many operators to list at most, of those missed and of those blamed.
    """
    lines = [
        f"{count:5,}  {operator}: nothing found" for operator, count in counts.missed.most_common(misses)
    ]
    lines += [
        f"{count:5,}  {operator}: blamed for {label}"
        for (operator, label), count in counts.blamed.most_common(misses)
    ]
    speed = f"{counts.median_ms:.2f} ms of CPU a query (median)"
    listed = ["", "Most frequent misses and false alarms:", *lines] if lines else []
    return Group(_errors(counts), "", _alarms(counts), "", speed, *listed)


def _errors(counts: ValidatorCounts) -> Table:
    table = counted_table("errors", "label", "planted", "found", "share", "named first", "share")

    def add(name: str, planted: int, found: int, named: int) -> None:
        shares = _percent(found, planted), _percent(named, planted)
        table.add_row(name, f"{planted:,}", f"{found:,}", shares[0], f"{named:,}", shares[1])

    for label in LABELS:
        if counts.errors[label]:
            add(label, counts.errors[label], counts.found[label], counts.named[label])
    table.add_section()
    add("all", counts.errors.total(), counts.found.total(), counts.named.total())
    return table


def _alarms(counts: ValidatorCounts) -> Table:
    table = counted_table("right queries", "kind", "judged", "false alarms", "share")

    def add(name: str, right: int, alarms: int) -> None:
        table.add_row(name, f"{right:,}", f"{alarms:,}", _percent(alarms, right))

    for kind in _RIGHT:
        add(kind, counts.right[kind], counts.alarms[kind])
    table.add_section()
    add("all", counts.right.total(), counts.alarms.total())
    return table


def _percent(count: int, of: int) -> str:
    return f"{100 * count / of:.2f} %" if of else ""
