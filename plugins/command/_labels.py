"""``retrocypher labels``: the error labels, and how well they find planted errors."""

import time
from dataclasses import asdict
from pathlib import Path

import click
from rich import box
from rich.table import Table

from kg.labels import LABELS
from kg.questions import load_questions
from kg.schema import default_schema
from plugins.bank import load_bank
from plugins.command._bank_options import (
    bank_option,
    folder_of,
    held_out_option,
    misses_option,
    part_of,
)
from plugins.command._console import table_console
from plugins.command._json import json_option, print_json
from plugins.taxonomy import evaluate, evaluation_table, labels_of
from plugins.terminal import counted


@click.command("list")
@json_option
def labels_list_command(as_json: bool) -> None:
    """Print the labels with their meanings and where each definition comes from."""
    if as_json:
        print_json({"labels": [asdict(label) for label in LABELS.values()]})
        return
    table = Table(box=box.SIMPLE_HEAD)
    for heading in ("label", "meaning", "source"):
        table.add_column(heading)
    for label in LABELS.values():
        table.add_row(label.name, label.meaning, label.source)
    table_console().print(table)


@click.command("evaluate")
@bank_option
@held_out_option
@misses_option
@json_option
def labels_evaluate_command(bank: Path | None, held_out: bool, misses: int, as_json: bool) -> None:
    """Label the bank's planted errors and print how often the primary label is the planted one."""
    folder, part = folder_of(bank), part_of(held_out)
    entries = load_bank(part, folder)
    questions = {question.id: question for question in load_questions().questions}
    schema = default_schema()
    start = time.perf_counter()
    evaluation = evaluate(
        (
            entry.operator,
            entry.label,
            labels_of(questions[entry.question_id], entry.cypher, entry.execution, entry.scores, schema),
        )
        for entry in entries
        if entry.kind == "error" and entry.label is not None
    )
    ms = 1000 * (time.perf_counter() - start) / max(1, evaluation.cases)
    if as_json:
        print_json({"bank": str(folder), "part": part, **evaluation.to_json(), "ms_a_case": round(ms, 3)})
        return
    console = table_console()
    console.print(
        f"{part.replace('_', '-')} part of {folder}, {counted(evaluation.cases, 'planted error')}\n",
        markup=False,
    )
    console.print(evaluation_table(evaluation, misses=misses, width=console.width))
    console.print(f"{ms:.2f} ms a case")
