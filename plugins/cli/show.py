"""``retrocypher show``: one case of a run, in full."""

import os
import shlex
from collections.abc import Iterable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.ledger import Ledger
from retrocypher.plugins.analysis.summary import Summary
from retrocypher.plugins.cli.console import json_option, print_json, table_console
from retrocypher.plugins.reporting.case_text import render_case
from retrocypher.plugins.reporting.case_view import case_json, find_case, show_case
from retrocypher.plugins.reporting.run_tables import in_order, render_ledger, render_table
from retrocypher.plugins.runs.files import ALLURE
from retrocypher.plugins.runs.listing import find_runs, read_entry, runs_table
from retrocypher.plugins.runs.log import RunLog, read_facts, read_records, read_targets

_WIDTH = 100


@click.command("show")
@click.argument("run", type=click.Path(path_type=Path))
@click.argument("case")
@click.option("--messages", is_flag=True, help="Show the exemplar and what models were asked, too.")
@json_option
def show_command(run: Path, case: str, messages: bool, as_json: bool) -> None:
    """Show CASE of RUN in full: question, rounds, query against reference, rows, scores, and why it failed.

    CASE is the id of a case, its beginning, or any part of it that no other id has.
    """
    log = RunLog(run)
    view = show_case(log, find_case(log, case), with_messages=messages)
    if as_json:
        print_json(case_json(view, run, with_messages=messages))
    else:
        table_console(_WIDTH).print(render_case(view, run))


_REPORTS = Path("reports")


@click.command("runs")
@click.argument("folder", metavar="[DIR]", default=_REPORTS, type=click.Path(path_type=Path))
@json_option
def runs_command(folder: Path, as_json: bool) -> None:
    """List the runs in DIR, the newest first: what was run, how far it got, and how well.

    Without DIR those in `reports`. A run that cannot be read is listed with the reason.
    """
    entries = [read_entry(run) for run in find_runs(folder)]
    entries.sort(key=lambda entry: (entry.started or "", str(entry.path)), reverse=True)
    if as_json:
        print_json({"folder": str(folder), "runs": [entry.to_json() for entry in entries]})
    elif entries:
        table_console().print(runs_table(entries, folder))
    else:
        click.echo(f"No run in {folder}.")


@click.command("summary")
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--ledger", "with_ledger", is_flag=True, help="Show what loops repaired and broke, too.")
@click.option("--svg", type=click.Path(path_type=Path), help="Write the table to an SVG file too.")
@json_option
def summary_command(runs: tuple[Path, ...], with_ledger: bool, svg: Path | None, as_json: bool) -> None:
    """Print the table of RUNS together: scores by task, prompt, shot and model, in the order of RUNS."""
    if svg is not None:
        _require_writable(svg)
    lacking: dict[Path, str] = {}
    counts: dict[Path, int] = {}
    notes: dict[str, list[str]] = {}
    loops: dict[str, None] = {}
    unpriced: dict[str, str] = {}
    summary = Summary()
    ledger = Ledger(dict(_targets(runs)) if with_ledger else {})
    for run, records in _each_once(runs):
        facts = read_facts(run)
        models = dict.fromkeys(facts.models)
        cases = 0
        for record in records:
            summary.add(record)
            if with_ledger:
                ledger.add(record)
            models.setdefault(str(record["model"]))
            cases += 1
        loops |= dict.fromkeys(facts.loops)
        unpriced |= facts.unpriced
        lacking[run], counts[run] = facts.lacks(cases), cases
        for model in models:
            notes.setdefault(model, []).extend([lacking[run]] if lacking[run] else [])
    said = {model: ", ".join(each) for model, each in notes.items()}
    entries = in_order(ledger.to_json(), list(notes), list(loops))
    if as_json:
        told = [
            {"run": str(run), "cases": counts[run], "lacks": lacks or None} for run, lacks in lacking.items()
        ]
        print_json(
            {"runs": told, "summary": summary.to_json(), "ledger": list(entries) if with_ledger else None}
        )
    console = Console(record=svg is not None, highlight=False, file=StringIO() if as_json else None)
    console.print(render_table(summary.to_json(), said, list(notes), list(loops)))
    if with_ledger:
        console.print()
        console.print(render_ledger(entries, unpriced) if entries else "ledger: no case went through a loop")
    for run, lacks in lacking.items():
        console.print(f"records: {run}{f' ({lacks})' if lacks else ''}", soft_wrap=True, markup=False)
        if (run / ALLURE).is_dir():
            page = f"retrocypher allure {shlex.quote(str(run))} --html"
            console.print(f"Allure report: {page}", soft_wrap=True, markup=False)
    if svg is not None:
        console.save_svg(str(svg), title="retrocypher summary")


def _each_once(runs: Iterable[Path]) -> Iterator[tuple[Path, Iterator[dict[str, Any]]]]:
    """Yield the runs with their records; raises InputError where a case comes a second time."""
    seen: dict[str, Path] = {}
    named: set[Path] = set()
    for run in runs:
        if run.resolve() in named:
            raise InputError(f"{run} is named twice; a table takes each run once")
        named.add(run.resolve())
        yield run, _unseen(run, seen)


def _targets(runs: Iterable[Path]) -> Iterator[tuple[str, str]]:
    for run in runs:
        yield from read_targets(run).items()


def _unseen(run: Path, seen: dict[str, Path]) -> Iterator[dict[str, Any]]:
    for record in read_records(run):
        case = record["case_id"]
        if case in seen:
            raise InputError(
                f"{seen[case]} and {run} both hold the case {case}, and a table takes each case once. "
                f"Name one of them only, or run one again with another label for {record['model']}: "
                "--model LABEL=SPEC"
            )
        seen[case] = run
        yield record


def _require_writable(svg: Path) -> None:
    if svg.is_dir() or not svg.parent.is_dir() or not os.access(svg if svg.exists() else svg.parent, os.W_OK):
        raise InputError(f"--svg {svg}: cannot be written; name a file in a folder that exists")
