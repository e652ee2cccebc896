"""``retrocypher report`` and ``allure``: reports of runs from their records."""

import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

import click
from msgspec import to_builtins

from retrocypher.plugins.analysis.gate_decision import stored_gate
from retrocypher.plugins.cli.console import PATH, json_option, print_json
from retrocypher.plugins.formatting.text import counted
from retrocypher.plugins.reporting.allure.page import HISTORY, History, Node, Page, build_page, find_node
from retrocypher.plugins.reporting.allure.run import Written, write_results
from retrocypher.plugins.reporting.html.report import build_report
from retrocypher.plugins.runs.files import ALLURE, RECORDS
from retrocypher.plugins.runs.log import RunLog
from retrocypher.plugins.runs.parallel import spare_collections

_LISTED = 5_000


@click.command("report")
@click.argument("runs", nargs=-1, required=True, type=PATH)
@click.option("--out", type=PATH, help="The page (default: FIRST_RUN/report.html).")
@click.option("--figures", type=PATH, help="Folder for figures (SVG, PNG) and tables (CSV, LaTeX).")
@click.option(
    "--cases",
    "most",
    type=click.IntRange(min=0),
    default=_LISTED,
    show_default=True,
    help="Maximum number of failed cases to list.",
)
@click.option(
    "--label-noise",
    is_flag=True,
    help="Add what doubt about gold does to mean F1: 200 draws of the graph (a second for 80 cases).",
)
@json_option
def report_command(
    runs: tuple[Path, ...],
    out: Path | None,
    figures: Path | None,
    most: int,
    label_noise: bool,
    as_json: bool,
) -> None:
    """Write an HTML page of RUNS: scores, comparisons, errors and each failed case.

    The first run is the one that the others are compared with.
    """
    spare_collections()
    page = out or runs[0] / "report.html"
    report = build_report(runs, page, most=most, figures=figures, label_noise=label_noise)
    if as_json:
        print_json(to_builtins(report, enc_hook=str))
        return
    for name, lacks in report.lacking.items():
        click.echo(f"{name} is incomplete: {lacks}", err=True)
    click.echo(f"{counted(report.cases, 'case')}, {report.failed:,} failed, {report.not_run:,} not run")
    click.echo(f"page: {report.page} ({report.bytes / 1e6:.2f} MB)")
    if report.pages:
        click.echo(
            f"cases: {report.folder} ({counted(report.pages, 'page')}, {report.pages_bytes / 1e6:.1f} MB)"
        )
    if figures is not None:
        click.echo(f"figures and tables: {figures} ({counted(len(report.figures), 'file')})")


PAGE = "allure.html"


@click.command("allure")
@click.argument("run", type=PATH)
@click.option("--out", type=PATH, help="Results folder (default: RUN/allure-results).")
@click.option("--html", "with_page", is_flag=True, help=f"Build the page RUN/{PAGE} with Node.")
@click.option(
    "--history",
    type=PATH,
    help=f"File with the results of earlier runs, for the page (default: {HISTORY} next to RUN).",
)
@json_option
def allure_command(run: Path, out: Path | None, with_page: bool, history: Path | None, as_json: bool) -> None:
    """Write the Allure results of RUN.

    They are made from its records, without any model or graph. Results in the folder are replaced. With
    --html and without --out only the page is kept.
    """
    # Check this before minutes of work.
    node = find_node() if with_page else None
    spare_collections()
    with tempfile.TemporaryDirectory(prefix="retrocypher-results-") as made:
        kept = None if with_page and out is None else out or run / ALLURE
        written = write_results(RunLog(run), kept or Path(made) / ALLURE)
        page = None if node is None else _page(node, run.resolve(), written, history)
    if as_json:
        print_json(_facts(kept, written, page))
        return
    cases = counted(written.cases, "case")
    cases += f", {written.crashed:,} crashed" if written.crashed else ""
    if kept is not None:
        click.echo(f"Allure results: {kept} ({cases})")
    if page is not None:
        click.echo(f"Allure page: {page.file} ({page.size / 1e6:.1f} MB, {cases})")


def _page(node: Node, run: Path, written: Written, history: Path | None) -> Page:
    log = RunLog(run)
    started = log.manifest.started
    began = datetime.fromisoformat(started).timestamp() if started else (run / RECORDS).stat().st_mtime
    return build_page(
        node,
        written.results,
        run / PAGE,
        History(history or run.parent / HISTORY),
        name=run.name,
        began=round(1000 * began),
        gate=stored_gate(log),
    )


def _facts(kept: Path | None, written: Written, page: Page | None) -> dict[str, Any]:
    return {
        "results": None if kept is None else str(kept),
        "cases": written.cases,
        "lost": written.crashed,
        "page": None if page is None else str(page.file),
        "page_bytes": None if page is None else page.size,
        "history_runs": None if page is None else page.runs,
    }
