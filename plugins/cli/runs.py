"""``retrocypher runs``, ``summary`` and ``merge``: several runs in one list, one table, one run."""

import os
import shlex
from collections.abc import Iterable, Iterator
from io import StringIO
from pathlib import Path

import click
from rich.console import Console

from retrocypher.kg.errors import InputError
from retrocypher.plugins.analysis.ledger import Ledger
from retrocypher.plugins.analysis.summary import Summary
from retrocypher.plugins.cli.console import PATH, emit, former_option, json_option, print_json, table_console
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.reporting.run_tables import WIDTH, render_ledger, render_table, runs_table
from retrocypher.plugins.runs.files import ALLURE, QUESTIONS
from retrocypher.plugins.runs.listing import find_runs, read_entry
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.record import HEADLINE, Record

_REPORTS = Path("reports")


@click.command("runs")
@click.argument("folder", metavar="[DIR]", default=_REPORTS, type=PATH)
@json_option
def runs_command(folder: Path, as_json: bool) -> None:
    """List the runs in DIR, newest first: what was run, how far it got, and the mean of its main score.

    DIR is `reports` by default. A run that cannot be read is listed with the reason.
    """
    entries = [read_entry(run) for run in find_runs(folder)]
    entries.sort(key=lambda entry: (entry.started or "", entry.path), reverse=True)
    if as_json:
        print_json({"folder": str(folder), "runs": entries})
    elif entries:
        table_console().print(runs_table(entries, folder))
    else:
        click.echo(f"No run in {folder}.")


@click.command("summary")
@click.argument("runs", nargs=-1, required=True, type=PATH)
@click.option("--ledger", "with_ledger", is_flag=True, help="Also show what loops repaired and broke.")
@click.option("--svg", type=PATH, help="Also write the table to an SVG file.")
@json_option
def summary_command(runs: tuple[Path, ...], with_ledger: bool, svg: Path | None, as_json: bool) -> None:
    """Print one table of RUNS: scores by task, prompt, shot and model, in the order of RUNS."""
    if svg is not None:
        _require_writable(svg)
    logs = [RunLog(run) for run in runs]
    lacking: dict[Path, str] = {}
    counts: dict[Path, int] = {}
    notes: dict[str, list[str]] = {}
    loops: dict[str, None] = {}
    unpriced: dict[str, str] = {}
    summary = Summary()
    # Without the questions, each question is a cluster of its own; the ledger needs them.
    known = (log.clusters for log in logs if with_ledger or (log.path / QUESTIONS).is_file())
    clusters = {name: cluster for of_run in known for name, cluster in of_run.items()}
    ledger = Ledger(clusters)
    for log, records in _distinct_runs(logs):
        facts, cases = log.facts, 0
        models = dict.fromkeys(facts.models)
        for record in records:
            summary.add(record)
            if with_ledger:
                ledger.add(record)
            models.setdefault(record.model)
            cases += 1
        loops |= dict.fromkeys(facts.loops)
        unpriced |= facts.unpriced
        lacking[log.path], counts[log.path] = facts.lacks(cases), cases
        for model in models:
            notes.setdefault(model, []).extend([lacking[log.path]] if lacking[log.path] else [])
    headline = logs[0].manifest.headline if summary.is_of_tables else HEADLINE
    entries = ledger.entries(list(notes), list(loops))
    if as_json:
        read = [
            {"run": str(run), "cases": counts[run], "lacks": lacks or None} for run, lacks in lacking.items()
        ]
        content = summary.run_summary()
        print_json({"runs": read, "summary": content, "ledger": entries if with_ledger else None})
    console = Console(record=svg is not None, highlight=False, file=StringIO() if as_json else None)
    console.width = max(console.width, WIDTH)
    by_model = {model: ", ".join(each) for model, each in notes.items()}
    console.print(render_table(summary, by_model, list(notes), list(loops), clusters, headline))
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


@click.command("merge")
@click.argument("runs", nargs=-1, required=True, type=PATH)
@click.option("--out", "into", required=True, type=PATH, help="Folder of the merged run.")
@former_option("--into", "--out", "into")
@click.option("--partial", is_flag=True, help="Merge although shards or cases are missing.")
@json_option
def merge_command(runs: tuple[Path, ...], into: Path, partial: bool, as_json: bool) -> None:
    """Join RUNS, the shards of a run (--shard i/n), into one run directory."""
    # Imported late: the other commands of this module do not need it.
    from retrocypher.plugins.operations.merge import merge

    done = merge(runs, into, partial=partial)
    emit(
        as_json,
        done,
        f"{len(done.shards)} of {counted(done.of, 'shard')}, {counted(done.cases, 'case')}: {done.into}",
        *(f"incomplete: {line}" for line in done.missing),
        f"table: retrocypher summary {done.into}",
    )


def _distinct_runs(logs: Iterable[RunLog]) -> Iterator[tuple[RunLog, Iterator[Record]]]:
    """Yield the runs with their records; raises InputError if a run or a case occurs twice."""
    seen: dict[str, RunLog] = {}
    named: set[Path] = set()
    for log in logs:
        if log.path.resolve() in named:
            raise InputError(f"{log} is named twice; a table needs each run once")
        named.add(log.path.resolve())
        yield log, _distinct_records(log, seen)


def _distinct_records(log: RunLog, seen: dict[str, RunLog]) -> Iterator[Record]:
    for record in log.records():
        if other := seen.get(record.case_id):
            raise InputError(
                f"{other} and {log} both have the case {record.case_id}, and a table needs each case once. "
                f"Name only one of them, or run one again with another label for {record.model}: "
                "--model LABEL=SPEC"
            )
        seen[record.case_id] = log
        yield record


def _require_writable(svg: Path) -> None:
    if svg.is_dir() or not svg.parent.is_dir() or not os.access(svg if svg.exists() else svg.parent, os.W_OK):
        raise InputError(f"--svg {svg}: cannot be written; name a file in a folder that exists")
